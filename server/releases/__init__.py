"""Releases of published sites: objects by their content, a list of files a release, and a pointer a site.

The order is the contract: the bytes of objects, then the list that names them, then the pointer, each on the
disk before the next. Whoever reads the pointer finds everything that it leads to.
"""
