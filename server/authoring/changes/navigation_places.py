"""The places of pages in the navigation as answers tell them, with the way to add what is missing."""

from __future__ import annotations

from collections.abc import Mapping

from builder.review.reader_places import ReaderPlace, Unlisted
from builder.site import SETTINGS
from server.authoring.changes.change_results import NavigationPlace

_ASK = "ask the owner to add it: this key may not change the navigation"
_ADD = "add it with the operation `navigation` of `POST /ai/changes`, or `PUT /ai/navigation`"
_NOTES: Mapping[Unlisted, str] = {
    "": "",
    "draft": "a draft: readers do not get it before `draft` is removed from its frontmatter",
    "unlisted": "`unlisted: true` keeps it out of the sidebar, lists and search: readers come by links",
    "home": "the site's home page, at `/`",
}


def navigation_place(path: str, place: ReaderPlace, *, may_change: bool) -> NavigationPlace:
    """Return the place of a page as a key is told it that `may_change` the navigation."""
    found = place.sidebar
    return NavigationPlace(
        sidebar=list(found.labels) if found else [],
        position=found.position if found else None,
        siblings=found.siblings if found else None,
        linked_in=list(place.linked_in),
        note=_note(path, place, _ADD if may_change else _ASK),
    )


def _note(path: str, place: ReaderPlace, way: str) -> str:
    if place.why == "left-out":
        file = place.sidebar_file or "the sidebar"
        return f"`{file}` does not name `{path}`, so that no sidebar has it: {way}"
    if place.why == "standalone":
        if place.linked_in:
            return "a standalone page: the sidebar has none of them"
        return f"a standalone page, to which neither header nor footer leads: {way}"
    return _NOTES[place.why]


def followed(links: Mapping[str, int]) -> list[str]:
    """Return a sentence for each file of settings whose entries follow what has moved."""
    found = ((file, links[file]) for file in SETTINGS if file in links)
    return [
        f"`{file}`: {number} {'entry' if number == 1 else 'entries'} of header, footer, sidebar or redirects "
        f"{'names' if number == 1 else 'name'} the new place now"
        for file, number in found
    ]
