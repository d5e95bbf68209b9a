"""The words of the pages themselves: in the site's language, in every output, and a site may change them."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

import themes
from builder import config, theme
from builder.plan.options import Options
from components.words import ENGLISH, NAMES, PLACE, fitted, wanted, written_day
from tests.sites import Built, build_site

TABLES = sorted((themes.default() / "words").glob("*.json"))
ASKED = {"ar", "de", "es", "fr", "he", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "uk", "zh", "zh-hant"}

BODY = """
:::note
x
:::
:::tip
x
:::
:::info
x
:::
:::warning
x
:::
:::caution
x
:::
:::danger
x
:::
<Tabs labels=",b"><TabItem>x</TabItem><TabItem>y</TabItem></Tabs>

<CodeGroup>

```
x
```

</CodeGroup>
<Accordion><AccordionItem>x</AccordionItem></Accordion>
<Embed src="https://www.youtube.com/watch?v=aqz-KE-bpKQ" />
<Endpoint summary="x" />
<Endpoint method="GET" path="/a" auth="required" />
<Endpoint method="GET" path="/b" auth="optional" />
<Endpoint method="GET" path="/c" auth="none" />
<Endpoint method="GET" path="/d" auth="mTLS" />
<Params><Param name="a" required default="1">x</Param></Params>
<WhereItLives host="a.example" />

<details>x</details>

- [ ] x
- [x] y

A note.[^1]

[^1]: z

## One
## Two
"""
FILES = {
    "docs/a.mdx": f"---\ntitle: A\n---\n{BODY}",
    "docs/b.md": "> [!IMPORTANT]\n> x\n",
    "docs/c.mdx": "<Callout>x</Callout>\n\ny <Callout>x</Callout> z\n",
    "docs/in/d.md": "x\n",
    "docs/e.md": "---\ndraft: true\n---\nx\n",
    "pages/about.md": "x\n",
}
DIAGRAM = {"docs/f.mdx": "```mermaid\nflowchart LR\n  x --> y\n```\n"}
REDIRECT = (
    "redirects:\n  /old: /docs/a\nedit_url: https://x.example/{path}\n"
    "feedback: https://x.example/new\nurl: https://t.example\npage_menu: [claude]\n"
    "nav:\n- {label: N, href: /docs/a}\n"
)


class Said(HTMLParser):
    """Everything that a page says: its text and what is spoken in place of text."""

    ATTRIBUTES = ("aria-label", "title", "alt", "data-copy-label", "data-words")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.parts += [value for name, value in attrs if name in self.ATTRIBUTES and value]
        self.parts += [unquote(value) for name, value in attrs if name == "href" and value]

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def says(built: Built) -> str:
    """All that the outputs of a build say."""
    texts = (
        built.text(path) for path in sorted(built.output.paths) if path.endswith((".html", ".md", ".txt"))
    )
    return "\n".join("\n".join(Said(text).parts) if text.startswith("<!doctype") else text for text in texts)


def marked(name: str) -> str:
    """A word that no page has, with what the English one has for what is put into it."""
    if name == "months":
        return ",".join(f"zz{number}zz" for number in range(1, 13))
    return f"zz{name}zz{''.join(re.findall('{.*?}', getattr(ENGLISH, name)))}"


def site(extra: str = "") -> str:
    own = "".join(f"  {name}: '{marked(name)}'\n" for name in NAMES)
    return f"title: T\n{REDIRECT}{extra}words:\n{own}"


EXTRA = "announcement: {text: x}\nfooter: {social: {email: a@b.example}}\n"


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Join all outputs of a premium and a free site of which every word is another."""
    folder = tmp_path_factory.mktemp("words")
    premium, free = (
        build_site(
            folder,
            {"site.yml": site(f"{EXTRA}extras: [diagrams]\n"), **FILES, **DIAGRAM},
            Options(plan=plan, drafts=True),
        )
        for plan in ("premium", "free")
    )
    return f"{says(premium)}\n{says(free)}"


ONLY_ELSEWHERE = {"all_of", "updated", "date", "months"}
"""On large sites, and in git repositories."""


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ONLY_ELSEWHERE])
def test_a_word_of_the_sites_own_is_said(said: str, name: str) -> None:
    assert f"zz{name}zz" in said


def test_nothing_is_said_in_english_where_every_word_is_another(said: str) -> None:
    english = {getattr(ENGLISH, name) for name in NAMES}
    lines = {line.strip().strip("*>:").strip() for line in said.split("\n")}
    assert lines & english == set()
    placed = {part.strip(" .:") for text in english if PLACE in text for part in re.split("{.*?}", text)}
    assert [text for text in placed if len(text) > 6 and text in said] == []


def test_a_large_category_says_it_too(tmp_path: Path) -> None:
    pages = {f"docs/p{number}.md": "x\n" for number in range(302)}
    built = build_site(tmp_path, {"site.yml": site(), **pages})
    assert "zzall_ofzzDocs" in built.text("docs/p1.html")


@pytest.mark.parametrize("file", TABLES, ids=[file.stem for file in TABLES])
def test_a_language_has_every_word_and_no_other(file: Path) -> None:
    words = json.loads(file.read_text("utf-8"))
    assert tuple(words) == NAMES
    assert [name for name, text in words.items() if text != text.strip() or not text] == []
    assert [asked for name in NAMES if (asked := wanted(name, words[name]))] == []
    spoken = [name for name in NAMES if words[name] == getattr(ENGLISH, name)]
    assert len(spoken) < 15, spoken


