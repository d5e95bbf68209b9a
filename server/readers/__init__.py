"""Counts of what readers of published sites do, by day: no cookies, no addresses of readers, no HTTP."""
