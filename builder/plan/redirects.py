"""Redirects of a site: old addresses, checked, and where they lead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote, unquote, urljoin, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.links import urls
from builder.links.resolved import Links
from builder.links.suggestions import Effort
from builder.links.table import GENERATED
from builder.paths import is_within
from builder.plan.output_registry import Registry
from builder.plan.patterns import MOST, Pattern, is_pattern, read_pattern
from builder.unicode import normal


class Redirect(Struct, frozen=True):
    """`source` and `target` are as written, `path` is the old address from the site's root, decoded.

    `output` is the file that answers there. Without `has_page` there is no such file, and rules alone lead
    on: a system that knows no case would write it over another one.
    """

    source: str
    path: str
    output: str
    target: str
    has_page: bool = True

    @property
    def url(self) -> str:
        """The old address from the site's root, percent-encoded."""
        return encoded(self.path)


def claim_redirects(config: SiteConfig, registry: Registry, found: list[Diagnostic]) -> tuple[Redirect, ...]:
    """Return the rules for one address that make sense, have a place and arrive; claim their places."""
    claimed = tuple(_claimed(config, registry, found))
    return tuple(_that_arrive(config, claimed, found))


def _claimed(config: SiteConfig, registry: Registry, found: list[Diagnostic]) -> Iterator[Redirect]:
    rules: set[str] = set()
    written: dict[str, str] = {}
    files = Registry()
    for name in GENERATED:
        files.claim(name, "a file that the build makes")
    for redirect in _read_redirects(config, found):
        if registry.has_in_other_case(redirect.output) and redirect.output not in rules:
            rules.add(redirect.output)
            found.append(_without_page(config, redirect))
            yield replace(redirect, has_page=False)
        elif written.get(redirect.output) == redirect.target:  # another form of an address that leads there
            yield replace(redirect, has_page=False)
        elif conflict := _conflict(redirect, registry, files):
            found.append(_left_out(config, redirect, conflict, is_page=redirect.output not in written))
        else:
            written[redirect.output] = redirect.target
            yield redirect


def _conflict(redirect: Redirect, registry: Registry, files: Registry) -> Diagnostic | None:
    """Return what is wrong with the place of a redirect; claim it when nothing is."""
    source = f"the redirect from {redirect.source}"
    # Hosts that apply redirects first would send readers away from a file at the old address itself.
    file = redirect.path[1:]
    taken = registry.taken(file, source) or files.taken(file, source)
    return taken or registry.claim(redirect.output, source)


def _left_out(config: SiteConfig, redirect: Redirect, conflict: Diagnostic, *, is_page: bool) -> Diagnostic:
    """Return the fault at its place; hosts pass over a rule of their file where there is a page."""
    file, line, column = config.redirect_place(redirect.source)
    placed = replace(conflict, file=file, line=line, column=column)
    is_rule = is_page and redirect.source in config.redirect_lines
    return replace(placed, code="redirect-rule", hint="remove the rule, or the page") if is_rule else placed


def _without_page(config: SiteConfig, redirect: Redirect) -> Diagnostic:
    taken = "another address differs from it by case alone, so no page leads on"
    message = f"redirect from `{redirect.source}`: {taken}"
    hint = "hosts that read the rules of redirects follow it"
    return Diagnostic(*config.redirect_place(redirect.source), "redirect-case", message, hint)


def _read_redirects(config: SiteConfig, found: list[Diagnostic]) -> Iterator[Redirect]:
    """The rules that make sense; each other one is put into `found`."""
    for source, target in config.redirects.items():
        if is_pattern(source):
            continue
        try:
            path = path_of(source)
        except NoAddress as fault:
            found.append(_invalid(config, source, "this is no path from the site's root", fault.hint))
            continue
        if urls.safe(target) is None:
            found.append(_invalid(config, source, f"`{target}` is no address that may be linked"))
        else:
            yield Redirect(source, path, output_of(path), target)


def read_patterns(config: SiteConfig, found: list[Diagnostic]) -> Iterator[Pattern]:
    """The rules for many addresses that make sense; each other one is put into `found`."""
    count = 0
    for source, target in config.redirects.items():
        if not is_pattern(source):
            continue
        try:
            pattern = _pattern(config, source, target)
        except ValueError as fault:
            wrong = _invalid(config, source, "this is no pattern that can lead on", str(fault))
            # A file that was made for one host has rules that only that host knows.
            is_rule = source in config.redirect_lines
            found.append(replace(wrong, code="redirect-rule") if is_rule else wrong)
            continue
        count += 1
        if count > MOST:
            found.append(_invalid(config, source, f"there are more than {MOST:,} patterns", "use fewer"))
            return
        yield pattern


def _pattern(config: SiteConfig, source: str, target: str) -> Pattern:
    pattern = read_pattern(source, target)
    if urls.safe(target) is None or any(char.isspace() for char in target):
        raise ValueError(f"`{target}` is no address that may be linked")
    place = _place(pattern.target, config.docs_at)
    if place.startswith("/") and any(pattern.match(urlsplit(each).path) for each in (target, place)):
        raise ValueError("it leads to itself: let the target lie elsewhere")
    return pattern if pattern.is_single else replace(pattern, target=place)


