"""The databases API: parse, one call, answer."""
