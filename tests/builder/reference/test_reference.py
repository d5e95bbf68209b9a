"""The generated reference pages are what the code says now, and what they show is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from builder import config
from builder.diagnostic_codes import CODES
from builder.reference.__main__ import main, pages
from builder.reference.examples import EXAMPLES
from tests.sites import build_site

DOCS = Path(__file__).parents[3] / "sample-site" / "docs"
SITE = {
    "site.yml": "title: Harbour\nplan: {plan}\nextras: [{extra}]\n",
    "docs/guide/hello.mdx": "Ahoy.\n",
    "pages/index.mdx": "Ahoy.\n",
}


@pytest.mark.parametrize("name", sorted(pages()))
def test_a_committed_page_is_the_generated_one(name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == pages()[name], "run `make reference`"


@pytest.mark.parametrize("code", sorted(EXAMPLES))
def test_the_example_of_a_code_gives_that_code_and_no_other(code: str, tmp_path: Path) -> None:
    plan = "free" if code == "premium-hidden" else "premium"
    files = {name: text.format(plan=plan, extra=EXAMPLES[code].extra) for name, text in SITE.items()}
    built = build_site(tmp_path, {**files, EXAMPLES[code].file: EXAMPLES[code].text})
    assert set(built.codes) == {code}


def test_every_code_is_on_the_page_with_an_id_of_its_own() -> None:
    text = pages()["reference/diagnostics.mdx"]
    assert [code for code in CODES if text.count(f"### `{code}`\n") != 1] == []


def test_every_example_of_the_configuration_page_is_valid() -> None:
    text = pages()["reference/configuration.mdx"]
    examples = re.findall(r"^```yaml[^\n]*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(examples) > 10
    assert [config.load(example)[1] for example in examples if config.load(example)[1]] == []


def test_the_command_writes_all_pages_below_its_folder(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 0
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.mdx")} == set(pages())


def test_the_command_without_a_folder_says_how_it_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage:" in capsys.readouterr().err
