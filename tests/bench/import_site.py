"""Time and memory of an import: 1,000 pages of each of several systems, with what people write there.

    python -m tests.bench.import_site [SYSTEM ...] [--pages N] [--runs N]

Each page has some 5 KB: prose with links, code, lists and a table, and in turn the constructs of its system.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from tests.bench.builders import Builder, run

PARTS = 20
"""Folders of pages."""
WORDS = [
    "harbour",
    "tide",
    "berth",
    "cargo",
    "crane",
    "anchor",
    "vessel",
    "mooring",
    "pilot",
    "quay",
    "current",
    "signal",
    "buoy",
    "channel",
    "depth",
    "lock",
    "manifest",
    "customs",
    "ferry",
    "schedule",
    "weather",
    "draught",
    "ballast",
    "chart",
    "compass",
    "engine",
    "fender",
    "hatch",
    "keel",
    "ledger",
]


def _parted(text: str) -> tuple[str, ...]:
    """Part blocks that lines of dots divide."""
    return tuple(text.split("....\n"))


_COMMON = _parted("""\
```python title="tide.py" {1,3}
def tide(hour: int) -> float:
    # the depth at an hour
    return 4.0 + 2.0 * hour % 12  # metres
```
....
| Berth | Depth | Crane |
| --- | ---: | :-: |
| North | 9.5 m | yes |
| South | 7.2 m | `no` |
....
1. Check the *tide*.
2. Call the **pilot**:

   ```sh
   harbour call --berth north
   ```

3. Moor.
....
> A quay is a wharf with a `solid` wall.
""")
_JSX = _parted("""\
<details>
<summary>Depths</summary>

They change with the tide.

</details>
....
{/* a note to writers */}
""")
DOCUSAURUS = _parted("""\
:::tip[High water]

