"""The sections of the HTML report, as plain data for its templates: one file a section, and what they share."""
