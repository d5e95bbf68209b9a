"""Every diagnostic code, its level and what an author should know about it, by who tells it.

The page `docs/reference/diagnostics` of the sample site is generated from this table.
"""

from __future__ import annotations

from builder.diagnostic_codes.diagnostic_code import Code
from builder.diagnostic_codes.of_pages import PAGE_CODES
from builder.diagnostic_codes.of_sites import LINK_CODES, SITE_CODES

CODES: dict[str, Code] = {**SITE_CODES, **PAGE_CODES, **LINK_CODES}
