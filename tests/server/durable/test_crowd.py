"""Many write at a time: clients, an editor, and two servers of one site."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from server.history import History
from tests.server.api.exchange import Reply
from tests.server.authoring.client import Client
from tests.server.durable.servers import make_key, server
from tests.sites import write_site
from tests.time_bounds import slowness
from tests.waiting import PATIENCE, until

CLIENTS = 50
ROUNDS = 2
PUTS = 15
ENOUGH = 5
RETURN = 5.0
"""Seconds in which what was displaced in error has its name again, on the busiest machine."""
PATH = "docs/a"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(
        tmp_path_factory.mktemp("site"),
        {"site.yml": "title: T\n", "docs/index.md": "# T\n", "docs/a.md": "0"},
    )


@pytest.fixture(scope="module")
def clients(site: Path) -> Iterator[tuple[Client, Client]]:
    """Of two servers of the site."""
    key = make_key(site)
    with server(site, key) as one, server(site, key) as other:
        yield one, other


def put(client: Client, text: str, tag: str = "") -> Reply:
    """Write the page, its twin being the same text, if it has this tag."""
    page = {"path": PATH, "format": "md", "body": text, "llmBody": text}
    return client.put(page, **({"If_Match": tag} if tag else {}))


def words(text: str) -> str:
    """A text in which a torn page shows."""
    return f"{text}\n" * 400


def told(data: dict[str, str]) -> str:
    """Return what a page of `words` says; it must be one whole PUT."""
    (line,) = set(data["body"].splitlines())
    assert data["body"] == data["llmBody"] == words(line)
    return line


def test_of_fifty_clients_that_write_one_page_one_wins_a_round_and_each_get_is_one_whole_put(
    clients: tuple[Client, Client],
) -> None:
    put(clients[0], words("start"))
    done = threading.Event()

    def look() -> set[str]:
        seen = set()
        while not done.is_set():
            seen.add(told(clients[0].page(PATH).data))
        return seen

    with ThreadPoolExecutor(CLIENTS + 1) as threads:
        reader = threads.submit(look)
        try:
            for n in range(ROUNDS):
                tag = clients[0].page(PATH).headers["etag"]
                texts = [f"round {n}, client {k}" for k in range(CLIENTS)]
                replies = list(threads.map(lambda text, tag=tag: put(clients[0], words(text), tag), texts))
                won = [text for text, reply in zip(texts, replies, strict=True) if reply.status == 200]
                lost = {reply.code for reply in replies if reply.status != 200}
                assert (len(won), lost) == (1, {"REVISION_MISMATCH"})
                assert told(clients[0].page(PATH).data) == won[0]
        finally:
            done.set()
        assert reader.result()


def save(file: Path, n: int) -> None:
    """Save as an editor does: into the file itself, or by renaming another one over it."""
    text = words(f"editor {n}")
    if n % 2:
        file.write_text(text)
    else:
        file.with_name("a.md.tmp~").write_text(text)
        file.with_name("a.md.tmp~").rename(file)


def root(text: str) -> str:
    """The editor's save that a text was made of, by as many agents as it may be."""
    return text.partition("\n")[0].rpartition("over ")[2]


@pytest.mark.parametrize("seconds", [6, pytest.param(60, marks=pytest.mark.slow)])
def test_no_save_of_an_editor_is_lost_to_an_agent_that_sets_a_condition(
    clients: tuple[Client, Client], site: Path, seconds: int
) -> None:
    """The agent writes on what it has read and says which save that was; the editor looks whether it was his.

    A text that turns out to be in the wrong place shows for a moment before it goes again: he looks until his
    own is there. One that was lost never is.
    """
    client, file, end = clients[0], site / "docs/a.md", time.monotonic() + seconds
    chance = random.Random(5)
    won, turn, returning = 0, 0.05, RETURN * slowness(time.monotonic)

    def edit() -> list[tuple[str, str]]:
        lost, n = list[tuple[str, str]](), 0
        while time.monotonic() < (end if won > ENOUGH else end + PATIENCE):
            n += 1
            save(file, n)
            time.sleep(chance.choice([0.0, 0.0, 0.001, turn]))
            patient = time.monotonic() + returning
            while (found := root(file.read_text())) != f"editor {n}" and time.monotonic() < patient:
                time.sleep(0.01)
            lost += [] if found == f"editor {n}" else [(f"editor {n}", found)]
        return lost

    save(file, 0)
    with ThreadPoolExecutor(1) as threads:
        editor = threads.submit(edit)
        while not editor.done():
            begun = time.monotonic()
            page = client.page(PATH)
            text = words(f"agent {won} over {root(page.data['body'])}")
            reply = client.put({"path": PATH, "format": "md", "body": text}, If_Match=page.headers["etag"])
            turn = max(turn, 2 * (time.monotonic() - begun))  # now and then there is time for one
            if reply.status == 200:
                won += 1
            else:
                assert reply.code == "REVISION_MISMATCH"
                assert client.page(PATH).data["body"] != text
        assert editor.result() == []
    assert won > ENOUGH
    for one in clients:
        assert one.page(PATH).data["body"] == file.read_text()
        line = file.read_text().splitlines()[0]
        until(lambda one=one, line=line: line in one.preview.get("/docs/a").text)


