from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from server.cli.commands.key import key
from server.control import KeyKind, KeyRecord, SiteKeys, kind_of, local_database, local_site
from server.control.keys.key_text import generate
from tests.server.cli.sites import GOOD
from tests.server.commands import twinpress
from tests.server.history.sites import opened
from tests.sites import write_site


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(tmp_path / "site", GOOD)


def listed(site: Path) -> list[dict[str, Any]]:
    done = twinpress("key", "list", "--format", "json", cwd=site)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", list(key.commands))
def test_help_gives_an_example_of_each_key_command(tmp_path: Path, name: str) -> None:
    done = twinpress("key", name, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert f"  twinpress key {name}" in done.stdout.replace("Usage: ", "")


@pytest.mark.parametrize("kind", KeyKind)
def test_a_new_key_stands_alone_on_standard_output_and_opens_the_site(site: Path, kind: KeyKind) -> None:
    done = twinpress("key", "create", "--kind", kind, "--label", "for CI", cwd=site)
    assert done.returncode == 0, done.stderr
    text = done.stdout.removesuffix("\n")
    assert kind_of(text) is kind
    assert text not in done.stderr
    with local_database(site) as database:
        record = SiteKeys(database).check(text)
    assert record.label == "for CI"
    assert record.id in done.stderr


def test_the_prompt_follows_the_key_after_an_empty_line(site: Path) -> None:
    arguments = ("--kind", "one-off", "--prompt", "--url", "https://docs.example:8443/")
    done = twinpress("key", "create", *arguments, cwd=site)
    text, empty, *prompt = done.stdout.splitlines()
    assert empty == ""
    assert "Base address: https://docs.example:8443/api/v1/pages" in prompt
    assert f"Key: {text}" in prompt
    assert "The key expires in 60 minutes." in prompt


def test_the_prompt_of_a_long_lived_key_speaks_of_no_end(site: Path) -> None:
    done = twinpress("key", "create", "--kind", "long-lived", "--prompt", cwd=site)
    assert "The key does not expire." in done.stdout
    assert "http://127.0.0.1:8000/api/v1/pages" in done.stdout


def test_the_prompt_ends_with_the_task(site: Path) -> None:
    task = "Write about backups.\n\n- Use {braces}, `code`\x1b[2J and $KEY."
    done = twinpress("key", "create", "--kind", "one-off", "--prompt", "--task", task, cwd=site)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(
        "\nMy task for you:\n\nWrite about backups.\n\n- Use {braces}, `code`␛[2J and $KEY.\n"
    )


def test_a_prompt_without_a_kind_has_a_one_off_key(site):
    done = twinpress("key", "create", "--prompt", "--task", "Write.", cwd=site)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("dpk_")


@pytest.mark.parametrize(("option", "navigation"), [("--navigation", True), ("--no-navigation", False)])
def test_a_key_may_change_the_navigation_unless_its_owner_says_no(
    site: Path, option: str, *, navigation: bool
) -> None:
    assert twinpress("key", "create", "--kind", "one-off", option, cwd=site).returncode == 0
    assert [each["navigation"] for each in listed(site)] == [navigation]


_LAST = ("EXPIRES", "LAST USED", "LABEL")


def test_the_list_tells_all_but_the_key(site: Path) -> None:
    text = twinpress("key", "create", "--kind", "long-lived", "--label", "ci", cwd=site).stdout.strip()
    done = twinpress("key", "list", "site", cwd=site.parent)
    head, row = done.stdout.splitlines()
    assert re.split(r"  +", head) == ["ID", "KIND", "ENDS WITH", "STATE", "NAVIGATION", *_LAST]
    assert re.split(r"  +", row)[1:] == ["long-lived", text[-4:], "active", "yes", "never", "never", "ci"]
    (found,) = listed(site)
    assert found["prefix"] == "svc_docs_"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found["created_at"] or "")
    assert (found["expires_at"], found["last_used_at"]) == (None, None)
    assert text not in done.stdout + json.dumps(found)


def test_a_site_without_keys_has_an_empty_list(site: Path) -> None:
    assert listed(site) == []
    done = twinpress("key", "list", cwd=site)
    assert (done.returncode, done.stdout) == (0, "")
    assert "twinpress key create" in done.stderr


