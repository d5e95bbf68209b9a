"""Places for the cache that machines share: a folder, an HTTP server, a bucket of an object store."""
