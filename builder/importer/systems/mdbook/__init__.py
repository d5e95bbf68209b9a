"""Books of mdBook."""
