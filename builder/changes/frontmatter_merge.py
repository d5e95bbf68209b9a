"""Frontmatter that GET could not give is not lost unawares when a page is replaced.

A client that sends what GET gave changes nothing. One that sends other frontmatter replaces all of it: what
it could not see is kept where that can be, and told where it cannot. A draft that it could not see stays
one; a draft that it could see is published when `draft` is left out, and that is told.
"""

from __future__ import annotations

from msgspec import Struct

from builder.frontmatter import Document, split
from builder.frontmatter.join import Rescued, join, left_out, rescue
from builder.frontmatter.meta import meta
from builder.yaml.write import same

_SHOWN = 5


class Unasked(Struct, frozen=True):
    """Something that was done though the request does not say so."""

    code: str
    message: str
    hint: str


class Joined(Struct, frozen=True):
    """A page's text, and what was done to its frontmatter unasked."""

    text: str
    changes: tuple[Unasked, ...] = ()


def join_all(values: dict[str, object], body: str, old: str, before: Document, *, seen: bool) -> Joined:
    """The page's text with these values instead of those of `old`, which `before` is.

    Not `seen` is a page of which GET gives nothing. Raises ValueError.
    """
    wanted, told = _wanted(values, old, before, seen=seen)
    text = join(wanted, body, old)
    draft = split(text, "").meta.draft
    if _hides_draft(before, values, seen=seen):
        text = text if draft else join({**wanted, "draft": True}, body, old)
        told += [] if draft and not told else [_DRAFT]
    elif before.meta.draft and not draft and values.get("draft") is None:
        told.append(_PUBLISHED)
    return Joined(text, tuple(told))


def _wanted(
    values: dict[str, object], old: str, before: Document, *, seen: bool
) -> tuple[dict[str, object], list[Unasked]]:
    """These values with those that are kept besides, and what is told of the old ones."""
    if seen and values == before.frontmatter and same(values, before.frontmatter):
        return values, []
    rescued = _rescued(old, before, seen=seen)
    told = _dropped(old, values) if seen and not rescued.fault else _replaced(rescued, values)
    return {**rescued.values, **values}, told


def _hides_draft(before: Document, values: dict[str, object], *, seen: bool) -> bool:
    """Return whether a page is kept out for a reason that GET hides and the request does not change."""
    given = before.frontmatter if seen else {}
    said = values.get("draft") is not None and values["draft"] != given.get("draft")
    return before.meta.draft and not meta(given).draft and not said


_DRAFT = Unasked(
    "draft-kept",
    "the page was kept out of builds by frontmatter that GET did not give; it is a draft still",
    'a PUT without `draft` publishes it from now on; send `"draft": true` to keep it, `false` to publish it',
)
_PUBLISHED = Unasked(
    "draft-published",
    "the page was a draft and is published now, as the request has no `draft`",
    'send `"draft": true` in the frontmatter to keep the page out of builds',
)


def _rescued(old: str, before: Document, *, seen: bool) -> Rescued:
    """Save the readable fields of a block; of one that the client could not see, all of them."""
    rescued = rescue(old)
    if seen or rescued.fault:
        return rescued
    lost = (where or fault for where, fault in left_out(old) if where not in before.frontmatter)
    return Rescued(before.frontmatter, tuple(one for one in lost if one.casefold() != "draft"), "")


def _replaced(rescued: Rescued, values: dict[str, object]) -> list[Unasked]:
    kept = tuple(name for name in rescued.values if name not in values)
    lost = tuple(name for name in rescued.lost if name not in values)
    if not (kept or lost or rescued.fault):
        return []
    why = f"was no YAML ({rescued.fault})" if rescued.fault else "was not given, as the page was too large"
    message = f"the page's old frontmatter {why}, so it was replaced"
    message += f"; kept from it: {_list(kept)}" if kept else ""
    message += f"; lost: {_list(lost)}" if lost else ""
    return [Unasked("frontmatter-replaced", message, "read the page, and send what is missing")]


def _dropped(old: str, values: dict[str, object]) -> list[Unasked]:
    known = {*values, "draft"}  # of which there is a finding of its own
    gone = [f"{where}: {fault}" if where else fault for where, fault in left_out(old) if where not in known]
    if not gone:
        return []
    message = f"what could not be read in the page's old frontmatter is gone: {'; '.join(gone[:_SHOWN])}"
    message += f"; and {len(gone) - _SHOWN} more" if len(gone) > _SHOWN else ""
    return [Unasked("frontmatter-dropped", message, "send the fields again that the page needs")]


def _list(names: tuple[str, ...]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown
