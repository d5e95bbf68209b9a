"""Plans for the redirects of a site when one is added or removed, with sentences about what follows.

A page is never hidden by a redirect, none leads in a circle, and none leads to another one: where it would,
it leads to where that leads.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from builder.config import SiteConfig
from builder.diagnostics import did_you_mean
from builder.errors import TwinpressError
from builder.links import urls
from builder.links.resolved import Resolved
from builder.links.suggestions import Effort
from builder.links.table import LinkTable
from builder.plan.layout import HOME, lay_out
from builder.plan.make_shared import link_table
from builder.plan.patterns import Pattern, first, is_pattern, read_pattern
from builder.plan.redirects import NoAddress, encoded, output_of, path_of
from builder.site import CONFIG_FILE, REDIRECTS_FILE, Site
from builder.unicode import normal

_MOST_HOPS = 50


class RefusedRedirect(TwinpressError):
    """The redirect would hide a page, lead in a circle, or is none."""


class RedirectPlan(Struct, frozen=True):
    """The redirects that `site.yml` is to have, by old address, and sentences about them.

    `warnings` are about redirects that lead nowhere.
    """

    redirects: Mapping[str, str]
    said: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class AnsweringAddresses(Struct, frozen=True):
    """All that answers on a site but for its redirects: `outputs` are the files of its build."""

    config: SiteConfig
    links: LinkTable
    outputs: frozenset[str]

    @staticmethod
    def of(site: Site) -> AnsweringAddresses:
        """Look at a site that was loaded with its drafts."""
        bare = dataclasses.replace(site.config, redirects={}, redirect_lines={})
        layout = lay_out(replace(site, config=bare))
        return AnsweringAddresses(site.config, link_table(layout, drafts=False), layout.outputs)

    def file_at(self, path: str) -> str:
        """Return the output file that answers at a decoded path, "" for none."""
        return next((each for each in (output_of(path), path[1:]) if each in self.outputs), "")

    def resolve(self, target: str) -> Resolved:
        """Return where a target leads."""
        return self.links.resolve(target, HOME)


def add(answers: AnsweringAddresses, old: str, new: str) -> RedirectPlan:
    """Plan a redirect from an address of the site to another place. Raises RefusedRedirect."""
    rules, config = _Rules(answers), answers.config
    old = _old_address(old, new)
    refuse_hiding(answers, old)
    same = key_in(config.redirects, old)
    _refuse_foreign(config, same)
    target, said = rules.end_of(new, old)
    wanted: dict[str, str] = {}
    for each, leads in own_redirects(config).items():
        is_led = not is_pattern(old) and rules.key(leads) == _place(old)
        wanted[each] = target if each == same else _with_tail(target, leads) if is_led else leads
    if not same:
        wanted[old] = target
    return RedirectPlan(wanted, tuple(said), tuple(_nowhere(answers, target)))


def chains(
    answers: AnsweringAddresses, among: Collection[str] | None = None
) -> Iterator[tuple[str, str, str | None]]:
    """Yield each redirect that leads to another one: old address, target, and the end; None for a circle.

    One that leads to itself at once is left out: each build tells of it. With `among`, only these are looked
    at, by old address.
    """
    rules = _Rules(answers)
    for old, target in answers.config.redirects.items():
        if rules.key(target) == _place(old) or (among is not None and old not in among):
            continue
        try:
            end, _ = rules.end_of(_probed(target), _probed(old))
        except RefusedRedirect:
            yield old, target, None
            continue
        if end != _probed(target):
            yield old, target, end.replace(_PROBE, "*")


_PROBE = "tp-any"
_NAMES = re.compile(r"\*|(?<=/):[A-Za-z]\w*")


def _probed(address: str) -> str:
    """An address with a name in the place of what stands for any."""
    host, slashes, rest = address.partition("://")
    return f"{host}{slashes}{_NAMES.sub(_PROBE, rest)}" if slashes else _NAMES.sub(_PROBE, address)


def own_redirects(config: SiteConfig) -> dict[str, str]:
    """The redirects that stand in `site.yml` itself."""
    return {old: new for old, new in config.redirects.items() if old not in config.redirect_lines}


def with_own(config: SiteConfig, own: Mapping[str, str]) -> SiteConfig:
    """Return the settings with other redirects in `site.yml` itself; those of other files stay."""
    others = {old: target for old, target in config.redirects.items() if old in config.redirect_lines}
    return dataclasses.replace(config, redirects={**others, **own})


def remove(config: SiteConfig, old: str) -> RedirectPlan:
    """Plan to have no redirect from an address any more. Raises RefusedRedirect."""
    same = key_in(config.redirects, old)
    if not same:
        hint = did_you_mean(old, config.redirects) or "the list of redirects has all of them"
        raise RefusedRedirect("there is no redirect from this address", path=old, hint=hint)
    _refuse_foreign(config, same)
    rest = {each: leads for each, leads in own_redirects(config).items() if each != same}
    return RedirectPlan(rest)


def _old_address(old: str, new: str) -> str:
    """The old address as it stands in `site.yml`. Raises RefusedRedirect."""
    if is_pattern(old):
        try:
            read_pattern(old, new)
        except ValueError as fault:
            raise RefusedRedirect("this is no pattern that can lead on", path=old, hint=str(fault)) from None
        return old
    try:
        path = path_of(old)
    except NoAddress as fault:
        raise RefusedRedirect("this is no path from the site's root", path=old, hint=fault.hint) from None
    return path if "%" not in path else encoded(path)


def refuse_hiding(answers: AnsweringAddresses, old: str) -> None:
    """Refuse a redirect from the address of a page or a file; a pattern has none. Raises RefusedRedirect."""
    try:
        file = "" if is_pattern(old) else answers.file_at(path_of(old))
    except NoAddress:
        return  # a build says so
    if file:
        hint = "move it or delete it first"
        if file.endswith("/index.html"):
            hint += "; the list of a folder goes with the last page in it"
        raise RefusedRedirect(f"there is a page or file at this address, `{file}`", path=old, hint=hint)


def key_in(redirects: Mapping[str, str], old: str) -> str:
    """Return the old address as it is written among the redirects, "" when it is not there."""
    if old in redirects:
        return old
    wanted = _place(old)
    return next((each for each in redirects if not is_pattern(each) and _place(each) == wanted), "")


@lru_cache(maxsize=10_000)
def _place(address: str) -> str:
    return output_of(normal("NFC", unquote(address)))


def _refuse_foreign(config: SiteConfig, old: str) -> None:
    if line := config.redirect_lines.get(old):
        place = f"{REDIRECTS_FILE}:{line}"
        raise RefusedRedirect("this redirect stands in another file", path=place, hint="change it there")


def _with_tail(target: str, before: str) -> str:
    """The target with the fragment that a redirect led to, unless it has one of its own."""
    fragment = urlsplit(before).fragment
    return f"{target}#{fragment}" if fragment and "#" not in target else target


def _nowhere(answers: AnsweringAddresses, target: str) -> Iterator[str]:
    """Say that a target leads nowhere; names in it stand for whatever matches."""
    if ":" in urlsplit(target).path or "*" in target:
        return
    resolved = answers.resolve(target)
    if resolved.problem is not None:
        hint = answers.links.hint(resolved, Effort())
        yield f"{resolved.problem[1]}{f': {hint}' if hint else ''}"


class _Rules:
    """The redirects that there are, and where each leads."""

    def __init__(self, answers: AnsweringAddresses) -> None:
        self._answers = answers
        self._config = answers.config
        self._exact = {_place(old): new for old, new in self._config.redirects.items() if not is_pattern(old)}
        self._patterns = tuple(patterns_of(self._config.redirects))

    def key(self, target: str) -> str:
        """Return the output file at which a target of this site is looked for, "" for one elsewhere."""
        path = self._path(target)
        return output_of(path) if path else ""

    def end_of(self, new: str, old: str) -> tuple[str, list[str]]:
        """Follow redirects to their end, and say so. Raises RefusedRedirect for a circle."""
        if urls.safe(new) is None:
            raise RefusedRedirect(f"`{new}` is no address that may be linked", path=old)
        if not new.strip() or new.lstrip()[0] in "#?":
            hint = "write an address from the site's root, such as `/docs/a`"
            raise RefusedRedirect(f"`{new}` names no page", path=old, hint=hint)
        target = new
        for _ in range(_MOST_HOPS):
            self._refuse_circle(target, old)
            path = self._path(target)
            following = self._following(path) if path and ":" not in path else None
            if following is None:
                said = [f"`{new}` leads on, so it leads to `{target}` at once"] if target != new else []
                return target, said
            target = _with_tail(following, target)
        raise RefusedRedirect(f"`{new}` leads on for ever", path=old, hint="let it lead to a page")

    def _refuse_circle(self, target: str, old: str) -> None:
        path = self._path(target)
        meets = first([read_pattern(old, target)], path) if is_pattern(old) and path else None
        if (path and not is_pattern(old) and self.key(target) == _place(old)) or meets is not None:
            message = f"it would lead in a circle: `{target}` is where it begins"
            raise RefusedRedirect(message, path=old, hint="let it lead to a page")

    def _following(self, path: str) -> str | None:
        if self._answers.file_at(path) or self._answers.resolve(encoded(path)).problem is None:
            return None
        return self._exact.get(output_of(path)) or first(self._patterns, path)

    def _path(self, target: str) -> str:
        return _own_path(self._config.url, self._config.base_path, target)


@lru_cache(maxsize=10_000)
def _own_path(site: str, base: str, target: str) -> str:
    """The decoded path of a target of the site, "" for one elsewhere."""
    address = urls.safe(target) or ""
    if urls.external(address) and site and urls.below(address, site) is not None:
        address = urls.below(address, site) or "/"
    if urls.external(address) or not address.startswith("/"):
        return ""
    path = normal("NFC", unquote(urlsplit(address).path))
    return path[len(base) :] if base and path.startswith(f"{base}/") else path


def patterns_of(redirects: Mapping[str, str]) -> Iterator[Pattern]:
    """Yield the redirects for many addresses that can be read."""
    for old, new in redirects.items():
        if is_pattern(old):
            try:
                yield read_pattern(old, new)
            except ValueError:
                continue  # a check tells of it


def listed(config: SiteConfig) -> Sequence[tuple[str, str, str]]:
    """Return each redirect: its old address, its target, and the place where it is written."""
    return [(old, new, _written_at(config, old)) for old, new in config.redirects.items()]


def _written_at(config: SiteConfig, old: str) -> str:
    file, line, _ = config.redirect_place(old)
    return f"{file or CONFIG_FILE}:{line}" if line else file or CONFIG_FILE
