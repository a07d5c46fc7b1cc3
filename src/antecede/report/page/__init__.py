"""Building blocks of the report's page: tables, embedded figures, and the charts that the page draws itself."""
