"""The entries that a site may put into the head of its pages, and how each is written there."""

from __future__ import annotations

VERIFIES = "Proves to {} that the site is yours: the text that it gave you."
CANONICAL = "canonical"
NAMES = {
    CANONICAL: "The address of the original, where this site is a copy, as in `https://docs.example.com`: "
    "the canonical links of all pages begin with it.",
    "google-site-verification": VERIFIES.format("Google Search Console"),
    "msvalidate.01": VERIFIES.format("Bing Webmaster Tools"),
    "yandex-verification": VERIFIES.format("Yandex Webmaster"),
    "baidu-site-verification": VERIFIES.format("Baidu"),
    "naver-site-verification": VERIFIES.format("Naver"),
    "ahrefs-site-verification": VERIFIES.format("Ahrefs"),
    "facebook-domain-verification": VERIFIES.format("Meta"),
    "p:domain_verify": VERIFIES.format("Pinterest"),
    "author": "Who wrote the site.",
    "keywords": "Words about the site, with commas between them; most search engines do not look.",
    "application-name": "The name of the site as an application.",
    "apple-mobile-web-app-title": "Its name on the home screen of an iPhone.",
    "og:locale": "The language of previews, as in `en_GB`.",
    "og:image:alt": "A description of the `social_image`.",
    "article:publisher": "The publisher's page on Facebook.",
    "fb:app_id": "The id of an application on Facebook.",
    "twitter:site": "The account of the site on X, as in `@example`.",
    "twitter:creator": "The account of the author on X.",
}
"""Each name, with its meaning."""


def is_property(name: str) -> bool:
    """Tell whether a name belongs to the Open Graph vocabulary, whose tags have `property` for `name`."""
    return name.startswith(("og:", "article:", "fb:"))
