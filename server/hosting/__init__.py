"""Hosted databases as the service keeps them: what shall be, and how the server comes to obey. No HTTP."""
