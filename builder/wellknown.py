"""Files with a name that others look for: `sitemap.xml`, `robots.txt`, `_redirects`, `.nojekyll`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape


def sitemap(addresses: Iterable[str]) -> str:
    """`sitemap.xml` (sitemaps.org, protocol 0.9) of absolute addresses."""
    entries = "".join(f"<url><loc>{escape(address, quote=False)}</loc></url>\n" for address in addresses)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return f"{head}{entries}</urlset>\n"


def robots(url: str) -> str:
    """`robots.txt`: everything may be read; names the sitemap when the site's address is known."""
    return "User-agent: *\nAllow: /\n" + (f"\nSitemap: {url}/sitemap.xml\n" if url else "")


def redirects(rules: Mapping[str, str]) -> str:
    """`_redirects` as Netlify and Cloudflare Pages read it: from, to, status."""
    return "".join(f"{old} {new} 301\n" for old, new in rules.items())
