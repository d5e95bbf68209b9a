"""Premium parts on the free plan are in no file of the build: not as text, id, title, list or twin.

Every part that is hidden stands in every place of a page, all of them in one site. The same site on the
premium plan shows nearly all of the words, so that looking for them means something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from builder.build import build
from builder.output import FolderOutput
from builder.plan.options import Options
from tests.sites import write_site

BLOCKS: dict[str, str] = {
    "accordion": '<Accordion>\n<AccordionItem title="SECRET">\nSECRET\n</AccordionItem>\n</Accordion>',
    "item alone": '<AccordionItem title="SECRET">\nSECRET\n</AccordionItem>',
    "callout": '<Callout color="SECRET">\nSECRET *SECRET* `SECRET`\n</Callout>',
    "callout of lines": '<Callout\n  color="red"\n  nosuch="SECRET"\n>\n\nSECRET\n\n\nSECRET\n\n</Callout>',
    "embed": '<Embed src="https://www.youtube.com/watch?v=SECRET" title="SECRET" />',
    "embed with children": '<Embed src="https://else.example/SECRET">\nSECRET\n</Embed>',
    "headings": "<Callout>\n# SECRET\n\n## SECRET {#SECRET}\n\nSECRET\n------\n</Callout>",
    "image": '<Callout>\n![SECRET](SECRET.png "SECRET")\n\n![SECRET](/SECRET.mp4)\n</Callout>',
    "link": '<Callout>\n[SECRET](/docs/x#SECRET "SECRET") <https://SECRET.example>\n</Callout>',
    "code": '<Callout>\n```SECRET title="SECRET"\nSECRET </Callout>\n```\n\n    SECRET\n</Callout>',
    "code span": "<Callout>\na `</Callout>` SECRET ``</Callout> SECRET``\n</Callout>",
    "table": "<Callout>\n| SECRET |\n| - |\n| SECRET | SECRET |\n</Callout>",
    "list": "<Callout>\n- SECRET\n  1. SECRET\n     > SECRET\n- [ ] SECRET\n</Callout>",
    "comment": "<Callout>\n{/* </Callout> SECRET */}\n<!-- </Callout> SECRET -->\nSECRET\n</Callout>",
    "expression": "<Callout>\n{'</Callout>' + SECRET}\nSECRET\n</Callout>",
    "import": "<Callout>\n\nimport SECRET from 'SECRET'\n\nSECRET\n\n</Callout>",
    "admonition": "<Callout>\n:::note SECRET\nSECRET\n:::\n\n:::SECRET\n:::\n</Callout>",
    "alert": "<Callout>\n> [!NOTE]\n> SECRET\n</Callout>",
    "components": (
        '<Callout>\n<Card title="SECRET" href="/SECRET">\nSECRET\n</Card>\n<SECRET>SECRET</SECRET>\n'
        '<Tabs labels="SECRET,b">\n<TabItem>\nSECRET\n</TabItem>\n</Tabs>\n'
        '<Endpoint method="GET" path="/SECRET" summary="SECRET" />\n</Callout>'
    ),
    "premium in premium": "<Callout>\n<Callout>\nSECRET\n</Callout>\nSECRET\n</Callout>",
    "footnote": "<Callout>\nSECRET[^SECRET]\n\n[^SECRET]: SECRET\n    SECRET\n</Callout>",
    "definition": '<Callout>\n[SECRET]: /SECRET "SECRET"\n\n[SECRET]\n</Callout>',
    "closing tag within a value": '<Callout color="</Callout>">\nSECRET\n</Callout>',
    "crossing": "<Callout>\n<Card>\nSECRET\n</Callout>\n</Card>",
    "deep callouts": "<Callout>\n" * 60 + "SECRET\n" + "</Callout>\n" * 60,
    "deep lists": "<Callout>\n" + "".join(f"{'  ' * n}- SECRET\n" for n in range(60)) + "</Callout>",
    "deep quotes": "<Callout>\n" + ">" * 200 + " SECRET\n</Callout>",
    "within cards": "<Card>\n" * 60 + "<Callout>\nSECRET\n</Callout>\n" + "</Card>\n" * 60,
    "within quotes": ">" * 60 + " <Callout>\n" + ">" * 60 + " SECRET\n" + ">" * 60 + " </Callout>",
    "within lists": (
        "".join(f"{'  ' * n}- a\n" for n in range(60))
        + "".join(f"{'  ' * 60}{line}\n" for line in ("<Callout>", "SECRET", "</Callout>"))
    ),
    "too many cells": f"<Callout>\n{'|SECRET' * 500}\n{'|-' * 500}\n" + "|a\n" * 500 + "</Callout>",
    "line ends": "<Callout>\r\nSECRET\r\n\r\nSECRET\r</Callout>\r\n",
    "indented": "   <Callout>\n   SECRET\n\n       SECRET\n   </Callout>",
    "one line": "<Callout>SECRET *SECRET* [SECRET](/SECRET)</Callout>",
    "in a paragraph": 'a <Callout color="SECRET">SECRET *b</Callout> c* <Embed src="/SECRET" /> d',
}

LINES: dict[str, str] = {
    "callout": "a <Callout>SECRET</Callout> b",
    "callout with markup": "a <Callout>*SECRET* `SECRET` ![SECRET](SECRET.png)</Callout> b",
    "item": 'a <AccordionItem title="SECRET">SECRET</AccordionItem> b',
    "embed": 'a <Embed src="https://SECRET.example/" title="SECRET" /> b',
    "emphasis that crosses": "a *b <Callout>SECRET* SECRET</Callout> c",
    "code with a closing tag": "a <Callout>`</Callout>` SECRET</Callout> b",
}

ENDLESS: dict[str, str] = {
    "callout": "<Callout>\nSECRET\n\nSECRET",
    "callout in a line": "a <Callout>SECRET",
    "item": '<Accordion>\n<AccordionItem title="SECRET">\nSECRET',
    "list": "- <Callout>\n  SECRET\n\n  SECRET",
    "quote": "> <Callout>\n> SECRET\n>\n> SECRET",
    "fence": "<Callout>\n```\nSECRET",
    "much": "<Callout>\n" + "SECRET\n\n" * 20_000,
    "much, closed": "<Callout>\n" + "SECRET *a*\n\n" * 20_000 + "</Callout>",
    "after much": "*a* " * 60_000 + "\n\n<Callout>\nSECRET\n</Callout>",
    "after many lines": "a\n\n" * 100_000 + "<Callout>\nSECRET\n</Callout>",
    "after many tags": "<Card>\n" * 20_000 + "<Callout>\nSECRET\n</Callout>",
    "within many brackets": "[" * 30_000 + "<Callout>SECRET</Callout>" + "]" * 30_000,
}


def _indented(text: str, first: str, rest: str) -> str:
    head, *tail = re.split(r"\r\n?|\n", text)
    return "\n".join([first + head, *(rest + line for line in tail)])


BLOCK_PLACES: dict[str, Callable[[str], str]] = {
    "page": lambda text: f"{text}\n",
    "text": lambda text: f"Text\n{text}\nText\n",
    "list": lambda text: _indented(text, "- ", "  "),
    "ordered list": lambda text: _indented(text, "1. a\n\n   ", "   "),
    "quote": lambda text: _indented(text, "> ", "> "),
    "list in a quote": lambda text: _indented(text, "> - ", ">   "),
    "card": lambda text: f'<CardGrid>\n<Card title="a">\n{text}\n</Card>\n</CardGrid>',
    "tab": lambda text: f'<Tabs labels="a">\n<TabItem>\n\n{text}\n\n</TabItem>\n</Tabs>',
    "step": lambda text: _indented(f'<Steps>\n<Step title="a">\n{text}\n</Step>\n</Steps>', "", "  "),
    "parameter": lambda text: f'<Params>\n<Param name="a" type="b">\n{text}\n</Param>\n</Params>',
    "code group": lambda text: f"<CodeGroup>\n{text}\n</CodeGroup>",
    "details": lambda text: f"<details>\n<summary>a</summary>\n\n{text}\n\n</details>",
    "admonition": lambda text: f":::note\n{text}\n:::",
    "footnote": lambda text: "a[^n]\n\n" + _indented(text, "[^n]: b\n\n    ", "    "),
    "unknown component": lambda text: f"<Unknown>\n{text}\n</Unknown>",
    "misplaced": lambda text: f"a <Steps>\n{text}\n</Steps> b",
}

LINE_PLACES: dict[str, Callable[[str], str]] = {
    "title": lambda text: f"# Title {text}\n\n## Next",
    "headings": lambda text: f"## {text}\n\n### {text} {{#own}}\n\n{text}\n---\n\n[a](#next)\n\n## Next",
    "cells": lambda text: f"| {text} | b |\n| - | - |\n| {text} | {text} |",
    "link": lambda text: f"[{text}](/docs/x) [{text}][r] [{text}][] [{text}]\n\n[r]: /docs/x",
    "image": lambda text: f"![{text}](/x.png) ![a ![{text}](/y.png)](/x.png)",
    "emphasis": lambda text: f"*{text}* **{text}** ~~{text}~~ *a **{text}***",
    "item": lambda text: f"- {text}\n- [ ] {text}\n\n1. {text}",
    "quote": lambda text: f"> {text}\n> {text}\n\n> [!NOTE]\n> {text}",
    "admonition's title": lambda text: f":::note {text}\n:::\n\n:::tip[{text}]\na\n:::\n",
    "unknown admonition": lambda text: f":::foo {text}\na\n:::\n",
    "footnote": lambda text: f"a[^1]\n\n[^1]: {text}",
    "element": lambda text: f"<kbd>{text}</kbd> <a href='/docs/x'>{text}</a> <summary>{text}</summary>",
    "component": lambda text: f'a <Card title="a">{text}</Card> <Unknown>{text}</Unknown>',
}


class Case(NamedTuple):
    """A page's body, and the word that must not be seen."""

    name: str
    body: str
    secret: str


