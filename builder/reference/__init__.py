"""Pages of Twinpress's own documentation that are made from its code, so that they cannot go stale."""

from builder.reference.reference_pages import configuration_page, diagnostics_page

__all__ = ["configuration_page", "diagnostics_page"]