def test_the_languages_that_are_documented_are_there() -> None:
    (option,) = (each for each in config.options(config.SiteConfig) if each.name == "language")
    told = {name.lower() for name in re.findall(r"`([a-zA-Z-]+)`", option.meaning)} - {"words"}
    assert told == set(theme.languages(theme.DEFAULT)) == ASKED | {"en"}


TAGS = [
    ("de", "Auf dieser Seite", "ltr"),
    ("de-AT", "Auf dieser Seite", "ltr"),
    ("PT-br", "Nesta página", "ltr"),
    ("zh-CN", "本页内容", "ltr"),
    ("zh-TW", "本頁內容", "ltr"),
    ("zh-Hant-HK", "本頁內容", "ltr"),
    ("ar", "في هذه الصفحة", "rtl"),
    ("en-GB", "On this page", "ltr"),
]


@pytest.mark.parametrize(("tag", "word", "direction"), TAGS)
def test_a_language_tag_finds_its_words_and_its_direction(
    tmp_path: Path, tag: str, word: str, direction: str
) -> None:
    built = build_site(tmp_path, {"site.yml": f"language: {tag}\n", "docs/a.md": "# A\n\n## B\n\n## C\n"})
    assert built.codes == []
    assert f">{word}</p>" in built.text("docs/a.html")
    assert f'<html lang="{tag}" dir="{direction}"' in built.text("docs/a.html")


def test_a_direction_of_ones_own_counts(tmp_path: Path) -> None:
    built = build_site(tmp_path, {"site.yml": "language: he\ndirection: ltr\n", "docs/a.md": "x\n"})
    assert 'dir="ltr"' in built.text("docs/a.html")


def test_the_twin_speaks_the_language_too(tmp_path: Path) -> None:
    body = ':::warning\nx\n:::\n\n<Params><Param name="a" required default="1">x</Param></Params>\n'
    built = build_site(tmp_path, {"site.yml": "language: de\n", "docs/a.mdx": body})
    assert "> **Warnung**" in built.text("docs/a.md")
    assert "- `a` erforderlich Standard `1`: x" in built.text("docs/a.md")


def test_a_language_without_words_is_english_and_told(tmp_path: Path) -> None:
    built = build_site(tmp_path, {"site.yml": "title: T\nlanguage: sw\n", "docs/a.md": "## B\n## C\n"})
    (found,) = built.diagnostics
    assert (found.code, found.level, found.line, found.column) == ("language-unknown", "info", 2, 11)
    assert "`words`" in found.hint
    assert ">On this page</p>" in built.text("docs/a.html")


def test_a_language_whose_every_word_is_written_in_the_configuration_is_not_told(tmp_path: Path) -> None:
    assert build_site(tmp_path, {"site.yml": site("language: sw\n"), "docs/a.md": "x\n"}).codes == []


WRONG = [
    ("words:\n  on_this_pag: X\n", "config-unknown-key", (2, 3), "did you mean `on_this_page`?"),
    ("words:\n  next: 4\n", "config-invalid", (2, 9), "put it into quotes"),
    ("words:\n  next: ''\n", "config-invalid", (2, 9), ""),
    ("words:\n  table: Tabula\n", "config-invalid", (2, 10), "as in `Table {}`"),
    ("words:\n  next: '{} on'\n", "config-invalid", (2, 9), "as in `Next`"),
    ("words:\n  date: '{day} {month}'\n", "config-invalid", (2, 9), "as in `{month} {day}, {year}`"),
    ("words:\n  search_results: '{} found'\n", "config-invalid", (2, 19), "as in `Pages: {} of {total}`"),
    ("words:\n  months: Jan, Feb\n", "config-invalid", (2, 11), "as in `January, February"),
    ("words: [Next]\n", "config-invalid", (1, 8), ""),
]


@pytest.mark.parametrize(("text", "code", "place", "hint"), WRONG)
def test_a_word_that_cannot_be_used_is_told_and_left_as_it_was(
    text: str, code: str, place: tuple[int, int], hint: str
) -> None:
    made, (found,) = config.load(text)
    assert (found.code, (found.line, found.column)) == (code, place)
    assert hint in found.hint
    assert made.words == {}


def test_a_word_with_markup_is_text_everywhere(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>\"'&*_`"
    own = "".join(
        f"  {name}: {json.dumps(evil + ''.join(re.findall('{.*?}', getattr(ENGLISH, name))))}\n"
        for name in NAMES
    )
    built = build_site(
        tmp_path, {"site.yml": f"title: T\n{REDIRECT}words:\n{own}", **FILES}, Options(drafts=True)
    )
    assert [
        path for path in built.output.paths if path.endswith(".html") and "<img" in built.text(path)
    ] == []
    assert "\n<img" not in built.text("docs/a.md")


DAYS = [
    ("en", "2026-03-01", "March 1, 2026"),
    ("de-AT", "2026-03-09", "9. März 2026"),
    ("fr", "2025-08-31", "31 août 2025"),
    ("pt-BR", "2026-12-24", "24 de dezembro de 2026"),
    ("pl", "2026-05-03", "3 maja 2026"),
    ("ru", "2026-01-07", "7 января 2026 г."),
    ("he", "2026-10-02", "2 באוקטובר 2026"),
    ("ja", "2026-04-10", "2026年4月10日"),
    ("ko", "2026-11-21", "2026년 11월 21일"),
]


@pytest.mark.parametrize(("language", "date", "day"), DAYS)
def test_a_day_is_written_as_people_write_it(language: str, date: str, day: str) -> None:
    words = theme.words(theme.DEFAULT, language)
    assert words
    assert written_day(words, date) == day


def test_a_place_is_filled_once_and_not_within_what_is_put_there() -> None:
    assert fitted("{} of {}", "{}") == "{} of {}"
