"""Small files with a name that others look for: `robots.txt`, `_redirects`."""

from __future__ import annotations

from collections.abc import Mapping


def robots(url: str) -> str:
    """`robots.txt`: everything may be read; names the sitemap when the site's address is known."""
    return "User-agent: *\nAllow: /\n" + (f"\nSitemap: {url}/sitemap.xml\n" if url else "")


def redirects(rules: Mapping[str, str]) -> str:
    """`_redirects` as Netlify and Cloudflare Pages read it: from, to, status."""
    return "".join(f"{old} {new} 301\n" for old, new in rules.items())