def _place(target: str, docs_at: str) -> str:
    """The target where the documentation lies."""
    inside = target.removeprefix("/docs/")
    return target if inside == target else f"{docs_at.rstrip('/')}/{inside}"


def leads_to(rule: Redirect | Pattern, config: SiteConfig, links: Links) -> str:
    """Return the address to which a rule leads, with the base path; names stand in it for what matched."""
    if isinstance(rule, Redirect) or rule.is_single:
        return links.resolve(rule.target, "pages/index").href
    prefixes = (config.base_path, *config.served_elsewhere)
    below = any(is_within(rule.target, prefix) for prefix in prefixes if prefix)
    return rule.target if below or not rule.target.startswith("/") else f"{config.base_path}{rule.target}"


def _that_arrive(
    config: SiteConfig, redirects: Sequence[Redirect], found: list[Diagnostic]
) -> Iterator[Redirect]:
    """The rules that lead out of the redirects; each that goes round for ever is put into `found`."""
    leads = {redirect.output: target_output(config, redirect.target) for redirect in redirects}
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


def check_redirects(
    config: SiteConfig, targets: Iterable[tuple[str, str]], links: Links
) -> Iterator[Diagnostic]:
    """Yield the faults of targets, each behind the old address as written, now that all pages are known."""
    effort = Effort()
    for source, target in targets:
        resolved = links.resolve(target, "pages/index")
        if resolved.problem is not None:
            hint = links.hint(resolved, effort)
            yield _invalid(config, source, resolved.problem[1], hint)


def target_output(config: SiteConfig, target: str) -> str:
    """Return the output path of a target, an empty text when that is not on this site."""
    address = (urls.safe(target) or "").removeprefix(f"{config.url}/")
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
    place = config.redirect_place(source)
    shown = source if source.isprintable() else ascii(source)[1:-1]
    return Diagnostic(*place, "redirect-invalid", f"redirect from `{shown}`: {message}", hint)


_KEEP = "/:@!$&'()*+,;=~"
_SIGNS = {"\\": "a backslash", "?": "`?`", "#": "`#`", "*": "`*`", ":": "`:`"}
"""What hosts take for something else in a rule, or cannot be in a file's name everywhere."""


_LONGEST_NAME, _LONGEST_PATH = 255, 1024
"""Bytes of a file's name as systems have them, and of a path from the site's root as hosts do."""


class NoAddress(Exception):
    """The text is no old address; `hint` says the way out."""

    def __init__(self, hint: str) -> None:
        super().__init__(hint)
        self.hint = hint


def path_of(source: str) -> str:
    """The decoded path from the site's root: `/alt%20x` and `/alt x` are `/alt x`. Raises NoAddress."""
    if urls.external(source) and not source.startswith("/"):
        path = urlsplit(source).path if urls.safe(source) else ""
        raise NoAddress(f"write the path alone: `{path or '/old'}`")
    path = normal("NFC", unquote(source))
    if not path.startswith("/"):
        raise NoAddress(f"write `/{source}`")
    fault = _fault(path)
    if fault:
        raise NoAddress(fault)
    return path


def encoded(path: str) -> str:
    """A decoded path as browsers ask for it."""
    return quote(path, safe=_KEEP)


def output_of(path: str) -> str:
    """The output path that answers at a decoded path: `/old` and `/old.html` are `old.html`."""
    place = path[1:].removesuffix(".html")
    return f"{place}index.html" if not place or place.endswith("/") else f"{place}.html"


def other_form(output: str) -> str:
    """Return the output path of an address's other form: hosts show `a.html` and `a/index.html` at both."""
    folder = output.removesuffix("/index.html")
    return f"{folder}.html" if folder != output else f"{output.removesuffix('.html')}/index.html"


def _fault(path: str) -> str:
    """A hint when no file of the build can answer at this path, else an empty text."""
    parts = path.removesuffix("/").split("/")[1:]
    sign = next((name for char, name in _SIGNS.items() if char in path), "")
    if not parts:
        return "make `pages/index.mdx` for the home page, and link from there"
    if "" in parts:
        return "write one slash between two names"
    if {".", ".."} & set(parts):
        return "write the whole path, without `.` and `..`"
    if "\ufffd" in path:
        return "what is percent-encoded must be UTF-8"
    if sign:
        return f"leave {sign} out: a redirect is for one path, without a pattern or a query"
    if not path.isprintable():
        return "leave out the characters that are invisible"
    return "make it shorter: no file can have such a name" if _is_long(output_of(path)) else ""


def _is_long(output: str) -> bool:
    size = len(output.encode())
    return size > _LONGEST_PATH or max(len(name.encode()) for name in output.split("/")) > _LONGEST_NAME
