"""The providers of statistics that a site may name: their scripts, and the hosts that these need.

Each entry follows the provider's own page about its script and about Content-Security-Policy. No site can
name another script or host: the policy of its pages grows by exactly these.
"""

from __future__ import annotations

import re

from msgspec import Struct


class Analytics(Struct, frozen=True):
    """One provider; `{}` in `script` and `attributes` stands for the site's id.

    `script` is the address of its script; an empty one says that ours calls it (`parts/NAME.js`).
    `scripts` and `connects` are the sources that it is loaded from, and that it tells.
    """

    meaning: str
    example: str
    pattern: str
    script: str
    attributes: tuple[tuple[str, str], ...]
    scripts: tuple[str, ...]
    connects: tuple[str, ...]

    def fits(self, id: str) -> bool:
        """Tell whether this can be an id of the provider."""
        return re.fullmatch(self.pattern, id) is not None


_HOST = r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?"
_UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
PROVIDERS = {
    "plausible": Analytics(
        "Plausible: the site's domain there.",
        "docs.example.com",
        _HOST,
        "https://plausible.io/js/script.js",
        (("data-domain", "{}"),),
        ("https://plausible.io",),
        ("https://plausible.io",),
    ),
    "fathom": Analytics(
        "Fathom: the site's id, eight capital letters.",
        "ABCDEFGH",
        r"[A-Z]{8}",
        "https://cdn.usefathom.com/script.js",
        (("data-site", "{}"),),
        ("https://cdn.usefathom.com",),
        ("https://cdn.usefathom.com",),
    ),
    "umami": Analytics(
        "Umami Cloud: the website's id.",
        "0c1e5b52-5f1c-4c55-9f0a-8d5b7d7a6f10",
        _UUID,
        "https://cloud.umami.is/script.js",
        (("data-website-id", "{}"),),
        ("https://cloud.umami.is",),
        ("https://cloud.umami.is", "https://api-gateway.umami.dev"),
    ),
    "simple-analytics": Analytics(
        "Simple Analytics: the site's host.",
        "docs.example.com",
        _HOST,
        "https://scripts.simpleanalyticscdn.com/latest.js",
        (("data-hostname", "{}"),),
        ("https://scripts.simpleanalyticscdn.com",),
        ("https://queue.simpleanalyticscdn.com",),
    ),
    "goatcounter": Analytics(
        "GoatCounter: the code, as in `CODE.goatcounter.com`.",
        "example",
        r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?",
        "https://gc.zgo.at/count.js",
        (("data-goatcounter", "https://{}.goatcounter.com/count"),),
        ("https://gc.zgo.at",),
        ("https://{}.goatcounter.com",),
    ),
    "cloudflare": Analytics(
        "Cloudflare Web Analytics: the token, 32 digits.",
        "0123456789abcdef0123456789abcdef",
        r"[0-9a-f]{32}",
        "https://static.cloudflareinsights.com/beacon.min.js",
        (("data-cf-beacon", '{"token": "{}"}'),),
        ("https://static.cloudflareinsights.com",),
        ("https://cloudflareinsights.com",),
    ),
    "google": Analytics(
        "Google Analytics: the measurement id. It sets cookies, for which many laws want consent.",
        "G-ABC123DEF4",
        r"G-[A-Z0-9]{4,20}",
        "",
        (("data-id", "{}"),),
        ("https://www.googletagmanager.com",),
        (
            "https://www.googletagmanager.com",
            "https://*.google-analytics.com",
            "https://*.analytics.google.com",
        ),
    ),
}


class Widened(Struct, frozen=True):
    """Sources that providers add to the policy of pages: for scripts, and for what they tell."""

    scripts: tuple[str, ...] = ()
    connects: tuple[str, ...] = ()


def widened(analytics: dict[str, str]) -> Widened:
    """Return the sources that these providers, each with its id, need in the policy."""
    scripts = [each for name in analytics for each in PROVIDERS[name].scripts]
    connects = [each.replace("{}", id) for name, id in analytics.items() for each in PROVIDERS[name].connects]
    return Widened(tuple(dict.fromkeys(scripts)), tuple(dict.fromkeys(connects)))
