"""Pages of Twinpress's own documentation that are made from its code, so that they cannot go stale."""

from builder.reference.configuration import configuration_page
from builder.reference.diagnostics import diagnostics_page

__all__ = ["configuration_page", "diagnostics_page"]
