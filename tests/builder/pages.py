"""Strategies for bodies: trees of components, markdown and junk, with words that can be found again."""

from __future__ import annotations

import random

from hypothesis import strategies as st

CONTAINERS = (
    ("<Card>", "</Card>"), ('<Card title="T" href="../x.md">', "</Card>"), ("<CardGrid>", "</CardGrid>"),
    ('<Tabs labels="a,b">', "</Tabs>"), ("<TabItem>", "</TabItem>"), ("<Steps>", "</Steps>"),
    ('<Step title="S">', "</Step>"), ("<CodeGroup>", "</CodeGroup>"), ("<Params>", "</Params>"),
    ('<Param name="n" type="t">', "</Param>"), ("<Accordion>", "</Accordion>"),
    ('<AccordionItem title="q">', "</AccordionItem>"), ("<Callout>", "</Callout>"),
    ('<WhereItLives host="h">', "</WhereItLives>"), ('<Endpoint method="GET" path="/p">', "</Endpoint>"),
    ("<details>", "</details>"), ("<summary>", "</summary>"), ("<div>", "</div>"),
    ("<Unknown>", "</Unknown>"), (":::note", ":::"), ("::::tip T", "::::"), ("<b>", "</b>"),
    ("<kbd>", "</kbd>"), ('<a href="/y">', "</a>"), ("*", "*"), ("**", "**"), ("[", "](../x.md#q)"),
    ("```js", "```"), ("> ", ""), ("- ", ""), ("1. ", ""), ("## ", ""),
)  # fmt: skip
LEAVES = (
    '<Method method="GET"/>', '<Embed src="https://www.youtube.com/watch?v=a">', "<br>",
    '<img src="/img/a.png">', "![i](/img/a.png)", ":icon-rocket:", "`code`",
    "| a | b |\n| - | - |\n| c | d |\n", "---", "- [ ] t", "> [!NOTE]", "https://a.b/c", "<https://a.b>",
    "{x}", "{/* y */}", "<!-- z -->", "import a from 'b'", "&amp;", "\\<",
)  # fmt: skip
JUNK = (
    "<Card>", "</Card>", "<Tabs", "<TabItem>", "</Steps>", ":::note", ":::", "```", "~~~", "`", "*", "_",
    "[", "](", ")", "<kbd>", "</kbd>", "</a>", '<a href="x">', "<div>", "</div>", "<script>", "</script>",
    "<!--", "-->", "{", "}", '"', "'", "\\", "<", ">", "&", "#", "- ", "> ", "|", "[^1]", "[^1]: ",
    "[r]: /u", "\t", "    ", "export const a = {", "<svg>", "<p>", "<summary>", "</details>", 'title="',
    "<Unknown", "é🚀", "\x00", "\r\n", "\ufeff", "\u202e",
)  # fmt: skip
EXTRA_CONTAINERS = (
    ('<Badge color="red">', "</Badge>"), ('<Tooltip tip="t">', "</Tooltip>"), ("<Columns>", "</Columns>"),
    ("<Column>", "</Column>"), ("<FileTree>\n- ", "</FileTree>"),
    ('<Frame caption="c" width="9">', "</Frame>"),
    ('<Frame dark="/img/a.png">\n![i](/img/a.png)', "</Frame>"), ("t\n: ", "\n"),
    ('<Update label="l" date="2026-03-09" tags="a,b">', "</Update>"), ("- ", ""), ("_", "_"), ("++", "++"),
)  # fmt: skip
"""The same for sites with all extras."""
GAPS = ("", "", " ", "\n", "\n", "\n\n", "\n  ", "\n    ")


@st.composite
def bodies(draw: st.DrawFn, *, junk: bool = True, extras: bool = False) -> str:
    """A body; with `junk` anything may stand anywhere, without it every opening has its end.

    With `extras` it has their tags too.
    """
    chance = random.Random(draw(st.integers(0, 2**32)))
    containers = (*CONTAINERS, *EXTRA_CONTAINERS * 3) if extras else CONTAINERS
    return _Tree(chance, containers, junk=junk).block(draw(st.integers(0, 5)))


class _Tree:
    def __init__(self, chance: random.Random, containers: tuple[tuple[str, str], ...], *, junk: bool) -> None:
        self._chance = chance
        self._containers = containers
        self._junk = junk
        self._words = 0

    def block(self, depth: int) -> str:
        pieces = [self._piece(depth) for _ in range(self._chance.randint(1, 5))]
        return "".join(f"{piece}{self._chance.choice(GAPS)}" for piece in pieces)

    def _piece(self, depth: int) -> str:
        kind = self._chance.random()
        if self._junk and kind < 0.25:
            return self._chance.choice(JUNK)
        if kind < 0.5 or not depth:
            return self._word()
        if kind < 0.65:
            return self._chance.choice(LEAVES)
        opening, closing = self._chance.choice(self._containers)
        gap = self._chance.choice(GAPS) if not opening.startswith((":", "`")) else "\n"
        return f"{opening}{gap}{self.block(depth - 1)}{gap}{closing}"

    def _word(self) -> str:
        self._words += 1
        return f"w{self._words}q"
