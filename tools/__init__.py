"""Tools for those who develop the project; nothing here is installed with it."""
