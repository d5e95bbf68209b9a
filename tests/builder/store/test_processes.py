"""Several processes and threads write to one site, while others read."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from builder.errors import PageNotFound, RevisionMismatch, StorageBusy
from builder.store import ContentStore
from builder.store.records import FRESH
from tests.builder.children import in_child
from tests.builder.trees import make, names

COUNT = """
import sys
from pathlib import Path
from builder.errors import RevisionMismatch
from builder.store import ContentStore
with ContentStore(Path(sys.argv[1])) as store:
    done = 0
    while done < int(sys.argv[2]):
        page = store.read("docs/counter")
        try:
            store.write("docs/counter", "md", str(int(page.text) + 1), page.text, if_match=page.revision)
            done += 1
        except RevisionMismatch:
            continue
"""
PAIRS = """
import sys
from pathlib import Path
from builder.store import ContentStore
with ContentStore(Path(sys.argv[1])) as store:
    for n in range(int(sys.argv[2])):
        text = f"{sys.argv[3]} {n}"
        store.write("docs/pair", "md" if n % 3 else "mdx", text, text)
"""


def start(code: str, *arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)])


def test_two_processes_that_count_together_lose_no_number(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        store.write("docs/counter", "md", "0")
        with start(COUNT, tmp_path, 25) as one, start(COUNT, tmp_path, 25) as two:
            assert (one.wait(120), two.wait(120)) == (0, 0)
        assert (store.read("docs/counter").text, store.read("docs/counter").twin) == ("50", "49")


def test_a_reader_never_sees_a_page_with_the_twin_of_another_state(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        store.write("docs/pair", "md", "start", "start")
        seen = set()
        while len(seen) < 3:  # on a busy machine the writers may be done before anything is read
            with start(PAIRS, tmp_path, 25, "one") as one, start(PAIRS, tmp_path, 25, "two") as two:
                while one.poll() is None or two.poll() is None:
                    page = store.read("docs/pair")
                    assert page.text == page.twin
                    seen.add(page.text)
            assert (one.returncode, two.returncode) == (0, 0)
    assert len(names(tmp_path)) == 2


def test_threads_with_one_store_lose_no_number_either(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        store.write("docs/counter", "md", "0")

        def count(times: int) -> None:
            while times:
                page = store.read("docs/counter")
                try:
                    store.write("docs/counter", "md", str(int(page.text) + 1), if_match=page.revision)
                    times -= 1
                except RevisionMismatch:
                    continue

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(count, [10] * 4))
        assert store.read("docs/counter").text == "40"


def test_a_store_can_be_opened_while_another_one_writes(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a.md": "a"})
    with ContentStore(tmp_path) as one:
        one.write("docs/b", "md", "b")
        with one._lock.hold(), ContentStore(tmp_path) as other:
            assert other.read("docs/a").text == "a"
            assert len(other.scan().pages) == 2


def test_a_writer_waits_for_its_turn(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as one, ContentStore(tmp_path) as other:
        one.write("docs/a", "md", "one")
        writer = threading.Thread(target=other.write, args=("docs/a", "md", "other"))
        with one._lock.hold():
            writer.start()
            time.sleep(0.05)
            assert one.read("docs/a").text == "one"
        writer.join()
        assert one.read("docs/a").text == "other"


def test_a_page_that_may_be_between_two_names_is_looked_for_again_in_turn(tmp_path: Path) -> None:
    make(tmp_path, {"docs/other.md": "other"})
    with ContentStore(tmp_path) as store, ThreadPoolExecutor(1) as pool:
        with store._lock.hold():
            make(tmp_path, {"docs/other.mdx": "the folder has just changed"})
            reader = pool.submit(store.read, "docs/a")
            time.sleep(0.05)
            make(tmp_path, {"docs/a.mdx": "a"})
        assert reader.result().text == "a"


def test_a_page_that_is_surely_not_there_keeps_nobody_waiting(tmp_path: Path) -> None:
    make(tmp_path, {"docs/other.md": "other"})
    time.sleep(2 * FRESH / 1e9)
    with ContentStore(tmp_path) as store, store._lock.hold():
        for path in ("docs/a", "docs/none/a"):
            with pytest.raises(PageNotFound):
                store.read(path)


def test_a_writer_does_not_wait_forever(tmp_path: Path) -> None:
    with ContentStore(tmp_path, patience=0.05) as one, ContentStore(tmp_path, patience=0.05) as other:
        with one._lock.hold():
            for store in (one, other):
                with pytest.raises(StorageBusy, match="somebody else has been writing"):
                    store.write("docs/a", "md", "x")
        other.write("docs/a", "md", "x")


def test_a_lock_file_that_was_removed_does_not_let_two_writers_in(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as one, ContentStore(tmp_path) as other:
        one.write("docs/a", "md", "x")
        with one._lock.hold():
            (tmp_path / ".twinpress/state/lock").unlink()
            with other._lock.attempt() as taken:
                assert taken is not None  # nothing can be done about the first one, which has lost its file
                with ContentStore(tmp_path) as third, third._lock.attempt() as again:
                    assert again is None


def test_a_lock_file_that_was_replaced_while_it_was_taken_is_taken_anew(tmp_path: Path) -> None:
    def act() -> str:
        with ContentStore(tmp_path) as one, ContentStore(tmp_path) as other:
            one.write("docs/a", "md", "x")
            once = iter([tmp_path / ".twinpress/state/lock"])

            def hook(event: str, _: object) -> None:
                if event == "fcntl.flock":
                    for file in once:
                        file.unlink()
                        file.touch()

            sys.addaudithook(hook)
            with one._lock.hold(), other._lock.attempt() as taken:
                return f"{taken}"

    assert in_child(act) == "None"


def test_a_process_that_was_forked_meanwhile_does_not_hold_the_lock(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as one, ContentStore(tmp_path, patience=0.5) as other:
        reader, writer = os.pipe()
        with one._lock.hold():
            child = os.fork()
            if child == 0:
                os.close(writer)
                os.read(reader, 1)
                os._exit(0)
        other.write("docs/a", "md", "x")
        os.close(writer)
        os.waitpid(child, 0)
        os.close(reader)


def test_what_fails_while_the_lock_is_held_is_raised_as_it_is(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        for _ in range(2):  # the first time, the lock's folder is made
            with pytest.raises(FileNotFoundError, match="gone"), store._lock.hold():
                raise FileNotFoundError("gone")