def cases() -> Iterator[Case]:
    """Every part in every place."""
    found = [
        *((f"{b} / {p}", place(text)) for p, place in BLOCK_PLACES.items() for b, text in BLOCKS.items()),
        *((f"{b} / {p}", place(text)) for p, place in LINE_PLACES.items() for b, text in LINES.items()),
        *((f"{b} / endless", text) for b, text in ENDLESS.items()),
    ]
    for number, (name, body) in enumerate(found):
        secret = f"zq{number}hidden"
        yield Case(name, body.replace("SECRET", secret), secret)


CASES = tuple(cases())


def seen(folder: Path, options: Options, chosen: Sequence[Case]) -> set[str]:
    """The words, in small letters, that any file of the build holds."""
    files = {f"docs/p/n{n}.mdx": case.body for n, case in enumerate(chosen)}
    write_site(folder, {"site.yml": "title: T\nurl: https://o.example\n", "docs/x.md": "x", **files})
    build(folder, FolderOutput(folder / "dist"), options)
    data = b"\n".join(path.read_bytes().lower() for path in (folder / "dist").rglob("*") if path.is_file())
    return {found.decode() for found in re.findall(rb"zq\d+hidden", data)}


def test_what_the_free_plan_hides_is_in_no_file(tmp_path: Path) -> None:
    leaked = seen(tmp_path, Options(), CASES)
    assert [f"{case.name}: {case.body[:300]!r}" for case in CASES if case.secret in leaked] == []


def test_nearly_all_of_it_is_shown_on_the_premium_plan(tmp_path: Path) -> None:
    chosen = [case for case in CASES if "endless" not in case.name][::4]
    shown = seen(tmp_path, Options(plan="premium"), chosen)
    assert len(shown) > 0.95 * len(chosen)
