"""The text that the copy buttons of components put on the clipboard, pressed with a key."""

from __future__ import annotations

import subprocess

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.themes.visits import Visitor

pytestmark = pytest.mark.browser


def copied(page: Page, button: Locator) -> str:
    """Press the button, which says so and keeps the focus; return what is on the clipboard."""
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Copied")
    expect(button).to_be_focused()
    return str(page.evaluate("navigator.clipboard.readText()"))


CODE = {
    "make demo": "make demo\nls",
    "curl -H": 'curl -H "Authorization: Bearer $TOKEN" https://docs.example.com/api/v1/pages/ai/site?limit=100'
    "&cursor=abcdef",
    "twinpress build": "twinpress build",
    "const old": "const next = 2;\nconst same = 3;",
    "DEBUG": None,
    "a language that nobody knows": "a language that nobody knows",
}
"""By words of a block, what is copied from it; of None all of it, as it stands there without its numbers."""


def test_code_is_copied_with_a_key_without_prompts_signs_and_numbers(reader: Visitor) -> None:
    page = reader.go("/docs/code")
    for words, expected in CODE.items():
        block = page.locator(".tp-code", has_text=words).first
        got = copied(page, block.get_by_role("button", name="Copy code"))
        assert got == (expected or block.locator("code").text_content().rstrip())
    page = reader.go("/docs/requests")
    host = page.locator(".tp-where").first
    assert copied(page, host.get_by_role("button", name="Copy host")) == "dashboard.example.com"


def arguments(command: str) -> list[str]:
    """Return what a POSIX shell gives to a program when it runs this command in place of curl."""
    script = f"curl() {{ printf '%s\\n' \"$@\"; }}\n{command}"
    variables = {"TOKEN": "t0k en", "BASE_URL": "https://base.example"}
    run = subprocess.run(["sh", "-c", script], env=variables, capture_output=True, text=True, check=True)
    assert run.stderr == ""
    return run.stdout.splitlines()


LONG = "https://api.a-rather-long-name.example.com/v2/organisations/{organisation}"
BEARER = ["-H", "Authorization: Bearer t0k en"]
REQUESTS = [
    ["https://base.example/orders/{id}"],
    ["-X", "PUT", "https://docs.example.com/api/v1/pages/ai/page", *BEARER],
    [
        "-X",
        "POST",
        f"{LONG}/projects/{{project}}/environments/{{environment}}/deployments/:deployment/logs",
        *BEARER,
    ],
    ["-X", "PATCH", "https://a.example/it's/$(touch pwned)/`x`", *BEARER],
    ["-X", "DELETE", "https://base.example/orders/{id}"],
    ["-X", "OPTIONS", "https://base.example/"],
    ["--head", "https://a.example/health"],
]
"""The arguments that curl is given for each endpoint of the page."""


def test_what_is_copied_as_curl_means_the_same_to_a_shell(reader: Visitor) -> None:
    page = reader.go("/docs/requests")
    buttons = page.get_by_role("button", name="Copy as cURL").all()
    assert [arguments(copied(page, button)) for button in buttons] == REQUESTS


@pytest.mark.parametrize("other", [1, 0], ids=["of another block", "of the same block"])
def test_what_was_copied_last_is_said_for_its_own_time(reader: Visitor, other: int) -> None:
    page = reader.page
    page.clock.install()
    buttons = reader.go("/docs/code").get_by_role("button", name="Copy code").all()
    first, second = buttons[0], buttons[other]
    page.clock.pause_at(page.evaluate("Date.now() + 60_000"))  # time stands still on a busy machine, too
    copied(page, first)
    page.clock.run_for(1500)
    copied(page, second)
    for passed in (200, 1300):
        page.clock.run_for(passed)
        expect(page.get_by_role("status")).to_have_text("Copied")
    page.clock.run_for(200)
    expect(page.get_by_role("status")).to_have_text("")
    expect(page.locator(".tp-done")).to_have_count(0)
