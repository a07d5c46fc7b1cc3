"""The routes of the JSON API and of the page, one file per subject."""