def stored(site: Path) -> tuple[KeyRecord, ...]:
    with local_database(site) as database:
        return SiteKeys(database).list(local_site(database))


def test_a_key_is_disabled_enabled_and_deleted_by_id_label_and_ending(site: Path) -> None:
    text = twinpress("key", "create", "--kind", "one-off", "--label", "a", cwd=site).stdout.strip()
    for act, name in (("disable", "a"), ("enable", text[-4:]), ("disable", stored(site)[0].id)):
        done = twinpress("key", act, name, cwd=site)
        assert done.returncode == 0, done.stderr
        assert f"is {act}d" in done.stderr
        assert [each.disabled for each in stored(site)] == [act == "disable"]
    done = twinpress("key", "delete", "site", "a", cwd=site.parent)
    assert done.returncode == 0, done.stderr
    assert stored(site) == ()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["create"], "'--kind'"),
        (["create", "--kind", "weekly"], "'weekly' is not one of 'one-off', 'long-lived'"),
        (["create", "nowhere", "--kind", "one-off"], "'nowhere' does not exist"),
        (["create", "..", "--kind", "one-off"], "no site"),
        (["create", "--kind", "one-off", "--label", "x" * 81], "80 characters"),
        (["create", "--kind", "one-off", "--label", "a\tb"], "cannot be seen"),
        (["create", "--kind", "one-off", "--url", "localhost"], "like http://127.0.0.1:8000"),
        (["create", "--kind", "one-off", "--url", "http://a'; rm x"], "like http://127.0.0.1:8000"),
        (["create", "--kind", "one-off", "--task", "Write."], "add --prompt"),
        (["list", "--format", "xml"], "'xml' is not one of 'text', 'json'"),
        (["delete"], "Missing argument 'KEY'"),
        (["enable", "nowhere", "x"], "'nowhere' does not exist"),
        (["delete", "a", "b", "c"], "unexpected extra argument (c)"),
        (["disable", "nothing"], "there is no key `nothing`\n  give its id"),
    ],
)
def test_wrong_usage_of_keys_is_explained_and_makes_none(
    site: Path, arguments: list[str], words: str
) -> None:
    done = twinpress("key", *arguments, cwd=site)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(site.parent.glob(".twinpress"))
    assert done.stdout == ""


def test_a_label_of_two_keys_asks_for_an_id(site: Path) -> None:
    with local_database(site) as database:
        made = [
            SiteKeys(database).create(KeyKind.ONE_OFF, local_site(database), "ci").record for _ in range(2)
        ]
    done = twinpress("key", "delete", "ci", cwd=site)
    assert done.returncode == 2
    assert all(each.id in done.stderr for each in made)
    assert len(stored(site)) == 2


@pytest.fixture(scope="module")
def site_in_use(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with a key and a history."""
    site = write_site(tmp_path_factory.mktemp("in-use") / "site", GOOD)
    with local_database(site) as database:
        SiteKeys(database).create(KeyKind.ONE_OFF, local_site(database), "first")
    with opened(site) as (history, store):
        store.write("docs/a", "md", "1")
        history.catch_up()
    return site


@pytest.mark.parametrize(
    "words",
    [
        ("key", "create", "--kind", "one-off", "--label", "my_{}"),
        ("key", "create", "--kind", "{}"),
        ("key", "create", "{}", "--kind", "one-off"),
        ("key", "create", "--kind", "one-off", "--url", "{}"),
        ("key", "create", "--kind", "one-off", "--{}"),
        ("key", "delete", "x{}"),
        ("key", "disable", ".", "{}x", "{}"),
        ("key", "{}"),
        ("undo", "--key", "my_{}"),
        ("undo", "--key", "{}"),
        ("history", "{}"),
        ("history", "--site", "{}"),
        ("restore", "{}"),
        ("serve", "{}"),
        ("build", "--{}"),
        ("check", "{}"),
        ("{}",),
    ],
)
def test_no_command_shows_a_key_that_it_was_given(site_in_use: Path, words: tuple[str, ...]) -> None:
    text = generate(KeyKind.ONE_OFF)
    done = twinpress(*(word.format(text) for word in words), cwd=site_in_use)
    assert text.removeprefix("dpk_") not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == (0 if words == ("history", "{}") else 2), done.stderr
