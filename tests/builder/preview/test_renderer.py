"""Pages that take too long are given up, and keep nobody waiting but who asks for them."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing import forkserver
from pathlib import Path
from threading import Event

import pytest

from builder.diagnostics import Diagnostic
from builder.plan.options import Options
from builder.preview import Later, Preview, ProcessRenderer, Unfinished
from tests.sites import Files, write_site
from tests.waiting import until

OPTIONS = Options(trusted=True, drafts=True)
LONGEST = 60.0
SECONDS, PATIENCE = 3.0, 1.0
ENDLESS = '{% if p.title == "Slow" %}{% for each in range(10 ** 12) %}{% endfor %}{% endif %}Our own words.'
LONG, SHORT = 10.0, 0.5
SLOW = (
    '{% if p.description == "slow" %}{% for each in range(10 ** 12) %}{% endfor %}{% endif %}Our own words.'
)
FOOTER = "theme/templates/footer.html"
PAGES = {
    "site.yml": "title: Site\nplan: premium\n",
    "docs/slow.md": "# Slow\n\nWinter.\n",
    "docs/a.md": "# A\n\nSummer.\n",
    "docs/b.md": "# B\n",
}


class Site:
    """A preview of a site, whose pages are made by a renderer; `woken` when one that was aside is done."""

    def __init__(
        self, root: Path, files: Files, seconds: float = SECONDS, patience: float = PATIENCE
    ) -> None:
        self.root = write_site(root, files)
        self.woken = Event()
        self.renderer = ProcessRenderer(self.woken.set, seconds, patience)
        self.preview = Preview(self.root, OPTIONS, self.renderer)
        self.preview.update()

    def save(self, files: Files) -> None:
        write_site(self.root, files)
        self.preview.update(files.keys())

    def finish(self) -> tuple[Diagnostic, ...]:
        """Have all pages made or given up; gives what is wrong then."""
        while self.preview.pending or self.preview.unfinished:
            self.preview.work(0.1)
            if not self.preview.pending and self.preview.unfinished:
                self.wait()
        return self.preview.diagnostics()

    def html(self, output: str) -> str:
        """The file at an output path, once it is there."""
        while True:
            try:
                found = self.preview.get(output)
            except Unfinished:
                self.wait()
            else:
                data = found.files()[output] if isinstance(found, Later) else found
                assert data is not None
                return data.decode()

    def wait(self) -> None:
        assert self.woken.wait(LONGEST)
        self.woken.clear()
        self.preview.resume()


@contextmanager
def previewed(
    root: Path, files: Files, seconds: float = SECONDS, patience: float = PATIENCE
) -> Iterator[Site]:
    site = Site(root, files, seconds, patience)
    with closing(site.renderer):
        yield site


def processes() -> dict[int, multiprocessing.process.BaseProcess]:
    """The processes that render, by their ids."""
    return {
        each.pid or 0: each for each in multiprocessing.active_children() if each.name == "twinpress-render"
    }


def stop_all() -> None:
    """Have all processes that render stand still, as at a page that never ends."""
    for pid in processes():
        os.kill(pid, signal.SIGSTOP)


def test_a_page_that_never_ends_is_given_up_and_tried_again_when_it_is_saved(tmp_path: Path) -> None:
    with previewed(tmp_path, PAGES) as site:
        assert site.finish() == ()
        stop_all()
        site.save({"docs/a.md": "# A\n\nAutumn.\n"})  # begun anew aside, it is made after all
        assert "Autumn." in site.html("docs/a.html")
        site.save({"docs/b.md": "# B\n\nHere.\n"})
        assert "Here." in site.html("docs/b.html")
        stop_all()
        site.save({"docs/slow.md": "# Slow\n\nSpring & more.\n"})
        with pytest.raises(Unfinished):
            site.preview.get("docs/slow.html")
        assert "Autumn." in site.html("docs/a.html")
        (found,) = site.finish()
        assert (found.code, found.file) == ("budget-exceeded", "docs/slow.md")
        assert found.message == "rendering the page took longer than 3 s and was given up"
        html = site.html("docs/slow.html")
        assert f"docs/slow.md: {found.message} (budget-exceeded; simplify it and save it)" in html
        assert "Spring &amp; more." in html
        assert "Slow" in site.html("docs/b.html")  # in the sidebar
        assert json.loads(site.html("_tp/search.json"))["n"] == 4  # the pages and the index
        assert "Spring & more." in site.html("llms-full.txt")
        site.save({"docs/b.md": "# B\n\nMuch.\n"})
        assert site.finish() == (found,)
        pids = set(processes())
        assert pids
        site.save({"docs/b.md": "# B\n\nMore.\n"})
        assert site.finish() == (found,)
        assert set(processes()) <= pids  # nobody has tried it again
        site.save({"docs/slow.md": "# Slow\n\nSpring & more.\n"})
        assert site.finish() == ()
        assert "<p>Spring &amp; more.</p>" in site.html("docs/slow.html")


def test_a_page_for_which_own_templates_never_end_is_shown_in_those_of_the_default_theme(
    tmp_path: Path,
) -> None:
    with previewed(tmp_path, {**PAGES, FOOTER: ENDLESS, "docs/more/x.md": "# X\n"}) as site:
        # On a slow machine another page may be given up, too.
        found = next(one for one in site.finish() if one.file == "docs/slow.md")
        assert found.code == "budget-exceeded"
        assert found.hint == "see what loops in `theme/templates`"
        slow = site.html("docs/slow.html")
        assert "Winter." in slow
        assert "Our own words." not in slow
        for output in ("docs/a.html", "docs/b.html", "docs/more/index.html", "404.html"):
            assert "Our own words." in site.html(output)
        site.save({"docs/a.md": "# A\n\nAutumn.\n"})
        assert found in site.finish()
        site.save({FOOTER: "Mended."})
        assert site.finish() == ()
        assert "Mended." in site.html("docs/slow.html")


@pytest.mark.slow
def test_templates_that_never_end_on_any_page_are_tried_on_some_of_them(tmp_path: Path) -> None:
    many = {f"docs/p{number}.md": f"# Page {number}\n" for number in range(30)}
    with previewed(
        tmp_path, {**many, FOOTER: ENDLESS.replace('p.title == "Slow"', "p.toc is defined")}
    ) as site:
        found = site.finish()
        assert {each.code for each in found} == {"budget-exceeded"}
        assert "Page 7" in site.html("docs/p7.html")


def many(number: int) -> tuple[Files, list[str]]:
    """So many pages that never end, and the paths of their files."""
    names = [f"docs/s{each}" for each in range(number)]
    return {f"{name}.md": "---\ndescription: slow\n---\n\n# S\n" for name in names}, [
        f"{name}.html" for name in names
    ]


def put_aside(site: Site, outputs: list[str]) -> None:
    """Ask for these, which are not there yet."""
    for output in outputs:
        with pytest.raises(Unfinished):
            site.preview.get(output)


@pytest.mark.slow
def test_many_pages_that_never_end_do_not_stop_the_others(tmp_path: Path) -> None:
    endless, outputs = many(20)
    with previewed(tmp_path, {**PAGES, **endless, FOOTER: SLOW}, LONG, SHORT) as site:
        put_aside(site, outputs)
        assert "Our own words." in site.html("docs/a.html")
        put_aside(site, outputs)  # no one's time is up


@pytest.mark.slow
def test_a_page_that_has_become_quick_does_not_wait_for_many_that_never_end(tmp_path: Path) -> None:
    endless, outputs = many(8)
    slow = "---\ndescription: slow\n---\n\n# Once slow\n"
    with previewed(tmp_path, {**PAGES, **endless, "docs/slow.md": slow, FOOTER: SLOW}, LONG, SHORT) as site:
        put_aside(site, ["docs/slow.html", *outputs])
        site.save({"docs/slow.md": slow.replace("description: slow", "description: quick")})
        site.wait()  # for the first that is done
        data = site.preview.get("docs/slow.html")
        assert isinstance(data, bytes)
        assert b"Our own words." in data


def test_a_process_that_is_ended_from_outside_is_begun_anew(tmp_path: Path) -> None:
    with previewed(tmp_path, PAGES) as site:
        site.finish()
        for process in processes().values():
            process.kill()
            process.join()
        site.save({"docs/a.md": "# A\n\nAutumn.\n"})
        assert "Autumn." in site.html("docs/a.html")
        assert site.finish() == ()


def test_what_processes_are_forked_from_is_begun_anew_too(tmp_path: Path) -> None:
    with previewed(tmp_path, PAGES) as site:
        site.finish()
        pid = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        site.save({"docs/a.md": "# A\n\nAutumn.\n"})
        assert "Autumn." in site.html("docs/a.html")
        assert site.finish() == ()


def test_a_renderer_that_is_closed_leaves_no_process_whatever_it_is_at(tmp_path: Path) -> None:
    with previewed(tmp_path, {**PAGES, FOOTER: ENDLESS}) as site:
        while site.preview.pending:
            site.preview.work(0.1)
        until(lambda: bool(processes()))
    assert not processes()
