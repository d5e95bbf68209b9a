"""The service: what `twinpress host` runs."""
