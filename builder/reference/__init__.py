"""Pages of Twinpress's own documentation that are made from its code, so that they cannot go stale."""

from builder.reference.diagnostics import diagnostics_page

__all__ = ["diagnostics_page"]
