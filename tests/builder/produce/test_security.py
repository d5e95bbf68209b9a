"""Script injection into whole pages: by frontmatter, categories, `site.yml` and redirects, and by bodies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

import pytest
import yaml

from builder import theme
from tests.builder.whole_pages import faults, policy, scripts
from tests.corpora import payloads
from tests.sites import Built, build_site

PLAIN = "title: T\nurl: https://o.example\n"


def dumped(**values: object) -> str:
    return yaml.safe_dump(values, allow_unicode=True)


def head(text: str) -> str:
    return f"---\n{dumped(title=text, description=text, sidebar_label=text)}---\n"


def pages(built: Built, paths: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """These pages, or all."""
    chosen = list(paths) or [path for path in built.output.written if path.endswith(".html")]
    return ((path, built.text(path)) for path in chosen)


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page of a site without bad intent."""
    files = {"site.yml": PLAIN, "pages/index.md": f"{head('Plain words')}Plain words\n"}
    return build_site(tmp_path_factory.mktemp("harmless"), files).text("index.html")


def test_nothing_comes_from_frontmatter_and_bodies(tmp_path: Path, harmless: str) -> None:
    given = payloads()
    files = {
        f"pages/p{n}.{'mdx' if n % 2 else 'md'}": f"{head(text)}{text}\n\n## {text}\n\n## a\n\n{text}\n"
        for n, text in enumerate(given)
    }
    built = build_site(tmp_path, {"site.yml": PLAIN, **files})
    for n, text in enumerate(given):
        html = built.text(f"p{n}.html")
        assert faults(html) == [], text
        assert scripts(html) == scripts(harmless), text


def test_nothing_comes_from_categories_and_the_sidebar(tmp_path: Path, harmless: str) -> None:
    for number, batch in zip(count(), chunks(payloads(), 100)):
        files = {"site.yml": PLAIN}
        for n, text in enumerate(batch):
            files[f"docs/c{n}/_category_.json"] = json.dumps({"label": text})
            files[f"docs/c{n}/p.md"] = head(text)
        built = build_site(tmp_path / str(number), files)
        shown = ["docs/index.html", "404.html", "docs/c1/index.html", "docs/c1/p.html", "docs/c50/p.html"]
        for path, html in pages(built, shown):
            assert faults(html) == [], path
            assert scripts(html) == scripts(harmless)


def test_nothing_comes_from_links_and_redirects_of_the_site(tmp_path: Path, harmless: str) -> None:
    moved = theme.moved_script(theme.DEFAULT)
    for number, batch in zip(count(), chunks(payloads(), 100)):
        links = [{"label": text, "href": text} for text in batch]
        links += [{"label": text, "href": "/docs/a"} for text in batch]
        redirects = {f"/old{n}": text for n, text in enumerate(batch)} | {
            f"/{text}": "/docs/a" for text in batch
        }
        config = dumped(nav=links, footer={"text": batch[0], "links": links}, redirects=redirects)
        built = build_site(tmp_path / str(number), {"site.yml": PLAIN + config, "docs/a.md": "a"})
        for path, html in pages(built):
            assert faults(html) == [], path
            assert set(scripts(html)) <= {*scripts(harmless), ("", moved)}, path


def test_nothing_comes_from_the_rest_of_the_configuration(tmp_path: Path, harmless: str) -> None:
    for number, text in enumerate(payloads()):
        config = dumped(
            title=text, description=text, url=f"https://o.example/{text}", logo=text, favicon=text,
            language=text, direction=text, embed_hosts=[text, "o.example"],
            edit_url=f"https://o.example/{{path}}?{text}", footer={"text": text}, plan=text, **{text: text},
        )  # fmt: skip
        built = build_site(tmp_path / str(number), {"site.yml": config, "pages/index.md": "Plain words\n"})
        html = built.text("index.html")
        assert faults(html) == [], text
        assert [script for _, script in scripts(html)] == [script for _, script in scripts(harmless)]
        assert policy(html) | {"frame-src": []} == policy(harmless) | {"frame-src": []}, text
        assert set(policy(html)["frame-src"]) <= {"https://o.example", "https://www.o.example"}, text


PLACES = ('<main class="tp-main" id="tp-content" tabindex="-1">', '<article class="tp-prose">')


@pytest.mark.parametrize("place", PLACES)
def test_the_payloads_are_found_where_nothing_is_done(harmless: str, place: str) -> None:
    before, mark, after = harmless.partition(place)
    assert mark
    assert faults(harmless) == []
    found = [text for text in payloads() if faults(f"{before}{mark}{text}{after}")]
    assert len(found) > len(payloads()) / 2


def chunks(texts: list[str], size: int) -> Iterator[list[str]]:
    return (texts[start : start + size] for start in range(0, len(texts), size))
