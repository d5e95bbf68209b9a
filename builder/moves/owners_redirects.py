"""The redirects of a site that its owner alone adds, changes and removes: no key takes their place.

These are redirects to other hosts, patterns at the root, all below `/.well-known`, where programs trust the
answer, and those that stand in `static/_redirects`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from urllib.parse import unquote

from builder.config import SiteConfig
from builder.links import urls
from builder.moves import redirect_plan
from builder.moves.redirect_plan import RefusedRedirect, own_redirects
from builder.plan.patterns import is_pattern, overlap, read_pattern
from builder.plan.redirects import NoAddress, output_of, path_of, target_output
from builder.site import REDIRECTS_FILE

_WELL_KNOWN = ".well-known"


class OwnersRedirect(RefusedRedirect):
    """The redirect is one that the owner of the site alone may add, change or remove."""


def owners_alone(config: SiteConfig, old: str, target: str) -> str:
    """Return why a redirect is the owner's alone, "" for one that keys may change."""
    return _alone(config.url, old, target)


@lru_cache(maxsize=10_000)
def _alone(site: str, old: str, target: str) -> str:
    first = unquote(unquote(old).removeprefix("/").partition("/")[0])
    if is_pattern(old) and first.startswith((":", "*")):
        return "a pattern at the root stands for the whole site"
    if _may_be(first.casefold(), _WELL_KNOWN):
        return "programs that ask below `/.well-known` trust the answer"
    if urls.safe(target) is None:
        return f"`{target}` is no address that may be linked"
    return "it leads to another host" if _is_elsewhere(site, target) else ""


def refuse_owners(config: SiteConfig, among: Iterable[str]) -> None:
    """Raise OwnersRedirect where one of these redirects of the site is the owner's alone."""
    known = own_redirects(config)
    for old in sorted(among):
        refuse(old, owners_alone(config, old, known[old]))


def refuse_in_place_of_owners(owned: Mapping[str, str], address: str) -> None:
    """Raise OwnersRedirect where a page here would answer for one of the `owned`, see `owners_places`.

    Patterns answer where there is no page, whatever they lead to.
    """
    if why := owned.get(_bare(address)):
        message = f"a redirect answers here that is the owner's alone: {why}"
        hint = "use another name, or ask the owner of the site"
        raise OwnersRedirect(message, path=address, hint=hint)


def owners_places(config: SiteConfig) -> Mapping[str, str]:
    """Return the places of redirects of one address that are the owner's alone, each with why."""
    every = ((old, _owned(config, old, to)) for old, to in config.redirects.items())
    return {_bare(old): why for old, why in every if why and _is_address(old)}


def redirect_in_place(config: SiteConfig, places: Mapping[str, Sequence[str]], address: str) -> str:
    """Return the redirect that leads away from the address of a page, in any of its forms, "" for none.

    `places` are those of `redirect_places`. One from another form may lead to the page itself.
    """
    output = output_of(address)
    for old in places.get(_bare(address), ()):
        if output_of(path_of(old)) == output or target_output(config, config.redirects[old]) != output:
            return old
    return ""


def redirect_places(redirects: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Return redirects of one address by what all forms of that have in common."""
    found: dict[str, list[str]] = {}
    for old in filter(_is_address, redirects):
        found.setdefault(_bare(old), []).append(old)
    return found


def leads_elsewhere(config: SiteConfig, target: str) -> bool:
    """Return whether a target is on another host."""
    return _is_elsewhere(config.url, target)


def _is_elsewhere(site: str, target: str) -> bool:
    address = urls.safe(target) or ""
    return urls.external(address) and not (site and urls.below(address, site) is not None)


def refuse_touching(config: SiteConfig, old: str) -> None:
    """Refuse to touch a redirect that there is, and that is the owner's alone."""
    there = redirect_plan.key_in(config.redirects, old)
    if there:
        refuse(old, owners_alone(config, there, config.redirects[there]))


def refuse_before_owners(config: SiteConfig, old: str) -> None:
    """Refuse a redirect that would answer in the place of one that is the owner's alone.

    One address is looked up before all patterns, and its two forms lead to one place; patterns of `site.yml`
    come before those of other files.
    """
    for there, target in config.redirects.items():
        if there != old and (why := _owned(config, there, target)) and _answers(config, there, old):
            refuse(old, f"`{there}` answers here, and {why}")


def _owned(config: SiteConfig, old: str, target: str) -> str:
    """Return why a redirect of the site is the owner's, "" for any other. Patterns of a file yield to all."""
    is_rule = old in config.redirect_lines and not is_pattern(old)
    return owners_alone(config, old, target) or (f"it stands in `{REDIRECTS_FILE}`" if is_rule else "")


def _may_be(first: str, name: str) -> bool:
    """Return whether the first name of an address may be `name`."""
    start, star, _ = first.partition("*")
    return name.startswith(start) if star else first == name


def _answers(config: SiteConfig, there: str, old: str) -> bool:
    """Return whether a redirect that is there may answer what `old` is to answer."""
    try:
        if not is_pattern(there):
            return not is_pattern(old) and _bare(there) == _bare(old)
        known = read_pattern(there, "/")
        if is_pattern(old):
            return there in config.redirect_lines and overlap(known, read_pattern(old, "/"))
        return known.match(path_of(old)) is not None
    except (ValueError, NoAddress):
        return False  # it answers nothing, or adding it says why


def _bare(address: str) -> str:
    """Return an address without what tells its forms apart: `/a`, `/a/`, `/a.html` and `/a/index.html`."""
    return output_of(path_of(address)).removesuffix("/index.html").removesuffix(".html")


def _is_address(old: str) -> bool:
    """Return whether this is one address from the site's root."""
    if is_pattern(old):
        return False
    try:
        path_of(old)
    except NoAddress:
        return False
    return True


def refuse(old: str, why: str) -> None:
    """Raise OwnersRedirect for a redirect, unless `why` is empty."""
    if why:
        hint = "ask the owner of the site, who changes it in `site.yml`"
        raise OwnersRedirect(f"this redirect is the owner's alone: {why}", path=old, hint=hint)
