"""Compare the constructs of old pages with what the new ones have: mapped, changed, lost, or untold.

A construct is mapped if the built page has it by its own HTML, with the same text or destination. What is
not there must stand in the loss report, with its line or its text.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import unquote

from msgspec import Struct, field

from builder.importer.old_site import Loss
from tests.builder.importer.counting.page_counter import PageCounter
from tests.builder.importer.counting.source_counter import SourceCounter, words
from tests.builder.importer.counting.wanted import EXTERNAL, OldPlace, Wanted, key_of, wanted_of

_ICON = re.compile(r":[a-z][\w+-]*:")
_INLINE = frozenset({"abbr", "kbd", "mark", "sub", "sup"})


class Counted(Struct):
    """The constructs of a kind: how many, and what became of them."""

    mapped: int = 0
    changed: int = 0
    lost: int = 0
    untold: list[str] = field(default_factory=list)

    @property
    def all(self) -> int:
        """The number of constructs."""
        return self.mapped + self.changed + self.lost + len(self.untold)


class Comparison:
    """The table of one site."""

    def __init__(self, losses: Sequence[Loss]) -> None:
        self.kinds: dict[str, Counted] = defaultdict(Counted)
        self._losses: dict[str, list[Loss]] = defaultdict(list)
        for loss in losses:
            self._losses[loss.file].append(loss)

    def page(self, source: SourceCounter, place: OldPlace, html: str, fields: Mapping[str, object]) -> None:
        """Count the constructs of a page; `fields` are those of the new one."""
        page = PageCounter(html)
        page.meta |= {f"field {name}": str(value) for name, value in fields.items()}
        for kind, wanted in _by_kind(wanted_of(source, place)).items():
            self._kind(place.file, kind, wanted, _HAS[kind](page, wanted))

    def _kind(self, file: str, kind: str, wanted: Sequence[Wanted], has: Sequence[bool]) -> None:
        counted = self.kinds[kind]
        for each, is_there in zip(wanted, has, strict=True):
            loss = None if is_there else self._told(file, each)
            if is_there:
                counted.mapped += 1
            elif loss is None:
                counted.untold.append(f"{file}:{each.line}: {each.key[:90]}")
            elif loss.state == "changed":
                counted.changed += 1
            else:
                counted.lost += 1

    def _told(self, file: str, wanted: Wanted) -> Loss | None:
        """Return the loss that tells of a construct: at its lines, by its text, or for the site."""
        key = words(wanted.key)
        for loss in self._losses[file]:
            at = wanted.line <= loss.line <= wanted.end or (loss.line and wanted.line == loss.line)
            if at or (key and key in words(f"{loss.what} {loss.old}")):
                return loss
        name = wanted.told_by
        return next((loss for loss in self._losses[""] if name and loss.what.endswith(name)), None)


def _by_kind(wanted: Iterator[Wanted]) -> Mapping[str, list[Wanted]]:
    found: dict[str, list[Wanted]] = defaultdict(list)
    for each in wanted:
        found[each.kind].append(each)
    return found


Has = Callable[[PageCounter, Sequence[Wanted]], Sequence[bool]]


def _named(names: Callable[[PageCounter], Counter[str]]) -> Has:
    """Compare texts, each as often as it is there."""

    def has(page: PageCounter, wanted: Sequence[Wanted]) -> Sequence[bool]:
        left: Counter[str] = Counter()
        for text, count in names(page).items():
            left[words(text)] += count
        return [
            _take(left, words(each.key)) or _take(left, words(_ICON.sub("", each.key))) for each in wanted
        ]

    return has


def _take(left: Counter[str], key: str) -> bool:
    if left[key] <= 0:
        return False
    left[key] -= 1
    return True


def _number(count: Callable[[PageCounter], int]) -> Has:
    def has(page: PageCounter, wanted: Sequence[Wanted]) -> Sequence[bool]:
        number = count(page)
        return [place < number for place in range(len(wanted))]

    return has


def _element(name: str) -> Has:
    return _number(lambda page: page.elements[name])


def _within(texts: Callable[[PageCounter], str]) -> Has:
    def has(page: PageCounter, wanted: Sequence[Wanted]) -> Sequence[bool]:
        whole = words(texts(page))
        return [words(each.key) in whole for each in wanted]

    return has


def _code(page: PageCounter, wanted: Sequence[Wanted]) -> Sequence[bool]:
    """Compare code by all its words; magic comments and annotations may be gone."""
    left = Counter(words(code) for code in page.code)
    return [_take(left, words(each.key)) or words(each.key) in words(page.text) for each in wanted]


def _links(page: PageCounter, wanted: Sequence[Wanted]) -> Sequence[bool]:
    left = Counter(href if EXTERNAL.match(href) else _here(href) for href in page.links)
    return [_take(left, each.key) or _take(left, f"{each.key}/") for each in wanted]


def _here(href: str) -> str:
    return f"#{unquote(href[1:]).casefold()}" if href.startswith("#") else key_of(href)


def _images(page: PageCounter, wanted: Sequence[Wanted]) -> Sequence[bool]:
    left = Counter(_base(src) for src in (*page.images, *page.frames, *page.links))
    return [_take(left, _base(each.key)) for each in wanted]


def _base(src: str) -> str:
    return unquote(posixpath.basename(src.partition("?")[0].partition("#")[0])) or src


def _ids(page: PageCounter, wanted: Sequence[Wanted]) -> Sequence[bool]:
    return [each.key in page.ids for each in wanted]


_SAME = {
    "sidebarTitle": "sidebar_label", "sidebar.label": "sidebar_label", "sidebar_title": "sidebar_label",
    "tableOfContents": "hide_toc", "hide_table_of_contents": "hide_toc", "sidebar.hidden": "unlisted",
    "hide": "hide_toc", "iconType": "icon",
}  # fmt: skip
"""Fields that have another name here."""


def _fields(page: PageCounter, wanted: Sequence[Wanted]) -> Sequence[bool]:
    """Compare names of fields; one that hides a title does so if there is one alone."""
    return [
        page.elements["h1"] <= 1
        if each.key == "hide_title"
        else f"field {_SAME.get(each.key, each.key)}" in page.meta
        for each in wanted
    ]


def _frames(page: PageCounter, wanted: Sequence[Wanted]) -> Sequence[bool]:
    there = " ".join((*page.frames, *page.links, *page.data))
    return [_base(each.key).partition("?")[0] in there for each in wanted]


def _never(page: PageCounter, wanted: Sequence[Wanted]) -> Sequence[bool]:
    return [False for _ in wanted]


_HAS: Mapping[str, Has] = {
    "admonition": _number(lambda page: page.admonitions),
    "card": _named(lambda page: page.cards),
    "code span": _named(lambda page: page.code_spans),
    "component": _never,
    "details": _number(lambda page: page.elements["details"] - page.classes["tp-contents-bar"]),
    "endpoint": _number(lambda page: page.classes["tp-endpoint"]),
    "explicit id": _ids,
    "fence": _code,
    "fence title": _named(lambda page: page.captions + page.labels),
    "fence with marked lines": _number(
        lambda page: page.classes["tp-marked"] + page.classes["tp-added"] + page.classes["tp-removed"]
    ),
    "filetree": _number(lambda page: page.classes["tp-file-tree"]),
    "footnote": _number(lambda page: page.classes["tp-footnote-back"]),
    "badge": _within(lambda page: page.text),
    "framed image": _number(lambda page: page.classes["tp-frame"]),
    "frame": _frames,
    "frontmatter description": _within(lambda page: f"{page.text} {' '.join(page.meta.values())}"),
    "frontmatter other": _fields,
    "frontmatter title": _within(lambda page: page.text),
    "heading": _named(lambda page: page.headings),
    "image": _images,
    "include": _within(lambda page: page.text),
    "link": _links,
    "link that led nowhere": _never,
    "parameter": _within(lambda page: page.text),
    "step": _number(lambda page: page.steps),
    "steps": _number(lambda page: max(page.classes["tp-steps"], page.elements["ol"])),
    "tab": _named(lambda page: page.labels),
    "table": _number(lambda page: page.tables),
    **{f"tag {name}": _element(name) for name in _INLINE},
}


def table(kinds: Mapping[str, Counted]) -> str:
    """Return the table of a site as markdown."""
    rows = [
        "| Construct | All | Mapped | % | Changed | Lost | Untold |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    whole = Counted()
    for kind, each in sorted(kinds.items()):
        rows.append(_row(kind, each))
        whole.mapped += each.mapped
        whole.changed += each.changed
        whole.lost += each.lost
        whole.untold += each.untold
    return "\n".join((*rows, _row("all", whole), ""))


def _row(kind: str, each: Counted) -> str:
    share = 100 * each.mapped / each.all if each.all else 100.0
    numbers = (f"{each.changed:,}", f"{each.lost:,}", f"{len(each.untold):,}")
    return f"| {' | '.join((kind, f'{each.all:,}', f'{each.mapped:,}', f'{share:.1f}', *numbers))} |"