def test_an_agent_without_a_condition_gets_its_turn_and_what_it_replaces_is_in_the_history(
    clients: tuple[Client, Client], site: Path
) -> None:
    """However busily an editor saves: what was lost from the page can be found again."""
    client, file, done = clients[0], site / "docs/a.md", threading.Event()

    def edit() -> None:
        n = 0
        while not done.is_set():
            n += 1
            save(file, n)

    with ThreadPoolExecutor(1) as threads:
        editor = threads.submit(edit)
        try:
            replies = [
                client.put({"path": PATH, "format": "md", "body": words(f"agent {n}")}) for n in range(PUTS)
            ]
        finally:
            done.set()
        editor.result()
    assert {reply.status for reply in replies} == {200}
    with History(site / ".twinpress/state") as history:
        history.catch_up()
        made = [each for each in history.revisions(PATH) if not each.outside]
        texts = history.contents({one.new for each in made for one in each.files if one.new})
        olds = history.contents({one.old for each in made for one in each.files if one.old})
    assert {words(f"agent {n}").encode() for n in range(PUTS)} <= set(texts.values())
    assert any(text.startswith(b"editor") for text in olds.values())


def test_a_program_that_keeps_a_page_open_keeps_only_those_away_who_set_a_condition(
    clients: tuple[Client, Client], site: Path
) -> None:
    client, tag = clients[0], put(clients[0], words("start")).headers["etag"]
    with (site / "docs/a.md").open("a") as log:
        assert put(client, words("agent"), tag).code == "REVISION_MISMATCH"
        assert client.delete(PATH, If_Match=tag).code == "REVISION_MISMATCH"
        log.write("line\n")
        log.flush()
        assert client.page(PATH).data["body"] == words("start") + "line\n"
        assert put(client, words("agent")).status == 200
    assert told(client.page(PATH).data) == "agent"
    with (site / "docs/a.md").open("a"):
        assert client.delete(PATH).status == 200
    assert client.page(PATH).code == "PAGE_NOT_FOUND"
    put(client, words("start"))


def test_two_servers_of_a_site_lose_nothing_and_show_at_once_what_the_other_one_wrote(
    clients: tuple[Client, Client],
) -> None:
    put(clients[0], "0")

    def count(client: Client, times: int) -> None:
        while times:
            page = client.page(PATH)
            before = int(page.data["body"])
            reply = put(client, str(before + 1), page.headers["etag"])
            if reply.status == 200:
                times -= 1
            else:
                assert reply.code == "REVISION_MISMATCH"
                assert int(client.page(PATH).data["body"]) > before

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(count, clients * 2, [10] * 4))
    assert [client.page(PATH).data["body"] for client in clients] == ["40", "40"]
    for n in range(10):
        writer, reader = clients[n % 2], clients[1 - n % 2]
        put(writer, words(f"seen {n}"))
        assert told(reader.page(PATH).data) == f"seen {n}"


def test_a_server_that_is_killed_among_writes_takes_no_acknowledged_one_with_it(
    clients: tuple[Client, Client], site: Path
) -> None:
    survivor = clients[0]
    put(survivor, "0")
    acknowledged: list[str] = []
    with server(site, survivor.key) as victim, ThreadPoolExecutor(1) as threads:

        def write() -> None:
            with suppress(http.client.HTTPException, ConnectionError):
                while True:
                    text = words(str(len(acknowledged) + 1))
                    assert victim.put({"path": "docs/b", "body": text, "llmBody": text}).status < 300
                    acknowledged.append(text)

        writer = threads.submit(write)
        until(lambda: len(acknowledged) > 5)
        assert put(survivor, words("meanwhile")).status == 200
        victim.preview.process.kill()
        victim.preview.process.wait(PATIENCE)
        writer.result(PATIENCE)
    left = int(told(survivor.page("docs/b").data))
    assert left - len(acknowledged) in {0, 1}
    assert told(survivor.page(PATH).data) == "meanwhile"
    assert survivor.put({"path": "docs/b", "body": "after"}).status == 200
    assert survivor.page("docs/b").data["body"] == "after"
