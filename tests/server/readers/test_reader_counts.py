from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from builder.errors import StorageError
from server.readers.audience import OTHERS
from server.readers.reader_counts import FILE, FOLDER, KEPT_DAYS, ReaderCounts
from server.readers.reader_report import NamedCount, as_csv, reader_report, records, views
from server.readers.tally import DAY, MOST, Counts, Subject, TallyEntry

TODAY = 20_000
NOW = float(TODAY * DAY + 1)
_ADD = """
import sys
from pathlib import Path
from server.readers.reader_counts import ReaderCounts
from server.readers.tally import TallyEntry
for _ in range(20):
    ReaderCounts(Path(sys.argv[1])).add({TallyEntry("quay", 20000, "people", f"/{n}"): 1 for n in range(10)})
"""


def counts(data: Path, now: float = NOW) -> ReaderCounts:
    return ReaderCounts(data, lambda: now)


def entry(subject: Subject, name: str, day: int = TODAY, site: str = "quay") -> TallyEntry:
    return TallyEntry(site, day, subject, name)


def test_several_processes_add_up(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _ADD, str(tmp_path)]
    with ThreadPoolExecutor(4) as threads:
        ended = list(
            threads.map(lambda _: subprocess.run(command, check=False, capture_output=True), range(4))
        )
    assert [each.stderr for each in ended] == [b""] * 4
    assert views(counts(tmp_path), "quay", 7, NOW) == 4 * 20 * 10


def test_a_day_has_so_many_names_whatever_the_number_of_writes(tmp_path: Path) -> None:
    kept = counts(tmp_path)
    for start in (0, 150, 300):
        kept.add({entry("vain_people", f"/{n}"): 1 for n in range(start, start + 150)})
    found = reader_report(kept, "quay", 7, NOW).vain
    assert len(found) == MOST["vain_people"] + 1
    assert found[0] == NamedCount(OTHERS, 450 - MOST["vain_people"], 0)


def test_those_that_are_most_get_a_name_first(tmp_path: Path) -> None:
    flood: Counts = {entry("vain_people", f"/{n}"): 1 for n in range(500)}
    counts(tmp_path).add({**flood, entry("vain_people", "/real"): 7})
    assert NamedCount("/real", 7, 0) in reader_report(counts(tmp_path), "quay", 7, NOW).vain


def test_old_days_and_sites_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    kept = counts(tmp_path)
    kept.add({entry("people", "/", TODAY - KEPT_DAYS - 1): 1, entry("people", "/", TODAY - KEPT_DAYS): 1})
    kept.add({entry("people", "/", site="gone"): 1, entry("people", "/", site="reef"): 1})
    kept.forget({"quay", "reef"})
    assert kept.read("SELECT site, day FROM counts ORDER BY site", ()) == [
        ("quay", TODAY - KEPT_DAYS),
        ("reef", TODAY),
    ]


def test_a_report_tells_views_by_day_page_and_agent(tmp_path: Path) -> None:
    kept = counts(tmp_path)
    kept.add(
        {
            entry("people", "/a", TODAY - 1): 3,
            entry("agents", "/a"): 2,
            entry("people", "/b"): 4,
            entry("agent", "Claude"): 2,
            entry("bots", OTHERS): 9,
            entry("people", "/a", TODAY - 7): 100,
            entry("people", "/a", site="reef"): 100,
        }
    )
    found = reader_report(kept, "quay", 7, NOW)
    assert (found.views, found.people, found.machines, found.bots) == (9, 7, 2, 9)
    assert [(day.people, day.agents) for day in found.days] == [(0, 0)] * 5 + [(3, 0), (4, 2)]
    assert found.pages == (NamedCount("/a", 3, 2), NamedCount("/b", 4, 0))
    assert found.agents == (NamedCount("Claude", 0, 2),)
    assert found.best.day == TODAY


def test_a_text_that_was_searched_for_once_is_not_told(tmp_path: Path) -> None:
    kept = counts(tmp_path)
    kept.add({entry("search", "slack water", TODAY - 1): 1, entry("search", "slack water"): 1})
    kept.add({entry("search", "my illness"): 1, entry("search", OTHERS): 3})
    found = reader_report(kept, "quay", 7, NOW)
    assert (found.searches, found.rare_searches) == ((NamedCount("slack water", 2, 0),), 4)
    told = [row for piece in records(kept, "quay", 7, NOW) for row in piece]
    assert "my illness" not in json.dumps(told)
    assert [row[2:] for row in told] == [("slack water", 1), ("", 3), ("slack water", 1)]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1"])
def test_no_name_is_a_formula_in_a_table(name: str) -> None:
    ((_, _, told, _),) = csv.reader(io.StringIO(as_csv([("2024-10-04", "search", name, 2)]), newline=""))
    assert told == f"'{name}"


def test_a_name_stays_in_its_field() -> None:
    odd = 'a,"b"\n2024,x'
    ((*_, told, _),) = csv.reader(io.StringIO(as_csv([("2024-10-04", "search", odd, 2)]), newline=""))
    assert told == odd


def test_before_anything_was_counted_there_is_no_file(tmp_path: Path) -> None:
    assert reader_report(counts(tmp_path), "quay", 30, NOW).is_empty
    counts(tmp_path).forget(set())
    assert not (tmp_path / FOLDER).exists()


def test_only_its_owner_reads_the_file(tmp_path: Path) -> None:
    counts(tmp_path).add({entry("people", "/"): 1})
    assert (tmp_path / FOLDER / FILE).stat().st_mode & 0o077 == 0
    assert (tmp_path / FOLDER).stat().st_mode & 0o077 == 0


def test_what_cannot_be_written_stays(tmp_path: Path) -> None:
    (tmp_path / FOLDER / FILE).mkdir(parents=True)
    waiting: Counts = {entry("people", "/"): 1}
    with pytest.raises(StorageError, match="counts of readers"):
        counts(tmp_path).add(waiting)
    assert waiting == {entry("people", "/"): 1}
