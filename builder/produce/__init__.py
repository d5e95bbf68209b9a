"""A build: reuse or render all pages, then write what is made of the whole site."""
