"""Calls of webhooks: the one address that a host has, one signed request to it, and who makes them."""
