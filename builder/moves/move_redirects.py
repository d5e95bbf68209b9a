"""The redirects of a site after moves: one from each address that readers know and that answers no more.

    layout before, layout now, what has moved -> addresses that are lost -> redirects, one after the other

It does not matter what came between the two layouts: an address that a page had for a moment is none that
readers know, and a redirect from there stays as it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from builder import paths
from builder.config import SiteConfig
from builder.moves import redirect_plan
from builder.moves.moved_places import MovedPlaces
from builder.moves.redirect_plan import AnsweringAddresses, RefusedRedirect, patterns_of
from builder.moves.relocation import Relocation
from builder.plan.addresses import addresses_of
from builder.plan.layout import Layout, with_redirect_rules
from builder.plan.make_shared import link_table
from builder.plan.patterns import Pattern, first, is_pattern
from builder.plan.redirects import NoAddress, encoded, other_form, output_of, path_of
from builder.plan.vanished import VanishedAddress, vanished_addresses

_MOST_LINES = 200
"""Redirects of one line each; a folder with more addresses gets one for all of them."""


class MoveRedirects(Struct, frozen=True):
    """Plans the redirects between two layouts, both without redirects, of which `places` have moved.

    `arrived` are the files of all that has moved, as they are named now: those too that leave no redirect.
    """

    before: Layout
    now: Layout
    moved: Relocation
    places: MovedPlaces
    arrived: frozenset[str]

    def planned(
        self, config: SiteConfig, known: Mapping[str, str], *, add: bool
    ) -> tuple[dict[str, str], tuple[str, ...]]:
        """Return the redirects that `site.yml` is to have in the place of those that are `known` there.

        Those stay at whose address nothing has moved. With `add` there are new ones; sentences say why one
        is missing.
        """
        settings = redirect_plan.with_own(config, known)
        answers = AnsweringAddresses(settings, link_table(self.now, drafts=False), self.now.outputs)
        come = frozenset(self._come()) - self.before.outputs
        wanted = {old: new for old, new in known.items() if not _is_taken(come, old)}
        said: list[str] = []
        for lost in self._lost(settings) if add else ():
            now = redirect_plan.with_own(settings, wanted)
            old, target = unquote(lost.address), unquote(lost.target or "")
            try:
                wanted = dict(redirect_plan.add(replace(answers, config=now), old, target).redirects)
            except RefusedRedirect as refused:
                said.append(f"no redirect from `{old}`: {refused.message}")
        return wanted, tuple(said)

    def _come(self) -> Iterator[str]:
        """Yield the outputs of all that has moved, and of the lists that a build makes of its folders."""
        pages = [page for page in self.now.site.pages if page.file in self.arrived]
        for page in pages:
            yield from page.outputs
        yield from (file.output for file in self.now.site.files if file.file in self.arrived)
        for category, _ in self.now.generated:
            if any(paths.is_within(page.path, category.path) for page in pages):
                yield output_of(category.url)

    def _lost(self, settings: SiteConfig) -> Iterator[VanishedAddress]:
        """Yield the addresses that answer no more, each with where it is to lead."""
        rules = {old: new for old, new in settings.redirects.items() if not is_pattern(old)}
        patterns = tuple(patterns_of(settings.redirects))
        exact = dataclasses.replace(settings, redirects=rules)
        pairs = (*self.places.pages.values(), *self.places.outputs.values())
        moved = {**dict(self._left_folders()), **{encoded(old.url): encoded(new.url) for old, new in pairs}}
        before, now = (addresses_of(with_redirect_rules(each, exact)) for each in (self.before, self.now))
        lost = [
            one
            for one in vanished_addresses(before, now, moved)
            if one.address in moved and one.target and not _leads(patterns, one)
        ]
        yield from self._together(lost, settings) if len(lost) > _MOST_LINES else lost

    def _together(self, lost: list[VanishedAddress], settings: SiteConfig) -> Iterator[VanishedAddress]:
        """Yield one address for all of a folder that has moved, and those that it is not right for.

        Where a page is below that folder by now, hosts that follow redirects first would hide it.
        """
        folders = list(self.moved.folders.items())
        if len(folders) != 1 or "slug" in settings.extras:
            yield from lost
            return
        old, new = (encoded(paths.url(path, paths.place_of(path, settings.docs_at))) for path in folders[0])
        if any(output.startswith(f"{unquote(old)[1:]}/") for output in self.now.outputs):
            yield from lost
            return
        yield VanishedAddress(f"{old}/*", f"{new}/*")
        for one in lost:
            if not one.address.startswith(f"{old}/") or one.target != new + one.address[len(old) :]:
                yield one

    def _left_folders(self) -> Iterator[tuple[str, str]]:
        """Yield the address of the page that a build makes of a folder, and of a page that leaves it."""
        pages = self.places.pages
        for old, new in (pages[path] for path in self.moved.pages if path in pages):
            for category, _ in self.before.generated:
                if new.url and paths.is_within(old.path, category.path):
                    yield encoded(category.url), encoded(new.url)


def _is_taken(outputs: frozenset[str], old: str) -> bool:
    """Return whether one of these files of a build answers at an old address, in any of its forms."""
    if is_pattern(old):
        return False
    try:
        path = path_of(old)
    except NoAddress:
        return False
    output = output_of(path)
    return not {output, other_form(output), path[1:]}.isdisjoint(outputs)


def _leads(patterns: tuple[Pattern, ...], lost: VanishedAddress) -> bool:
    """Return whether a pattern leads from an address to where it is to lead."""
    found = first(patterns, unquote(lost.address))
    return found is not None and unquote(found) == unquote(lost.target or "")
