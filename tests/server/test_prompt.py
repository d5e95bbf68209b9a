from __future__ import annotations

import json
import shlex

import pytest

from server.prompt import prompt

KEY = "dpk_" + "0" * 46
BASE = "http://127.0.0.1:8000/api/v1/pages"


def calls(text: str) -> list[list[str]]:
    return [shlex.split(line) for line in text.splitlines() if line.startswith("   curl ")]


@pytest.mark.parametrize("address", ["http://127.0.0.1:8000", "http://127.0.0.1:8000/"])
def test_the_prompt_has_the_calls_for_guide_list_and_page_as_a_shell_reads_them(address: str) -> None:
    guide, pages, page = calls(prompt(address, KEY, 60))
    assert (guide[2], pages[2], page[2]) == (f"{BASE}/ai/guide", f"{BASE}/ai/site", f"{BASE}/ai/page")
    for call in (guide, pages, page):
        assert call[call.index("-H") + 1] == f"Authorization: Bearer {KEY}"
    assert page[page.index("-X") + 1] == "PUT"
    body = json.loads(page[-1])
    assert body["path"].startswith("docs/")
    assert body["body"].endswith("\n")


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(60, "expires in 60 minutes"), (1, "expires in 1 minute."), (None, "does not expire")],
)
def test_the_prompt_says_when_the_key_expires(minutes: int | None, words: str) -> None:
    assert words in prompt("https://docs.example", KEY, minutes)


def test_the_prompt_tells_to_read_the_guide_before_anything_else() -> None:
    text = prompt("https://docs.example", KEY, 60)
    assert text.index("/ai/guide") < text.index("/ai/site") < text.index("/ai/page")
    assert text.endswith("\n")
