"""Publishing: from the click of an owner until readers have the text, for one changed page among many.

    python -m tests.bench.publish [--pages 1000] [--rounds 7] [--folder DIR]

It runs `twinpress host` on a site of so many pages of some 5 KB, and publishes them for the first time. Then
a page is changed in its folder, the button is pressed, and a reader asks for the page again and again. Told
are medians: seconds by the clock from the click on, when each step began, and seconds of processor time that
the service and the processes that it has started took. On a busy machine the latter alone says something.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from msgspec import Struct

from server.authoring.site_work import open_site_work
from server.control.accounts.accounts import Accounts
from server.control.audit import By
from server.control.hosted_sites import HostedSite
from server.control.plans import PLANS
from server.control.sqlite.data_folder import open_data
from server.publishing.job_report import read_report
from server.publishing.parts import WORK
from tests.ports import free_port
from tests.server.commands import COMMAND, running
from tests.server.dashboard.browser import Browser

EMAIL, PASSWORD = "bench@example.com", "four unrelated words here"
SITE = "quay"
LOOK, GIVEN_UP = 0.01, 900.0
"""Seconds between two looks of a reader, and until nothing is expected any more."""
STEPS = ("snapshot", "pages", "files", "switch", "ended")
WORDS = [f"{first}{last}" for first in "bcdfgklmnprst" for last in ("arbour", "oat", "ide", "uay", "essel")]
_TICKS = os.sysconf("SC_CLK_TCK")


class Bench(Struct):
    """A service with one site, its owner's browser, and the port for readers."""

    root: Path
    work: Path
    browser: Browser
    process: int
    readers: int


class Publish(Struct):
    """Seconds of one publish: by the clock, of the processor, and from the click to each step."""

    wall: float
    processor: float
    steps: dict[str, float]


def page(number: int, change: str) -> str:
    """A page with headings, links, code, and words of its own."""
    chance = random.Random(number)
    parts = [f"# Page {number}\n\n{change}\n"]
    for section in range(6):
        words = " ".join(chance.choices(WORDS, k=110))
        parts.append(f"## Part {section} of {number}\n\n{words}, [see](/docs/f{number % 20}/p{number}).\n")
        parts.append(f"```python\nprint({number}, {section})\n```\n")
    return "\n".join(parts)


def fill(root: Path, pages: int) -> None:
    """Write a site of so many pages."""
    (root / "site.yml").write_text("title: Quay\n")
    (root / "docs").mkdir(exist_ok=True)
    (root / "docs/index.md").write_text("# Quay\n")
    for number in range(pages):
        file = root / f"docs/f{number % 20}/p{number}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(page(number, "As it was."))


def prepare(data: Path, pages: int) -> HostedSite:
    """Make a data folder with an account and its site."""
    with closing(open_data(data)) as control, open_site_work(control, data, PLANS) as work:
        account = Accounts(control).create(EMAIL, PASSWORD, "premium").id
        return work.created(account, SITE, By("bench"), lambda root: fill(root, pages), "site.create")


@contextmanager
def hosting(data: Path, site: HostedSite) -> Iterator[Bench]:
    """Run the service; its owner is signed in."""
    port = free_port()
    command = [COMMAND, "host", "--data", data, "--port", str(port), "--sites-port", "0", "--no-databases"]
    with running([*command, "--requests", "0"], forked=False) as host:
        readers = int(re.findall(r":(\d+)$", host.says("Sites are at "))[0])
        browser = Browser(port)
        assert browser.post("/sign-in", {"email": EMAIL, "password": PASSWORD}).status == 200
        yield Bench(data / "sites" / site.id, data / WORK / site.id, browser, host.process.pid, readers)


def publish(bench: Bench, text: str) -> Publish:
    """Press the button, and ask as a reader until page 1 has this text."""
    before, began = processor(bench.process), time.perf_counter()
    job = bench.browser.once("POST", f"/sites/{SITE}/publish", {}, {"Sec-Fetch-Site": "same-origin"})
    number, steps = int(job.headers["location"].rpartition("/")[2]), {"click": time.perf_counter() - began}
    while text not in read(bench.readers):
        _note(bench.work, number, steps, began)
        assert time.perf_counter() - began < GIVEN_UP, read_report(bench.work, number)
        time.sleep(LOOK)
    wall = time.perf_counter() - began
    while "ended" not in steps:  # what comes behind belongs to the price, too
        _note(bench.work, number, steps, began)
    time.sleep(0.5)
    return Publish(wall, processor(bench.process) - before, steps)


def _note(work: Path, number: int, steps: dict[str, float], began: float) -> None:
    step = read_report(work, number).step
    if step in STEPS:
        steps.setdefault(step, time.perf_counter() - began)


def read(port: int) -> str:
    """The first page as a reader gets it."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("GET", "/docs/f1/p1", headers={"Host": f"{SITE}.localhost:{port}"})
        return connection.getresponse().read().decode()


def processor(process: int) -> float:
    """Seconds of processor time of a process and its children, those that have ended and those that run."""
    own = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return sum(map(int, own[11:15])) / _TICKS + sum(processor(int(child)) for child in children)


def measure(data: Path, pages: int, rounds: int) -> None:
    """Publish a site of so many pages, then one changed page again and again, and print what it took."""
    site = prepare(data, pages)
    with hosting(data, site) as bench:
        _told(f"first publish of {pages:,} pages", [publish(bench, "As it was.")])
        found = []
        for number in range(rounds):
            (bench.root / "docs/f1/p1.md").write_text(page(1, f"Change number {number}."))
            found.append(publish(bench, f"Change number {number}."))
        _told(f"one changed page of {pages:,}", found)


def _told(what: str, found: list[Publish]) -> None:
    wall, busy = (sorted(getattr(each, name) for each in found) for name in ("wall", "processor"))
    steps = {
        name: statistics.median(each.steps[name] for each in found if name in each.steps)
        for name in ("click", *STEPS)
        if any(name in each.steps for each in found)
    }
    print(
        f"{what}: live after {statistics.median(wall):.2f} s ({wall[0]:.2f} to {wall[-1]:.2f}), "
        f"processor {statistics.median(busy):.2f} s ({busy[0]:.2f} to {busy[-1]:.2f})"
    )
    print("  " + ", ".join(f"{name} {when:.2f}" for name, when in steps.items()), flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pages", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--folder", type=Path)
    wanted = parser.parse_args()
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for pages in wanted.pages:
        with tempfile.TemporaryDirectory(dir=wanted.folder) as folder:
            measure(Path(folder) / "data", pages, wanted.rounds)


if __name__ == "__main__":
    main()
