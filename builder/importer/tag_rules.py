"""Rewrite the tags of another system's pages: each name has a rule; names without one become own components.

A rule makes edits of the opening and the closing tag and leaves what is between them to other rules, so that
nested tags need no care. `TagRules` offers what rules are made of.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Container, Iterable, Mapping, Sequence

from msgspec import Struct

from builder.importer.component_stubs import ATTRIBUTE, data_as_list
from builder.importer.literals import Call, CodeValue, Literal, first_data
from builder.importer.page_work import PageWork
from builder.importer.pieces import ElementTree, SourcePiece
from builder.importer.read_literals import read_value
from builder.importer.rewriting import Rewriting
from builder.importer.source_links import ATTRIBUTES
from builder.markdown.mdx.scan.tags import Given, Tag


class Rule(Struct, frozen=True):
    """The work on tags of one name; `is_admonition` says that it becomes an admonition."""

    act: Callable[[TagRules, SourcePiece, Tag], None]
    is_admonition: bool = False


_LINKS = frozenset({"useBaseUrl", "require", "withBase"})
"""Functions that give the address of a file."""
_FLAG = "\0"


class TagRules:
    """The tags of one page. `values` are names that the page's statements define."""

    def __init__(self, work: PageWork, rules: Mapping[str, Rule], values: Mapping[str, Literal]) -> None:
        self.work = work
        self.values = values
        self._rules = rules
        admonitions = {name for name, rule in rules.items() if rule.is_admonition}
        self.tree = ElementTree(work.rewriting.source, admonitions)

    @property
    def rewriting(self) -> Rewriting:
        """The page's text and its edits."""
        return self.work.rewriting

    def rewrite(self, known: Container[str]) -> None:
        """Rewrite all tags; those in `known` mean the same here."""
        for piece in self.tree.tags:
            tag = piece.tag
            if tag is None or tag.kind == "close":
                continue
            if tag.name[0].isupper():
                self.work.needs_mdx = True
            rule = self._rules.get(tag.name)
            if rule is not None:
                rule.act(self, piece, tag)
            elif tag.name[0].isupper() and tag.name not in known:
                self._own(piece, tag)

    def _own(self, piece: SourcePiece, tag: Tag) -> None:
        self.work.around.uses.add(tag, has_content=bool(piece.close))
        if "." in tag.name:
            self.unwrap(piece)
            self.rewriting.tell(f"component {tag.name}", piece.start, self.source(piece))
        else:
            self.rewriting.extras.add("components")
            bound = [one for one in tag.attributes if one.name and not ATTRIBUTE.fullmatch(one.name)]
            for one in bound:
                self.rewriting.tell("expression in an attribute", one.start, self._given(one))
            self._named(piece, tag, [one for one in tag.attributes if one.name and one not in bound])

    def _named(self, piece: SourcePiece, tag: Tag, attributes: Sequence[Given]) -> None:
        """Write a component of the site's own: its data as a list in it, all else as attributes."""
        uses = self.work.around.uses
        lists = {one.name: self._data(one) for one in attributes if one.braced}
        data = "".join(f"\n\n{each}\n\n" for each in lists.values() if each)
        if data:
            uses.with_content.add(tag.name)
            self.rewriting.tell("data of a component", piece.start, self.source(piece), "a list", "changed")
        given = [(one.name, self.text(one)) for one in attributes if not lists.get(one.name)]
        texts = {name: text for name, text in given if text is not None}
        uses.add_texts(tag.name, texts)
        self.filled(piece, tag.name, texts.items(), data)

    def _data(self, given: Given) -> str:
        """Return a list of objects that an attribute holds as a list of markdown."""
        return data_as_list(self.literal(given), lambda href: self.work.href(href, given.start))

    def source(self, piece: SourcePiece) -> str:
        """Return the opening tag as it was."""
        return self.rewriting.text[piece.start : piece.end]

    def value(self, tag: Tag, *names: str) -> str:
        """Return the text of the first attribute that is given and has one, else ""."""
        for name in names:
            given = tag.attribute(name)
            text = self.text(given) if given is not None else None
            if text not in {None, "", _FLAG}:
                return str(text)
        return ""

    def has(self, tag: Tag, name: str) -> bool:
        """Return whether a flag is set."""
        given = tag.attribute(name)
        return given is not None and self.text(given) not in {None, "false"}

    def text(self, given: Given) -> str | None:
        """Return the value of an attribute as text; None, and a note, for one that is no data."""
        value = self.literal(given)
        if isinstance(value, bool):
            return _FLAG if value else "false"
        if isinstance(value, str | int | float):
            return str(value)
        if isinstance(value, list) and all(isinstance(each, str | int) for each in value):
            return ",".join(str(each).replace(",", "\\,") for each in value)
        self.rewriting.tell("expression in an attribute", given.start, self._given(given))
        return None

    def literal(self, given: Given) -> Literal:
        """Return the value of an attribute as data, a `CodeValue` for one that is none."""
        if not given.braced:
            return given.value
        value = read_value(self.rewriting.text[given.value_start + 1 : given.value_end - 1])
        if isinstance(value, CodeValue):
            name, *way = value.text.strip().split(".")
            known = first_data(self.values.get(name), *way)
            return value if known is None else known
        if isinstance(value, Call) and value.name.split(".")[0] in _LINKS and value.arguments:
            first = value.arguments[0]
            return first if isinstance(first, str) else CodeValue(value.name, value.line)
        return value

    def plain_attributes(self, piece: SourcePiece, tag: Tag) -> None:
        """Write attributes of an element that are expressions as texts; those that are no data go."""
        for given in tag.attributes:
            if given.braced:
                value = self.literal(given)
                is_text = isinstance(value, str | int) and not isinstance(value, bool)
                text = f'{given.name}="{html.escape(str(value), quote=True)}"' if is_text else ""
                self.rewriting.replace(given.start, given.value_end, text)

    def jsx_name(self, given: Given) -> str:
        """Return the name of the component that an attribute's value is, as in `icon={<Rocket />}`."""
        text = self._given(given).partition("<")[2] if given.braced else str(given.value or "")
        return text.split("/")[0].split(">")[0].split(" ")[0].strip().removesuffix("Icon")

    def _given(self, given: Given) -> str:
        return self.rewriting.text[given.start : given.value_end]

    def open(self, piece: SourcePiece, name: str, attributes: Iterable[tuple[str, str]] = ()) -> None:
        """Write the tag as another one, the closing tag too; addresses in attributes lead on."""
        is_void = piece.tag is not None and piece.tag.kind == "void"
        begin = self.opening(piece, name, attributes)
        self.rewriting.replace(piece.start, piece.end, f"{begin}{' />' if is_void else '>'}")
        if piece.close is not None:
            self.rewriting.replace(*piece.close, f"</{name}>")

    def opening(self, piece: SourcePiece, name: str, attributes: Iterable[tuple[str, str]]) -> str:
        """Return an opening tag without its end; addresses in attributes lead on."""
        parts = [name, *(self._attribute(key, value, piece.start) for key, value in attributes)]
        return f"<{' '.join(parts)}"

    def filled(self, piece: SourcePiece, name: str, attributes: Iterable[tuple[str, str]], text: str) -> None:
        """Write the tag as another one with a text at its begin, also where it held nothing."""
        if not text or (piece.close is None and piece.tag is not None and piece.tag.kind != "void"):
            self.open(piece, name, attributes)
        elif piece.close is None:
            begin = self.opening(piece, name, attributes)
            self.rewriting.replace(piece.start, piece.end, f"{begin}>{text}</{name}>")
        else:
            self.rewriting.replace(piece.start, piece.end, f"{self.opening(piece, name, attributes)}>{text} ")
            self.rewriting.replace(*piece.close, f"</{name}>")

    def _attribute(self, name: str, value: str, at: int) -> str:
        if value == _FLAG:
            return name
        if name in ATTRIBUTES:
            value = self.work.href(value, at)
        return f'{name}="{html.escape(" ".join(value.split()), quote=False).replace(chr(34), "&quot;")}"'

    def rename(
        self, piece: SourcePiece, name: str, mapped: Mapping[str, str], dropped: Container[str] = ()
    ) -> None:
        """Write the tag with another name and its attributes with theirs; others are told."""
        tag = piece.tag
        attributes: list[tuple[str, str]] = []
        for given in tag.attributes if tag is not None else ():
            if given.name in mapped:
                text = self.text(given)
                if text is not None:
                    attributes.append((mapped[given.name], text))
            elif given.name not in dropped:
                what = f"attribute {given.name} of {tag.name}" if tag is not None else given.name
                self.rewriting.tell(what, given.start, self._given(given))
        self.open(piece, name, attributes)

    def unwrap(self, piece: SourcePiece) -> None:
        """Remove the tags and keep what is between them."""
        self.rewriting.remove_lines(piece.start, piece.end)
        if piece.close is not None:
            self.rewriting.remove_lines(*piece.close)

    def drop(self, piece: SourcePiece, what: str) -> None:
        """Remove an element with all that is in it, and tell so."""
        start, end = piece.whole
        self.rewriting.tell(what, start, self.rewriting.text[start:end])
        self.rewriting.remove_lines(start, end)

    def replace(self, piece: SourcePiece, text: str) -> None:
        """Put a text in the place of an element."""
        self.rewriting.replace(*piece.whole, text)

    def block(self, piece: SourcePiece, begin: str, end: str) -> None:
        """Put lines of their own in the place of both tags, with the indentation that the tag had."""
        self.work.needs_mdx = True
        indent = self.rewriting.indent(piece.start)
        self._line(piece.start, piece.end, begin, indent)
        if piece.close is None:
            self.rewriting.insert(piece.end, f"\n{indent}{end}")
        else:
            self._line(*piece.close, end, indent)

    def _line(self, start: int, stop: int, new: str, indent: str) -> None:
        """Put a line in the place of a part; what else stands on its line gets one of its own."""
        text = self.rewriting.text
        before = text[text.rfind("\n", 0, start) + 1 : start]
        lead = f"\n\n{indent}" if before.strip() else ""
        after = text[stop:].partition("\n")[0]
        tail = f"\n\n{indent}" if after.strip() else ""
        lines = new.replace("\n", f"\n{indent}")
        self.rewriting.replace(
            start, stop + len(after) - len(after.lstrip()) if tail else stop, f"{lead}{lines}{tail}"
        )

    def admonition(self, piece: SourcePiece, kind: str, title: str = "") -> None:
        """Write an element as an admonition, with as many colons as those within it ask for."""
        colons = ":" * (3 + self.tree.depth(piece))
        self.block(piece, f"{colons}{kind}{f' {title}' if title else ''}", colons)

    def details(self, piece: SourcePiece, title: str) -> None:
        """Write an element as `<details>`."""
        shown = html.escape(title, quote=False)
        self.block(piece, f"<details>\n<summary>{shown}</summary>\n", "</details>")

    def wrap(self, siblings: Sequence[SourcePiece], begin: str, end: str) -> None:
        """Put lines round some elements that follow one another."""
        first, last = siblings[0], siblings[-1]
        indent = self.rewriting.indent(first.start)
        self.rewriting.insert(first.start, f"{begin}\n{indent}")
        self.rewriting.insert(last.whole[1], f"\n{indent}{end}")


def admonition(kind: str, *titles: str) -> Rule:
    """Return the rule for a tag that stands for an admonition; `titles` are attributes with its title."""
    return Rule(
        lambda tags, piece, tag: tags.admonition(piece, kind, tags.value(tag, *titles)), is_admonition=True
    )


def renamed(name: str, mapped: Mapping[str, str] | None = None, dropped: Container[str] = ()) -> Rule:
    """Return the rule for a tag that has another name here."""
    return Rule(lambda tags, piece, _: tags.rename(piece, name, mapped or {}, dropped))


UNWRAPPED = Rule(lambda tags, piece, _: tags.unwrap(piece))
"""Keeps what is between the tags."""
