"""Compare folder and service with what both had last: three values decide what changed where.

Pages are compared whole, categories field by field. Without a base, nothing was ever there: a page on one
side only is new there, and two that differ are a conflict.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct

from server.authoring.structs import Category
from server.sync.side import FIELDS, PageState, Side, blank, is_blank, with_field


class Verdict(StrEnum):
    """The side on which something changed since the base."""

    SAME = "same"
    HERE = "here"
    THERE = "there"
    CONFLICT = "conflict"


def verdict(base: object, here: object, there: object) -> Verdict:
    """Compare one thing; None is nothing."""
    if here == there:
        return Verdict.SAME
    if there == base:
        return Verdict.HERE
    return Verdict.THERE if here == base else Verdict.CONFLICT


class PageChange(Struct, frozen=True):
    """A page that is not the same on both sides; None is no page."""

    path: str
    here: PageState | None
    there: PageState | None
    verdict: Verdict


class FieldChange(Struct, frozen=True):
    """A field of a category that is not the same on both sides; None is no value.

    `gone` is the side that says nothing about the folder any more, for which one has to ask expressly.
    """

    path: str
    name: str
    here: object
    there: object
    verdict: Verdict
    gone: bool = False


def compare_pages(base: Side, here: Side, there: Side) -> tuple[PageChange, ...]:
    """The pages that differ, sorted by path; those that cannot be compared are left out."""
    found = []
    for path in sorted({*base.pages, *here.pages, *there.pages}):
        if here.unread.hides_page(path) or there.unread.hides_page(path):
            continue
        told = verdict(base.content(path), here.content(path), there.content(path))
        if told is not Verdict.SAME:
            found.append(PageChange(path, here.pages.get(path), there.pages.get(path), told))
    return tuple(found)


def compare_categories(base: Side, here: Side, there: Side) -> tuple[FieldChange, ...]:
    """The fields of categories that differ, sorted by path."""
    found: list[FieldChange] = []
    for path in sorted({*base.categories, *here.categories, *there.categories}):
        if not (here.unread.hides_category(path) or there.unread.hides_category(path)):
            found += compare_category(base.category(path), here.category(path), there.category(path))
    return tuple(found)


def compare_category(base: Category, here: Category, there: Category) -> list[FieldChange]:
    """The fields of one category that differ."""
    found = []
    for name in FIELDS:
        values = getattr(base, name), getattr(here, name), getattr(there, name)
        told = verdict(*values)
        if told is not Verdict.SAME:
            changed = {Verdict.HERE: here, Verdict.THERE: there}.get(told)
            found.append(FieldChange(here.path, name, *values[1:], told, gone=_is_gone(changed)))
    return found


def _is_gone(changed: Category | None) -> bool:
    return changed is not None and is_blank(changed)


class Choice(Struct, frozen=True):
    """The paths of decided conflicts: for the folder's side (`ours`) or the service's (`theirs`)."""

    ours: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()

    def of(self, path: str) -> Verdict:
        """The side on which a conflict counts as changed."""
        if any(_covers(chosen, path) for chosen in self.ours):
            return Verdict.HERE
        if any(_covers(chosen, path) for chosen in self.theirs):
            return Verdict.THERE
        return Verdict.CONFLICT


def _covers(chosen: str, path: str) -> bool:
    return chosen in {".", path} or path.startswith(f"{chosen}/")


def decided(base: Side, here: Side, there: Side, choice: Choice) -> Side:
    """The base as if each decided conflict had been changed on the chosen side alone."""
    pages, categories = dict(base.pages), dict(base.categories)
    for page in only(compare_pages(base, here, there), Verdict.CONFLICT):
        chosen = choice.of(page.path)
        if chosen is not Verdict.CONFLICT:
            _put(pages, page.path, page.there if chosen is Verdict.HERE else known(page.here))
    for one in only(compare_categories(base, here, there), Verdict.CONFLICT):
        chosen = choice.of(one.path)
        if chosen is not Verdict.CONFLICT:
            value = one.there if chosen is Verdict.HERE else one.here
            categories[one.path] = with_field(categories.get(one.path) or blank(one.path), one.name, value)
    return Side(pages, categories, base.unread)


def known(here: PageState | None) -> PageState | None:
    """A page of the folder as the base has it: the base's revisions are those of the service."""
    return None if here is None else PageState(here.content)


def _put(pages: dict[str, PageState], path: str, state: PageState | None) -> None:
    if state is None:
        pages.pop(path, None)
    else:
        pages[path] = state


Change = TypeVar("Change", PageChange, FieldChange)


def only(changes: Iterable[Change], wanted: Verdict) -> list[Change]:
    """The changes with one verdict."""
    return [change for change in changes if change.verdict is wanted]
