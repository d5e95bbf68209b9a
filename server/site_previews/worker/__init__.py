"""The process that shows one site: it sees the site's folder alone, and is asked over a socket of its own."""
