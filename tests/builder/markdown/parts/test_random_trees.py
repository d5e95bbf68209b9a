"""Random trees of parts, own components, code and variables: no exception, and nothing is read outside."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builder.markdown.body import render
from builder.markdown.context import Context, SiteParts
from builder.markdown.page import Body, BodySource
from builder.store.part_files import PartFiles
from tests.builder.bodies import faults, text_of
from tests.builder.included import BOTH, LINKS
from tests.builder.trees import in_memory, make

NAMES = [
    "docs/_a.mdx",
    "docs/_b.md",
    "docs/_parts/c.mdx",
    "_components/Box.mdx",
    "_components/Two.mdx",
    "code/x.py",
]
SOURCES = [
    "_a.mdx",
    "./_b.md",
    "_parts/c.mdx",
    "../_a.mdx",
    "../_b.md",
    "/docs/_parts/c.mdx",
    "c.mdx",
    "../code/x.py",
    "x.py",
    "/code/x.py",
    "../.git/config",
    "/.env",
    "../../other/secret.txt",
    "../../other/_x.mdx",
    "/etc/passwd",
    "%{v}",
    "../.twinpress/state/_keys.mdx",
    "_link.mdx",
    "/link.txt",
    "away/_x.mdx",
    "..",
    "",
    "_a.mdx/..",
    "//etc/passwd",
    "..\\..\\other",
    "../dist/_built.mdx",
    "/dist/page.html",
    "\0",
    "guide.mdx",
    "./_PARTS/c.mdx",
    "file:///etc/passwd",
]
SECRETS = dict.fromkeys(
    (
        "site/.git/config",
        "site/.env",
        "site/.twinpress/state/_keys.mdx",
        "other/secret.txt",
        "other/_x.mdx",
        "site/docs/guide.mdx",
        "site/dist/_built.mdx",
        "site/dist/page.html",
    ),
    "SECRET",
) | {"site/dist/_tp/manifest.json": "{}"}
LEADS = st.sampled_from(["", "", "", "> ", "- ", "1. ", "  ", "    ", "\t", "> - ", "# ", "| "])
ENDS = st.sampled_from(["\n", "\n\n", " ", "", "\n>\n", "\r\n"])

_word = st.integers(0, 999).map(lambda number: f"w{number}q")
_source = st.sampled_from(SOURCES)
_leaf = st.one_of(
    _word,
    _word,
    st.sampled_from(
        ["%{v}", "%{w}", "\\%{v}", "`%{v}`", "{", "}", "<", "```", "::: ", ":::note\n", "<Slot/>"]
    ),
    st.sampled_from(
        ["[x](%{v})", "[x](./_a)", '<Card title="%{v}">', "</Card>", "</Box>", "<Callout>", "\ud800"]
    ),
    _source.map(lambda src: f'<Include src="{src}" v="[1](../x) {{" />'),
    _source.map(lambda src: f'\n```py file="{src}" region="r" vars\n```\n'),
    _source.map(lambda src: f'\n```py file="{src}"\nown\n```\n'),
    st.just("\n# region r\ncode\n# endregion\n"),
    st.sampled_from(
        ["\n```sh vars\n%{v}\n```\n", "\n---\nattributes: {a: url}\n---\n", "<!-- ", "-->", "<Include"]
    ),
)
_tree = st.recursive(
    st.lists(_leaf, min_size=1, max_size=4).map(" ".join),
    lambda inner: st.one_of(
        st.tuples(LEADS, inner, ENDS).map("".join),
        st.lists(inner, max_size=3).map("\n".join),
        inner.map(lambda text: f"<Box a='../y'>\n{text}\n</Box>"),
        inner.map(lambda text: f"<Two>{text}<Slot name='n'>{text}</Slot></Two>"),
        inner.map(lambda text: f"<Slot name='n'>{text}</Slot>"),
    ),
    max_leaves=8,
)
_files = st.dictionaries(st.sampled_from(NAMES), _tree, max_size=len(NAMES))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with in_memory(tmp_path_factory.mktemp("trees")) as made:
        make(made, SECRETS)
        yield made


def _rendered(place: Path, page: str, files: dict[str, str], *, premium: bool) -> Body:
    site = place / "site"
    for folder in ("docs/_parts", "_components", "code"):
        shutil.rmtree(site / folder, ignore_errors=True)
    for name in NAMES[:2]:
        (site / name).unlink(missing_ok=True)
    make(site, {name: text.encode(errors="surrogatepass") for name, text in files.items()})
    for link, target in (
        ("docs/_link.mdx", "../.env"),
        ("link.txt", "/etc/passwd"),
        ("docs/away", "../../other"),
    ):
        if not (site / link).is_symlink():
            (site / link).symlink_to(target)
    parts = SiteParts(PartFiles(str(site)), {"": {"v": "value", "V": "[1](../x)"}})
    source = BodySource(page, "mdx", "docs/start.mdx", 1, "docs/start")
    return render(source, Context(premium, (), LINKS, "", "https://o.example", extras=BOTH, parts=parts))


def _holds(place: Path, page: str, files: dict[str, str], *, premium: bool) -> None:
    body = _rendered(place, page, files, premium=premium)
    everything = body.html + body.twin + repr(body.diagnostics)
    assert "SECRET" not in everything
    assert "root:" not in everything
    assert [one for one in faults(body.html) if "codepoint" not in one] == []
    seen = set(re.findall(r"w\d+q", text_of(body.html)))
    assert seen <= set(re.findall(r"w\d+q", body.twin))
    lines = page.count("\n") + page.count("\r") + 1
    assert all(1 <= one.line <= lines for one in body.diagnostics)


ANY = {
    "deadline": None,
    "suppress_health_check": [
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
        HealthCheck.data_too_large,
    ],
}


@settings(max_examples=200, **ANY)
@given(page=_tree, files=_files, premium=st.booleans())
def test_random_trees_are_expanded_safely(
    place: Path, page: str, files: dict[str, str], premium: bool
) -> None:
    _holds(place, page, files, premium=premium)


@pytest.mark.slow
@settings(max_examples=5_000, **ANY)
@given(page=_tree, files=_files, premium=st.booleans())
def test_thousands_of_random_trees_are_expanded_safely(
    place: Path, page: str, files: dict[str, str], premium: bool
) -> None:
    _holds(place, page, files, premium=premium)
