"""Publish hosted sites: a snapshot of a site's files, a build in a process of its own, a release."""
