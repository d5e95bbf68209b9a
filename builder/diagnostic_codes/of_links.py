"""Codes of links to other hosts, which `twinpress links` alone tells."""

from __future__ import annotations

from builder.diagnostic_codes.diagnostic_code import ERROR, INFO, Code

LINK_CODES: dict[str, Code] = {
    "external-broken": Code(
        ERROR,
        "Another host has nothing at the address of a link (404, 410), there is no such host, or redirects lead nowhere. Only "
        "`twinpress links` asks.",
        "Link to where it is now, or remove the link.",
    ),
    "external-moved": Code(
        INFO,
        "Another host says that what a link leads to has another address for good (301, 308). Only `twinpress links` asks.",
        "Link to the new address, which the hint names.",
    ),
    "external-unsure": Code(
        INFO,
        "Another host does not say whether there is something at the address of a link: it needs a sign-in, refuses programs, "
        "fails, or does not answer in time. Only `twinpress links` asks.",
        "Open the link in a browser, or leave it out of the check with `--skip`.",
    ),
    "external-unasked": Code(
        INFO,
        "A link was not asked for: the robots.txt of its host does not allow programs, or the host is on this machine or its "
        "network. Only `twinpress links` asks.",
        "Open the link in a browser; `--private` asks in your own network too.",
    ),
}
