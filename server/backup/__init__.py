"""Backups of the whole service: create one while it runs, and restore one into a new data folder."""
