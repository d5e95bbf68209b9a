"""Places in texts that are parsed, as in the picture in `builder/markdown/mdx/chunk/chunks.py`."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from builder.markdown.mdx.chunk.chunks import Chunk, Lines, Place
from builder.markdown.mdx.chunk.places import Places
from builder.markdown.mdx.cursor.regions import Region
from builder.markdown.syntax import parse

ADDRESS = "/x"
PICTURE = "> <Card>\n>   Read <b>this</b> and\n>   [that](/x)</Card>\n"


class Texts(NamedTuple):
    """The four texts of the picture that have its last line; the paragraph is the token at `index`."""

    body: Chunk
    quote: Region
    card: Chunk
    paragraph: str
    places: Places
    index: int


@pytest.fixture(scope="module")
def texts() -> Texts:
    body = Chunk(PICTURE, 4)
    tokens = parse(body, "mdx", premium=True).tokens
    quote = next(token for token in tokens if token.type == "component_open").meta["opening"].spot.region
    index = next(index for index, token in enumerate(tokens) if token.type == "inline")
    return Texts(body, quote, tokens[index].meta["chunk"], tokens[index].content, Places(tokens, body), index)


def test_the_texts_are_those_of_the_picture(texts: Texts) -> None:
    assert texts.quote.text == "<Card>\n  Read <b>this</b> and\n  [that](/x)</Card>"
    assert texts.card.text == "\nRead <b>this</b> and\n[that](/x)"
    assert texts.paragraph == texts.card.text[1:]
    assert (texts.body.line, texts.card.line, texts.card.tail) == (4, 4, 7)


def test_offsets_are_those_of_the_picture(texts: Texts) -> None:
    found = [text.index(ADDRESS) for text in (PICTURE, texts.quote.text, texts.card.text, texts.paragraph)]
    assert found == [45, 39, 29, 28]


def test_one_place_is_told_in_each_text(texts: Texts) -> None:
    assert texts.quote.place(39) == Place(texts.body, 45)
    assert texts.quote.offset_of(Place(texts.body, 45)) == 39
    assert texts.places.place(texts.index, 28) == Place(texts.card, 29)
    assert Place(texts.body, 45).position() == Place(texts.card, 29).position() == (6, 12)


def test_in_all_lines_a_place_is_as_far_from_the_end_of_its_line(texts: Texts) -> None:
    told: list[tuple[Lines, int]] = [(texts.body, 45), (texts.quote, 39), (texts.card, 29)]
    for lines, offset in told:
        assert lines.line_and_rest(offset) == (6, 10)
        assert lines.offset(6, 10) == offset


def test_a_part_of_a_part_knows_its_lines_of_the_file() -> None:
    body = Chunk("<A>\n  <B>\n    c\n    d</B></A>\n", 10)
    outer = Region.of(body, 0, body.text.split("\n"))
    middle = outer.part(3, body.text.index("</A>"))
    inner = Region.of(middle, 0, middle.text.split("\n"), outer)
    assert middle.text == "\n<B>\n  c\n  d</B>"
    part = inner.part(4, inner.text.index("</B>"))
    assert (part.text, part.line, part.tail, part.body) == ("\nc\nd", 11, 8, body)
    assert [Place(part, part.text.index(one)).position() for one in "cd"] == [(12, 5), (13, 5)]


def test_pairs_are_looked_up_in_the_outer_region_as_far_as_the_chunk_goes() -> None:
    body = Chunk("<Card>\n  <Card>\n    a\n  </Card>\n  <Card>\n</Card>\n", 1)
    outer = Region.of(body, 0, body.text.split("\n")[:-1])
    chunk = outer.part(6, outer.text.rindex("\n"))
    inner = Region.of(chunk, 0, chunk.text.split("\n"), outer)
    assert inner.text == "\n<Card>\n  a\n</Card>\n<Card>"
    assert (inner.close_of(1), inner.closes((12, 19))) == ((12, 19), True)
    assert (inner.has(20), inner.close_of(20)) == (True, None)


def test_half_a_tab_that_became_blanks_is_where_the_tab_is() -> None:
    body = Chunk("<A>\n\ta\n  b\n</A>", 1)
    part = Region.of(body, 0, body.text.split("\n")).part(3, body.text.rindex("\n"))
    assert part.text == "\n  a\nb"
    assert [Place(part, offset).position() for offset in (1, 2, 3)] == [(2, 1), (2, 1), (2, 2)]
