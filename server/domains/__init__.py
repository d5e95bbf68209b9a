"""Domains of owners: what may be one, whose it is, and where its records lead."""
