"""Hosted sites: their folders, and what comes into them and out. No HTTP."""
