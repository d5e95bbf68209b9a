"""Redirects from `site.yml`: old addresses that lead to new ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from builder import urls
from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.linktable import LinkTable
from builder.site import CONFIG_FILE


@dataclass(frozen=True, slots=True)
class Redirect:
    """`source` is a path from the site's root, `output` the file that answers there, `target` as written."""

    source: str
    output: str
    target: str


def read_redirects(config: SiteConfig, found: list[Diagnostic]) -> Iterator[Redirect]:
    """The rules that make sense; each other one is put into `found`."""
    for source, target in config.redirects.items():
        if not _is_path(source):
            found.append(_invalid(config, source, f"`{source}` is no path from the site's root"))
        elif urls.safe(target) is None:
            found.append(_invalid(config, source, f"`{target}` is no address that may be linked"))
        else:
            yield Redirect(source, _output(source), target)


def check_redirects(
    config: SiteConfig, redirects: Iterable[Redirect], links: LinkTable
) -> Iterator[Diagnostic]:
    """What is wrong with the targets, now that all pages are known."""
    for redirect in redirects:
        resolved = links.resolve(redirect.target, "pages/index")
        if resolved.problem is not None:
            _, message, hint = resolved.problem
            yield _invalid(config, redirect.source, message, hint)


def _is_path(source: str) -> bool:
    parts = source.split("/")
    inner = parts[1:-1] if parts[-1] == "" else parts[1:]
    clean = all(part not in {"", ".", ".."} and part.isprintable() for part in inner)
    return source.startswith("/") and bool(inner) and clean and not set(source) & set("\\?#*: ")


def _output(source: str) -> str:
    path = source[1:].removesuffix(".html")
    return f"{path}index.html" if path.endswith("/") else f"{path}.html"


def _invalid(config: SiteConfig, source: str, message: str, hint: str = "") -> Diagnostic:
    place = config.place(f"redirects.{source}")
    return Diagnostic(CONFIG_FILE, *place, "redirect-invalid", f"redirect from `{source}`: {message}", hint)
