"""The sections of the report's page as data for the templates, one file per section."""
