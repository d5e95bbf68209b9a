"""The processes that show sites: what they see, what they may use, and when they end."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from server.control.plans import MIB
from tests.server.commands import Answer
from tests.server.site_previews.conftest import SITE, Origin, serving
from tests.waiting import until


def is_gone(number: int) -> bool:
    return not Path(f"/proc/{number}").exists()


def test_each_site_has_a_process_of_its_own(origin: Origin) -> None:
    one, two = origin.preview("boats"), origin.preview("trains", {"docs/index.md": "# Rails\n"})
    assert origin.running() == {}  # a site that nobody looks at costs nothing
    assert ("Harbour" in origin.ask(one).text, "Rails" in origin.ask(two).text) == (True, True)
    first, second = origin.running().values()
    assert first != second
    assert origin.ask(two, "/docs/draft").status == 404


def test_nothing_of_the_owners_runs(origin: Origin, tmp_path: Path) -> None:
    theme = {
        "theme/templates/page.html": "<h1>Mine</h1>",
        "theme/js/own.js": "document.title = 'Mine'",
        "static/page.html": "<script>document.title = 'Mine'</script>",
    }
    host = origin.preview(files=SITE | theme)
    page = origin.ask(host)
    assert ("Harbour" in page.text, "Mine" in page.text) == (True, False)
    assert "script-src &#39;self&#39;" in page.text
    own = origin.ask(host, "/page.html")
    assert own.headers["content-security-policy"].startswith("sandbox; ")


def test_the_environment_and_the_files_of_the_service_stay_there(
    origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TWINPRESS_MASTER_KEYS", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "PYTHONPATH"):
        monkeypatch.setenv(name, "keep this")
    origin.ask(origin.preview())
    (number,) = origin.running().values()
    process = Path(f"/proc/{number}")
    environment = (process / "environ").read_bytes().split(b"\0")
    assert {each.partition(b"=")[0] for each in environment} <= {
        b"PATH",
        b"LANG",
        b"LC_CTYPE",
        b"MALLOC_ARENA_MAX",
        b"",
    }
    opened = [str(each.readlink()) for each in (process / "fd").iterdir()]
    assert not [each for each in opened if "control.sqlite3" in each or "master.keys" in each]
    assert str(origin.data) not in str((process / "cwd").readlink())
    assert str(origin.data) not in (process / "cmdline").read_text()
    # Ctrl+C in the service's terminal is not for it.
    assert os.getsid(number) == number


def test_a_process_ends_when_nobody_looks_any_more(tmp_path: Path) -> None:
    with serving(tmp_path / "data", idle_seconds=0.2) as origin:
        host = origin.preview()
        assert origin.ask(host).status == 200
        (number,) = origin.running().values()
        until(lambda: not origin.running())
        until(lambda: is_gone(number))
        assert origin.ask(host).status == 200
    assert origin.faults == []


def test_the_one_that_was_idle_longest_gives_way(tmp_path: Path) -> None:
    with serving(tmp_path / "data", workers=2) as origin:
        hosts = [origin.preview(name) for name in ("a", "b", "c")]
        for host in (*hosts[:2], hosts[0], hosts[2]):
            assert origin.ask(host).status == 200
        assert set(origin.running()) == {"a", "c"}
        assert origin.ask(hosts[1]).status == 200
        assert set(origin.running()) == {"b", "c"}


def held(origin: Origin, host: str) -> tuple[threading.Thread, list[int]]:
    """A request that stays under way, as its process is stopped; where its status will be."""
    assert origin.ask(host).status == 200
    id = next(reversed(origin.running()))
    worker = origin.previews.workers._running[id]
    until(lambda: not worker.under_way)  # its client has the answer a moment before the service is through
    os.kill(origin.running()[id], signal.SIGSTOP)
    statuses: list[int] = []
    thread = threading.Thread(target=lambda: statuses.append(origin.ask(host).status))
    thread.start()
    until(lambda: worker.under_way)
    return thread, statuses


def test_where_all_are_at_work_others_are_asked_to_come_again(tmp_path: Path) -> None:
    with serving(tmp_path / "data", workers=1) as origin:
        busy, other = origin.preview("busy"), origin.preview("other")
        thread, statuses = held(origin, busy)
        answer = origin.ask(other)
        assert (answer.status, answer.headers["retry-after"]) == (503, "5")
        assert "Too many previews" in answer.text
        os.kill(origin.running()["busy"], signal.SIGCONT)
        thread.join()
        assert statuses == [200]
        assert origin.ask(other).status == 200


def test_a_process_that_is_killed_amid_a_request_is_replaced_and_nobody_notices(origin: Origin) -> None:
    host, other = origin.preview("boats"), origin.preview("trains")
    assert origin.ask(other).status == 200
    thread, statuses = held(origin, host)
    number = origin.running()["boats"]
    assert origin.ask(other).status == 200  # which does not wait for it
    os.kill(number, signal.SIGKILL)
    thread.join()
    assert statuses == [200]
    assert origin.running()["boats"] != number


def test_one_that_is_killed_again_and_again_is_told(origin: Origin) -> None:
    host, answers = origin.preview(), list[Answer]()
    thread = threading.Thread(target=lambda: answers.append(origin.ask(host)))
    thread.start()
    while thread.is_alive():
        for number in origin.running().values():
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        thread.join(0.01)
    (answer,) = answers
    assert (answer.status, "has ended" in answer.text) == (503, True)
    assert origin.ask(host).status == 200


def test_a_process_that_has_gone_between_requests_is_replaced(origin: Origin) -> None:
    host = origin.preview()
    assert origin.ask(host).status == 200
    (number,) = origin.running().values()
    os.kill(number, signal.SIGKILL)
    assert origin.ask(host).status == 200


def test_what_takes_too_long_is_ended_and_told(tmp_path: Path) -> None:
    with serving(tmp_path / "data", page_seconds=0.1) as origin:
        host = origin.preview(files=SITE | {"docs/long.md": "- a\n" * 200_000})
        assert origin.ask(host, "/chart.txt").status == 200
        number = origin.running()["boats"]
        answer = origin.ask(host, "/docs/long")
        assert (answer.status, "took too long" in answer.text) == (504, True)
        assert origin.ask(host, "/chart.txt").status == 200
        assert origin.running()["boats"] != number


def test_what_takes_too_much_memory_is_ended_and_told(tmp_path: Path) -> None:
    large = {f"docs/{number}.md": "*a* " * 200_000 for number in range(30)}
    with serving(tmp_path / "data", memory=160 * MIB) as origin:
        host = origin.preview(files=SITE | large)
        assert origin.ask(host, "/chart.txt").status == 200
        answer = origin.ask(host, "/llms-full.txt")
        assert (answer.status, "too little memory" in answer.text) == (503, True)
        assert origin.ask(host, "/chart.txt").status == 200
        (fault,) = origin.faults
        assert "The preview of the site boats failed: There is too little memory" in fault


def test_all_of_them_end_with_the_service(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as origin:
        for name in ("boats", "trains"):
            assert origin.ask(origin.preview(name)).status == 200
        numbers = list(origin.running().values())
    assert all(map(is_gone, numbers))
