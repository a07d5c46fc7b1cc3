"""Review documents one by one: mark them, learn from the marks, estimate how much is found, and know when to stop."""
