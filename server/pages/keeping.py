"""Frontmatter that GET could not give is not lost unawares when a page is replaced.

A client that sends what GET gave changes nothing. One that sends other frontmatter replaces all of it: what
it could not see is kept where that can be, and told where it cannot. A draft stays a draft.
"""

from __future__ import annotations

from dataclasses import dataclass

from builder.frontmatter import Document, join, left_out, rescue, split
from builder.frontmatter.meta import meta
from builder.frontmatter.rescue import Rescued
from builder.yaml_write import same

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Unasked:
    """Something that was done though the request does not say so."""

    code: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Joined:
    """A page's text, and what was done to its frontmatter unasked."""

    text: str
    changes: tuple[Unasked, ...] = ()


def join_all(values: dict[str, object], body: str, old: str, before: Document) -> Joined:
    """The page's text with these values instead of those of `old`, which `before` is. Raises ValueError."""
    told: list[Unasked] = []
    wanted = values
    if not (values == before.frontmatter and same(values, before.frontmatter)):
        rescued = rescue(old)
        wanted = {**rescued.values, **values}
        told = _replaced(rescued, values) if rescued.fault else _dropped(old, values)
    text = join(wanted, body, old)
    if _hides_draft(before, values) and not split(text, "").meta.draft:
        text = join({**wanted, "draft": True}, body, old)
        told.append(_DRAFT)
    return Joined(text, tuple(told))


def _hides_draft(before: Document, values: dict[str, object]) -> bool:
    """Whether a page is kept out for a reason that GET does not give and the request does not contradict."""
    said = values.get("draft") != before.frontmatter.get("draft")
    return before.meta.draft and not meta(before.frontmatter).draft and not said


_DRAFT = Unasked(
    "draft-kept",
    "the page was kept out of builds by frontmatter that could not be understood; it is a draft still",
    "send the page again, without `draft` or with `draft: false`, to publish it",
)


def _replaced(rescued: Rescued, values: dict[str, object]) -> list[Unasked]:
    kept = tuple(name for name in rescued.values if name not in values)
    message = f"the page's old frontmatter was no YAML ({rescued.fault}), so it was written anew"
    message += f"; kept from it: {_list(kept)}" if kept else ""
    message += f"; lost: {_list(rescued.lost)}" if rescued.lost else ""
    return [Unasked("frontmatter-replaced", message, "read the page, and send what is missing")]


def _dropped(old: str, values: dict[str, object]) -> list[Unasked]:
    gone = [f"{where}: {fault}" if where else fault for where, fault in left_out(old) if where not in values]
    if not gone:
        return []
    message = f"what could not be read in the page's old frontmatter is gone: {'; '.join(gone[:_SHOWN])}"
    message += f"; and {len(gone) - _SHOWN} more" if len(gone) > _SHOWN else ""
    return [Unasked("frontmatter-dropped", message, "send the fields again that the page needs")]


def _list(names: tuple[str, ...]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown
