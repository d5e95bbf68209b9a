"""Pages rendered in several processes: the same files, and one diagnostic where a process is lost."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

from builder import errors
from builder.build import build
from builder.errors import ThemeError, TwinpressError
from builder.output import FolderOutput, MemoryOutput
from builder.plan.options import Options
from builder.store import FRESH as FRESH_FILES
from builder.workers import processors
from tests.sites import Built, build_site, write_site
from tests.themes.conftest import SAMPLE_SITE
from tests.waiting import until

PAGES = {
    f"docs/part-{n % 3}/page-{n:02}.md": f"# Page {n}\n\n[next](page-{n + 3:02}.md), [no](wrng-{n}.md)\n\n`a`"
    for n in range(50)
}
SITE = {"site.yml": "title: Harbour\n", **PAGES}


def files(output: MemoryOutput) -> dict[str, bytes | None]:
    return {path: output.get(path) for path in output.paths}


@pytest.fixture(scope="module")
def alone() -> Built:
    """The sample site as one process builds it."""
    output = MemoryOutput()
    return Built(output, build(SAMPLE_SITE, output, Options(drafts=True)))


@pytest.mark.parametrize("jobs", [2, *(pytest.param(each, marks=pytest.mark.slow) for each in (3, None))])
def test_however_many_processes_there_are_the_files_are_the_same(alone: Built, jobs: int | None) -> None:
    output = MemoryOutput()
    result = build(SAMPLE_SITE, output, Options(drafts=True, jobs=jobs))
    assert files(output) == files(alone.output)
    assert result.diagnostics == alone.diagnostics


FRESH = """
import hashlib, sys, threading
from pathlib import Path
from builder.build import Options, build
from builder.output import FolderOutput, MemoryOutput

if __name__ == "__main__":
    if sys.argv[2] == "spawn":
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    output = MemoryOutput()
    result = build(Path(sys.argv[1]), output, Options(jobs=2))
    for path in sorted(output.paths):
        print(path, hashlib.sha256(output.get(path)).hexdigest())
    print(result.diagnostics)
"""


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_forked_or_begun_anew_the_processes_do_the_same(tmp_path: Path, way: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(FRESH)
    alone = build_site(tmp_path / "site", SITE)
    said = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "site"), way], capture_output=True, text=True, check=True
    )
    *lines, diagnostics = said.stdout.splitlines()
    assert [line.split()[0] for line in lines] == sorted(alone.output.paths)
    assert diagnostics == str(alone.diagnostics)
    assert said.stderr == ""


FATAL = """
import json, os, signal, sys
from pathlib import Path
from builder.build import Options, build
from builder.output import FolderOutput
from builder.workers import page_worker

site, out, *bad = sys.argv[1:]
render = page_worker.render_page

def fatal(page, shared):
    if page.file in bad:
        os.kill(os.getpid(), signal.SIGKILL)  # as the system does when memory is at its end
    return render(page, shared)

page_worker.render_page = fatal
found = build(Path(site), FolderOutput(Path(out)), Options(jobs=2)).diagnostics
print(json.dumps([[each.file, each.message] for each in found if each.code == "internal-error"]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a process begun anew would not be as fatal")
@pytest.mark.parametrize(
    "lost", [[3, 4, 30], *(pytest.param([each], marks=pytest.mark.slow) for each in (0, 49))]
)
def test_a_page_that_ends_its_process_is_one_diagnostic(tmp_path: Path, lost: list[int]) -> None:
    bad = [list(PAGES)[n] for n in lost]
    well = build_site(tmp_path / "site", SITE)
    command = [sys.executable, "-c", FATAL, str(tmp_path / "site"), str(tmp_path / "out"), *bad]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    failed = json.loads(said.stdout)
    assert [file for file, _ in failed] == sorted(bad)
    assert all("process that rendered this page has ended" in message for _, message in failed)
    for file in PAGES:
        path = file.replace(".md", ".html")
        assert ((tmp_path / "out" / path).read_bytes() == well.output.get(path)) == (file not in bad)


def test_errors_of_a_theme_come_back_as_they_are(tmp_path: Path) -> None:
    write_site(tmp_path, {**SITE, "theme/templates/page.html": "{{ nothing.there }}"})
    with pytest.raises(ThemeError) as alone:
        build(tmp_path, MemoryOutput(), Options(trusted=True))
    with pytest.raises(ThemeError) as pooled:
        build(tmp_path, MemoryOutput(), Options(trusted=True, jobs=2))
    assert str(pooled.value) == str(alone.value)


def test_every_error_survives_the_way_between_processes() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert len(kinds) > 8
    for kind in kinds:
        assert issubclass(kind, TwinpressError)
        error = pickle.loads(pickle.dumps(kind("what", path="where", hint="how")))
        assert (type(error), error.message, error.path, error.hint) == (kind, "what", "where", "how")


@pytest.mark.parametrize(
    ("pages", "wanted", "most"), [(1, None, 1), (processors.WORTH, None, 1), (3, 7, 7), (10**6, None, 10**6)]
)
def test_a_small_site_stays_in_one_process(pages: int, wanted: int | None, most: int) -> None:
    cores = len(os.sched_getaffinity(0))
    assert processors.processes(pages, wanted) == min(most, max(cores, wanted or 1))


WAITING = """
import sys
from pathlib import Path
from builder.build import Options, build
from builder.output import FolderOutput, MemoryOutput

def show(done, total):
    print(done, flush=True)

if __name__ == "__main__":
    build(Path(sys.argv[1]), MemoryOutput(), Options(jobs=2), show)
"""


def test_processes_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    page = "# Title\n\n" + "word *word* `code` [x](y.md)\n" * 1000
    write_site(tmp_path, {"site.yml": "", **{f"docs/p{n}.md": page for n in range(200)}})
    with subprocess.Popen(
        [sys.executable, "-c", WAITING, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as parent:
        assert parent.stdout
        parent.stdout.readline()
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
        parent.kill()
    assert len(children) == 2
    until(lambda: not any(_runs(child) for child in children))


def _runs(process: str) -> bool:
    """Return whether it is still there and not just waiting to be noticed as ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_sources_read_by_several_processes_are_the_same(tmp_path: Path) -> None:
    odd = {
        "docs/a/date.md": "---\ntitle: 2024-01-01\nx: [1, {y: 2}]\n---\ntext\n",
        "docs/a/half.md": '---\ntitle: "\\ud800"\n---\ntext\n',
        "docs/a/large.md": f"---\nx: {2**70}\n---\ntext\n",
        "docs/a/broken.md": "---\ntitle: [\n---\ntext\n",
        "docs/a/twin.md": "# Twin\n",
        "docs/a/twin.llms.md": "# For machines\n",
    }
    pages = {f"docs/part-{n % 9}/p{n}.md": f"---\nsidebar_position: {n}\n---\n# {n}\n" for n in range(500)}
    write_site(tmp_path / "site", {"site.yml": "", **pages, **odd})
    time.sleep(2 * FRESH_FILES / 1e9)
    alone = MemoryOutput()
    diagnostics = build(tmp_path / "site", alone).diagnostics
    script = tmp_path / "script.py"
    script.write_text(FRESH)
    command = [sys.executable, str(script), str(tmp_path / "site"), "fork"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    hashes = [
        f"{path} {hashlib.sha256(alone.get(path) or b'').hexdigest()}" for path in sorted(alone.written)
    ]
    assert said.stdout.splitlines() == [*hashes, str(diagnostics)]
    assert said.stderr == ""


LOSING = """
import os, signal, sys
from pathlib import Path
from builder.build import Options, build
from builder.output import FolderOutput
from builder.workers import parallel_reader

parent, packed = os.getpid(), parallel_reader.packed

def lost(path, memory):
    if path.endswith(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
    return packed(path, memory)

parallel_reader.packed = lost
print(len(build(Path(sys.argv[1]), FolderOutput(Path(sys.argv[2])), Options(jobs=2)).diagnostics))
"""


def test_what_a_lost_reader_has_not_sent_is_read_by_its_parent(tmp_path: Path) -> None:
    write_site(tmp_path / "site", {"site.yml": "", **{f"docs/p{n:03}.md": f"# {n}\n" for n in range(400)}})
    time.sleep(2 * FRESH_FILES / 1e9)
    command = [sys.executable, "-c", LOSING, str(tmp_path / "site"), str(tmp_path / "out"), "p201"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert said.stdout == "0\n"
    assert said.stderr == ""
    assert len(list((tmp_path / "out/docs").glob("p*.html"))) == 400


SEARCHING = """
import io, os, signal, sys
from pathlib import Path
from builder.build import Options, build
from builder.output import FolderOutput
from builder.produce import search_files

parent, placed, send = os.getpid(), search_files._placed, search_files.SearchPacking._send

def seen(files):
    if os.getpid() == parent:
        print("here")
    elif sys.argv[3] == "lost":
        os.kill(os.getpid(), signal.SIGKILL)
    return placed(files)

def cut_off(packing, pipe):
    sent = io.BytesIO()
    send(packing, sent)
    pipe.write(sent.getvalue()[:-100])
    pipe.flush()
    os.kill(os.getpid(), signal.SIGKILL)

search_files._placed = seen
if sys.argv[3] == "cut off":
    search_files.SearchPacking._send = cut_off
options = Options(jobs=int(sys.argv[4]), cache="keep")
result = build(Path(sys.argv[1]), FolderOutput(Path(sys.argv[2])), options)
print(len(result.diagnostics), result.files)
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, dict[str, bytes]]:
    """A site of so many pages; the count and the files of what one process makes of it."""
    texts = {f"docs/p{n:03}.md": f"# Page {n}\n\n## Of {n % 7}\n\nThe word{n % 50}.\n" for n in range(400)}
    site, plain = (tmp_path_factory.mktemp(name) for name in ("site", "plain"))
    made = build(write_site(site, {"site.yml": "", **texts}), FolderOutput(plain), Options(jobs=1))
    return site, made.files, site_files(plain)


@pytest.mark.parametrize(
    ("fate", "jobs", "said"),
    [("well", 2, ""), ("lost", 2, "here\n"), ("cut off", 2, "here\n"), ("well", 1, "here\n")],
)
def test_the_search_of_a_large_site_is_made_beside_its_lists_or_here(
    tmp_path: Path, large: tuple[Path, int, dict[str, bytes]], fate: str, jobs: int, said: str
) -> None:
    site, files, plain = large
    for out in ("first", "again"):  # the second takes the pages from the cache, and writes all files anew
        command = [sys.executable, "-c", SEARCHING, str(site), str(tmp_path / out), fate, str(jobs)]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
        assert ended.stderr == ""
        assert (
            ended.stdout == f"{said}0 {files}\n" if out == "first" else ended.stdout.endswith(f"0 {files}\n")
        )
        assert site_files(tmp_path / out) == plain


def site_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
