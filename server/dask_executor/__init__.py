"""Pages rendered by the workers of a Dask cluster: one on this machine, or one that is there.

This is the only room that knows Dask. It is loaded when a command asks for it.
"""
