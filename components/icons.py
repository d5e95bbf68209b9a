"""The fixed set of icons: a part of Lucide (ISC licence, beside the data in the default theme's folder)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache, partial

from markupsafe import Markup

import themes
from components.base import Page
from components.html import fill
from components.nearest import LONGEST, did_you_mean

DEFAULT = "file-text"
"""Shown for a name that is not known."""

_data = json.loads((themes.default() / "icons" / "icons.json").read_text(encoding="utf-8"))

GROUPS: Mapping[str, Mapping[str, str]] = _data["groups"]
"""Shapes (inner SVG, trusted) by name, by the heading they are listed under."""

ALIASES: Mapping[str, str] = _data["aliases"]
"""Other names that people look for, each with the name of its icon."""

_SHAPES = {name: Markup(shapes) for group in GROUPS.values() for name, shapes in group.items()}
_SHAPES |= {alias: _SHAPES[name] for alias, name in ALIASES.items()}

KNOWN = frozenset(_SHAPES)
"""Every name that `icon` knows, other names included."""

_SVG = """
    <svg class="tp-icon" viewBox="0 0 24 24"
    {%- if label %} role="img" aria-label="{{ label }}"{% else %} aria-hidden="true"{% endif %}>
    {{ shapes }}</svg>
"""


def icon(name: str, label: str = "") -> Markup:
    """The icon as inline SVG, decorative unless it has a `label`; the default icon for an unknown name."""
    return fill(_SVG, shapes=_SHAPES.get(_normal(name), _SHAPES[DEFAULT]), label=label)


def check(name: str, page: Page) -> None:
    """Report `icon-unknown`, with the nearest name as a hint, if no icon has this name."""
    if _normal(name) not in KNOWN:
        hint = partial(nearest, _normal(name[:LONGEST]))
        page.report("icon-unknown", f"there is no icon `{name}`", hint, attribute="icon")


_FIND = (
    "the page `docs/components/icons` of the documentation of Twinpress lists all names, as the part `icons` "
    "of the guide does for agents"
)
_WORD = 3
"""Characters from which on a part of a name says what is meant."""
_NAMED = 3
_LIKENESS = 0.75
"""From which on a name is near: `slack` is no `lock`, as among so many something is always a bit alike."""


@lru_cache(maxsize=1024)
def nearest(name: str) -> str:
    """A hint with the nearest icon, or those with a word of the name, and else the way to find one.

    Slow, as the set is large: only for hints shown.
    """
    return did_you_mean(name, sorted(KNOWN), _LIKENESS) or _by_words(name) or _FIND


def _by_words(name: str) -> str:
    """A hint with icons that have words of the name, those with most of them first."""
    words = frozenset(word for word in name.split("-") if len(word) >= _WORD) | ({name} & KNOWN)
    shared = {each: len(words.intersection(each.split("-"))) for each in KNOWN}
    near = sorted((each for each in KNOWN if shared[each]), key=lambda each: (-shared[each], len(each), each))
    named = dict.fromkeys(ALIASES.get(each, each) for each in near)
    told = " or ".join(f"`{each}`" for each in list(named)[:_NAMED])
    return f"did you mean {told}? {_FIND}" if told else ""


def _normal(name: str) -> str:
    return "-".join(name.casefold().replace("_", " ").split())