Boats leave *then*, see [the chart](https://charts.example.com).

:::
....
:::danger

Mind the crane.

:::
....
<Tabs groupId="os">
<TabItem value="linux" label="Linux" default>

```sh
apt install harbour
```

</TabItem>
<TabItem value="mac" label="macOS">

Use `brew`.

</TabItem>
</Tabs>
....
```jsx live
function Clock() {
  // highlight-next-line
  return <div>{now}</div>;
}
```
....
![The harbour](/img/harbour.png)
....
## Moor {#moor}
....
<Gauge level={3} label="Depth">Water</Gauge>
""")
MKDOCS = _parted("""\
!!! tip "High water"
    Boats leave *then*.

    ```sh
    harbour leave
    ```
....
??? warning
    Mind the crane.
....
=== "Linux"

    ```sh
    apt install harbour
    ```

=== "macOS"

    Use `brew`.
....
--8<-- "snippets/tide.md"
....
Press ++ctrl+s++ and ==keep== it, H~2~O and x^2^. :material-anchor:
....
## Moor { #moor }
....
![The harbour](../img/harbour.png){ width=300 align=left }
....
Berth
:   A place for a vessel.

Quay
:   A wall.
....
A note.[^1]

[^1]: About the tide.
....
```py hl_lines="1" linenums="1"
print("x")  # (1)!
```

1.  A remark.
""")
MINTLIFY = _parted("""\
<Note>
  Boats leave at high water, see [the chart](https://charts.example.com).
</Note>
....
<Steps>
  <Step title="Call">
    Call the pilot.
  </Step>
  <Step title="Moor">
    Use two lines.
  </Step>
</Steps>
....
<CodeGroup>
```sh Linux
apt install harbour
```
```sh macOS
brew install harbour
```
</CodeGroup>
....
<Tabs>
  <Tab title="North">
    Deep.
  </Tab>
  <Tab title="South">
    Shallow.
  </Tab>
</Tabs>
....
<CardGroup cols={2}>
  <Card title="Berths" icon="anchor" href="/part-1/page-1">
    All berths.
  </Card>
  <Card title="Tides" icon="water" href="/part-2/page-2">
    All tides.
  </Card>
</CardGroup>
....
<ParamField path="berth" type="string" required>
  The berth.
</ParamField>
....
<ResponseField name="depth" type="number">
  Metres.
</ResponseField>
....
<Frame caption="The harbour">
  ![The harbour](/images/harbour.png)
</Frame>
....
<AccordionGroup>
  <Accordion title="Depths">
    They change.
  </Accordion>
</AccordionGroup>
....
<Tide />
""")
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


class Corpus(Struct, frozen=True):
    """A system: its constructs, the ending of links to pages, its settings, and how it writes a page."""

    constructs: Sequence[str]
    page: Callable[[int, int], str]
    link: Callable[[int, int], str]
    head: str
    settings: Callable[[int], Mapping[str, str | bytes]]


def _docusaurus(pages: int) -> Mapping[str, str | bytes]:
    items = [
        {"type": "category", "label": f"Part {part}", "items": [f"part-{part}/page-{n}" for n in numbers]}
        for part, numbers in _numbers(pages)
    ]
    config = {
        "title": "Harbour", "url": "https://docs.example.com", "baseUrl": "/",
        "presets": [["classic", {"docs": {"routeBasePath": "/", "sidebarPath": "./sidebars.js"}}]],
        "themeConfig": {"navbar": {"title": "Harbour"}},
    }  # fmt: skip
    return {
        "docusaurus.config.js": f"export default {json.dumps(config)};\n",
        "sidebars.js": f"module.exports = {json.dumps({'docs': items})};\n",
        "static/img/harbour.png": PNG,
    }


def _mkdocs(pages: int) -> Mapping[str, str | bytes]:
    nav = [
        {f"Part {part}": [{f"Page {n}": f"part-{part}/page-{n}.md"} for n in numbers]}
        for part, numbers in _numbers(pages)
    ]
    names = ("admonition", "pymdownx.details", "pymdownx.snippets", "pymdownx.keys",
             "pymdownx.mark", "pymdownx.tilde", "pymdownx.caret", "attr_list", "def_list",
             "footnotes")  # fmt: skip
    listed = {"pymdownx.tabbed": {"alternate_style": True}}
    return {
        "mkdocs.yml": json.dumps({
            "site_name": "Harbour", "theme": {"name": "material"}, "nav": nav,
            "markdown_extensions": [*names, listed],
        }),
        "snippets/tide.md": "The tide turns every six hours.\n",
        "docs/img/harbour.png": PNG,
    }  # fmt: skip


def _mintlify(pages: int) -> Mapping[str, str | bytes]:
    groups = [
        {"group": f"Part {part}", "pages": [f"part-{part}/page-{n}" for n in numbers]}
        for part, numbers in _numbers(pages)
    ]
    return {
        "docs.json": json.dumps({"name": "Harbour", "navigation": {"groups": groups}}),
        "snippets/tide.mdx": "The tide turns every six hours.\n",
        "images/harbour.png": PNG,
    }


CORPORA: Mapping[str, Corpus] = {
    "docusaurus": Corpus(
        DOCUSAURUS + _JSX,
        lambda part, n: f"docs/part-{part}/page-{n}.mdx",
        lambda part, n: f"../part-{part}/page-{n}.mdx",
        "import Tabs from '@theme/Tabs';\nimport TabItem from '@theme/TabItem';\n"
        "import Gauge from '@site/src/Gauge';\n\n",
        _docusaurus,
    ),
    "mkdocs": Corpus(
        MKDOCS,
        lambda part, n: f"docs/part-{part}/page-{n}.md",
        lambda part, n: f"../part-{part}/page-{n}.md",
        "",
        _mkdocs,
    ),
    "mintlify": Corpus(
        MINTLIFY + _JSX,
        lambda part, n: f"part-{part}/page-{n}.mdx",
        lambda part, n: f"/part-{part}/page-{n}",
        'import Tide from "/snippets/tide.mdx";\n\n',
        _mintlify,
    ),
}  # fmt: skip


def _numbers(pages: int) -> Iterator[tuple[int, range]]:
    each = max(1, pages // PARTS)
    for part in range(PARTS):
        yield part, range(part * each, (part + 1) * each)


def write_corpus(system: str, pages: int, folder: Path) -> Path:
    """Write a site of a system into a folder; the same one each time."""
    chosen = random.Random(1)
    corpus = CORPORA[system]
    every = [(part, n) for part, numbers in _numbers(pages) for n in numbers]
    files = dict(corpus.settings(pages))
    for part, n in every:
        body = "\n".join(_blocks(corpus, n, every, chosen))
        files[corpus.page(part, n)] = (
            f"---\ntitle: Page {n}\ndescription: About {chosen.choice(WORDS)}\n---\n\n{corpus.head}{body}"
        )
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def _blocks(
    corpus: Corpus, number: int, every: Sequence[tuple[int, int]], chosen: random.Random
) -> Iterator[str]:
    """Yield the blocks of a page: sections of prose, each with a construct of the system and a common one."""
    for section in range(6):
        yield f"## {chosen.choice(WORDS).title()} {section}\n"
        for _ in range(2):
            words = " ".join(chosen.choices(WORDS, k=40))
            other = chosen.choice(every)
            yield f"The {words}. See [page {other[1]}]({corpus.link(*other)}).\n"
        yield corpus.constructs[(number + section) % len(corpus.constructs)]
        yield _COMMON[(number + section) % len(_COMMON)]


def measure(system: str, pages: int, runs: int, root: Path) -> str:
    """Import a site several times, and say what that costs."""
    source = write_corpus(system, pages, root / system)
    size = sum(path.stat().st_size for path in source.rglob("*") if path.is_file()) / pages / 1000
    command = (str(Path(sys.executable).with_name("twinpress")), "import", system, str(source), "new")
    found = [run(Builder(system, "", command, ("new",)), root, memory=True) for _ in range(runs)]
    wall, cpu = (statistics.median(values) for values in ([r.wall for r in found], [r.cpu for r in found]))
    peak = max(each.memory for each in found) * 1.048576
    return f"{system}: {pages:,} pages of {size:.1f} KB in {wall:.1f} s, {cpu:.1f} s of CPU, {peak:.0f} MB"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("systems", nargs="*", default=list(CORPORA))
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    wanted = parser.parse_args()
    for system in wanted.systems:
        with tempfile.TemporaryDirectory() as temporary:
            print(measure(system, wanted.pages, wanted.runs, Path(temporary)), flush=True)


if __name__ == "__main__":
    main()
