"""Redirects from `site.yml`: old addresses that lead to new ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import unquote, urljoin, urlsplit

from msgspec import Struct

from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.links import urls
from builder.links.resolved import Links
from builder.links.suggestions import Effort
from builder.plan.old_address import NoAddress, encoded, output_of, path_of
from builder.site import CONFIG_FILE
from builder.unicode import normal


class Redirect(Struct, frozen=True):
    """`source` and `target` are as written, `path` is the old address from the site's root, decoded.

    `output` is the file that answers there.
    """

    source: str
    path: str
    output: str
    target: str

    @property
    def url(self) -> str:
        """The old address from the site's root, percent-encoded."""
        return encoded(self.path)


def read_redirects(config: SiteConfig, found: list[Diagnostic]) -> Iterator[Redirect]:
    """The rules that make sense; each other one is put into `found`."""
    for source, target in config.redirects.items():
        try:
            path = path_of(source)
        except NoAddress as fault:
            found.append(_invalid(config, source, "this is no path from the site's root", fault.hint))
            continue
        if urls.safe(target) is None:
            found.append(_invalid(config, source, f"`{target}` is no address that may be linked"))
        else:
            yield Redirect(source, path, output_of(path), target)


def that_arrive(
    config: SiteConfig, redirects: Sequence[Redirect], found: list[Diagnostic]
) -> Iterator[Redirect]:
    """The rules that lead out of the redirects; each that goes round for ever is put into `found`."""
    leads = {redirect.output: _leads_to(config, redirect) for redirect in redirects}
    lost = _lost(leads)
    for redirect in redirects:
        if redirect.output not in lost:
            yield redirect
        elif leads[redirect.output] == redirect.output:
            hint = "let it lead to a page, or remove it"
            found.append(_invalid(config, redirect.source, "it leads to itself", hint))
        else:
            message = f"it never arrives: `{redirect.target}` leads on, in a circle"
            found.append(_invalid(config, redirect.source, message, "let one of the circle lead to a page"))


def check_redirects(config: SiteConfig, redirects: Iterable[Redirect], links: Links) -> Iterator[Diagnostic]:
    """What is wrong with the targets, now that all pages are known."""
    effort = Effort()
    for redirect in redirects:
        resolved = links.resolve(redirect.target, "pages/index")
        if resolved.problem is not None:
            hint = links.hint(resolved, effort)
            yield _invalid(config, redirect.source, resolved.problem[1], hint)


def _leads_to(config: SiteConfig, redirect: Redirect) -> str:
    """The output path of the target, an empty text when that is not on this site."""
    address = (urls.safe(redirect.target) or "").removeprefix(f"{config.url}/")
    if urls.external(address):
        return ""
    path = normal("NFC", unquote(urlsplit(urljoin("/", address)).path))
    base = config.base_path
    return output_of(path.removeprefix(base) if base and path.startswith(f"{base}/") else path)


def _lost(leads: dict[str, str]) -> set[str]:
    """The outputs from which the way never ends; each is walked once."""
    lost: set[str] = set()
    done: set[str] = set()
    for start in leads:
        way: dict[str, None] = {}
        place = start
        while place in leads and place not in done and place not in way:
            way[place] = None
            place = leads[place]
        if place in way or place in lost:
            lost.update(way)
        done.update(way)
    return lost


def _invalid(config: SiteConfig, source: str, message: str, hint: str = "") -> Diagnostic:
    place = config.place(f"redirects.{source}")
    shown = source if source.isprintable() else ascii(source)[1:-1]
    return Diagnostic(CONFIG_FILE, *place, "redirect-invalid", f"redirect from `{shown}`: {message}", hint)
