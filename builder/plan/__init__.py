"""The plan of a site: all that is known before its first page is rendered, in builds and the preview."""
