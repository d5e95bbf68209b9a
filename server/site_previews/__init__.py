"""Previews of unpublished pages, on the origin of sites: a process for each site that is looked at."""
