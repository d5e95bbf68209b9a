"""Published sites for their readers, in the service or in a process of their own.

Neither needs a database or the dashboard for it.
"""
