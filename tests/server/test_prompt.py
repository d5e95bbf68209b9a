"""The prompt that an owner pastes: short, one call as a shell reads it, and the task as it was written."""

from __future__ import annotations

import shlex

import pytest

from server.control.keys.key_text import KeyKind, generate
from server.prompt import MOST, prompt

KEY = "dpk_" + "0" * 46
BASE = "http://127.0.0.1:8000/api/v1/pages"
TASK = "Write about backups.\n\n  1. Name {base} and $KEY, `code`, 100 %s\n  2. Link to it\tfrom the start."


@pytest.mark.parametrize("address", ["http://127.0.0.1:8000", "http://127.0.0.1:8000/"])
def test_the_prompt_has_the_call_for_the_guide_as_a_shell_reads_it(address: str) -> None:
    text = prompt(address, KEY, 60)
    (call,) = [shlex.split(line) for line in text.splitlines() if line.startswith("   curl ")]
    assert call == [
        *("curl", "-sS", f"{BASE}/ai/guide"),
        *("-H", f"Authorization: Bearer {KEY}", "-H", "Accept: text/markdown"),
    ]
    assert f"{BASE}/mcp" in text
    assert text.index("/ai/guide") < text.index("/ai/site") < text.index("dry_run")


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(60, "expires in 60 minutes"), (1, "expires in 1 minute."), (None, "does not expire")],
)
def test_the_prompt_says_when_the_key_expires(minutes: int | None, words: str) -> None:
    assert words in prompt("https://docs.example", KEY, minutes)


@pytest.mark.parametrize("kind", KeyKind)
def test_the_prompt_is_short(kind: KeyKind) -> None:
    text = prompt("https://documentation.example-company.com:8443", generate(kind), None)
    assert len(text) <= MOST == 1_200


def test_the_owner_s_task_is_the_end_of_the_prompt_as_it_was_written() -> None:
    text = prompt("https://docs.example", KEY, 60, TASK)
    assert text == f"{prompt('https://docs.example', KEY, 60)}\n{TASK}\n"
    assert text.partition("\nMy task for you:\n\n")[2] == f"{TASK}\n"


@pytest.mark.parametrize(
    ("task", "end"),
    [
        ("a\r\nb\rc\n\n", "a\nb\nc\n"),
        ("\x1b]0;owned\x07\x1b[2J", "␛]0;owned␇␛[2J\n"),
        ("right\u202eleft, a byte \udcff", "right<U+202E>left, a byte <U+DCFF>\n"),
        ("Schreib über 港 👩\u200d💻", "Schreib über 港 👩\u200d💻\n"),
        ("\n \n", ":\n\n \n"),
        ("", "My task for you:\n"),
        ("x" * 100_000, f"\n\n{'x' * 100_000}\n"),
    ],
    ids=["ends of lines", "terminal", "invisible", "scripts", "blank", "none", "long"],
)
def test_a_task_of_any_length_is_kept_and_shows_what_a_terminal_would_obey(task: str, end: str) -> None:
    assert prompt("https://docs.example", KEY, 60, task).endswith(end)
