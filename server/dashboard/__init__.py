"""The dashboard: what owners and operators do in a browser."""
