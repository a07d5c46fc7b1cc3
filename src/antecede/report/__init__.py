"""What is shown of the results: the figures. Only this room imports matplotlib, and only when something is drawn."""
