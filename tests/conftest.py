"""Settings of all tests: in CI, property tests take the same examples every time.

A landing must not fail by chance on a change that has nothing to do with it; on developers' machines the
examples are new at every run, and what they find becomes a case. `make slow` takes five times as many.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from builder.workers.processors import COLLECT, processors
from tests.memory import MEMORY, is_roomy
from tests.reach import reached
from tests.weekly import is_put_off

SLOW = (
    "server/durable/test_faults.py",
    "server/durable/test_crowd.py",
    "builder/markdown/test_pathological.py",
    "server/preview/test_browser.py",
    "themes/",
    "builder/cache/test_edits.py",
    "builder/workers/test_pool.py",
    "builder/produce/test_security.py",
    "builder/markdown/test_body_security.py",
    "server/control/keys/test_key_states.py",
    "server/history/test_damage.py",
    "server/screenshots/",
    "server/preview/",
    "components/test_escaping.py",
    "components/test_accessibility.py",
    "builder/markdown/test_budgets.py",
    "server/postgres/",
    "server/databases/",
    "server/findings/",
    "server/dashboard/test_findings.py",
    "server/service/",
    "server/site_serving/",
    "server/releases/test_bucket_faults.py",
    "server/authoring/test_beside.py",
    "server/cli/",
    "server/sync/",
    "server/static_targets/",
    "project/test_guide_ci.py",
    "server/authoring/",
)
"""The files that take longest, and those for which a browser is started, the slowest first.

They come after all others: where the time for tests ends before they do, it has been enough for most cases.
"""

# A file costs half as much in memory as on a disk, and no write waits; processes that run tests inherit it.
if is_roomy():
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# Shells start what runs in their background with Ctrl+C ignored, and whatever that starts inherits it:
# servers that tests stop by it would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No property is about time, and on a busy machine making an example takes long, too.
ANY_TIME = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("ci", derandomize=True, print_blob=True, max_examples=40, **ANY_TIME)
settings.register_profile("developer", max_examples=40, **ANY_TIME)
settings.register_profile("many", print_blob=True, max_examples=200, **ANY_TIME)
settings.load_profile("ci" if os.environ.get("CI") else "developer")

LONGEST, ARMED_FOR = 1200, 20
"""Seconds after which a test is given up: all threads are shown, and its process ends; those of one alarm."""
_armed = [0.0]
_terminal: list[int] = []
"""A descriptor of standard error, from before what tests write there is captured."""


def pytest_configure() -> None:
    """Keep it."""
    _terminal.append(os.dup(2))


UNTIL = float(os.environ.get("TWINPRESS_TESTS_UNTIL", "inf"))
"""Seconds since 1970 after which no test begins: CI ends a run that takes longer, and says nothing."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out what there is no time for, and set the alarm for tests that never end.

    It is set anew when it was set a while ago. pytest's own begins and ends a thread with each test, which
    takes longer than most tests do.
    """
    if time.time() > UNTIL:
        pytest.skip(f"{_name(item)}: NOT RUN, the time for tests is over")
    now = time.monotonic()
    if now - _armed[0] > ARMED_FOR:
        _armed[0] = now
        faulthandler.dump_traceback_later(LONGEST + ARMED_FOR, exit=True, file=_terminal[0])


def pytest_exception_interact() -> None:
    """Set it anew with the next test: pytest cancels it when one fails."""
    _armed[0] = 0.0


def pytest_unconfigure() -> None:
    """End the alarm with the tests."""
    faulthandler.cancel_dump_traceback_later()
    os.close(_terminal.pop())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two processes more than there are processors: tests wait for servers, for browsers and for the disk."""
    return processors() + 2


POSTGRES = {
    "server.postgres.run.embedded.embedded",
    "tests.server.postgres.starter.service",
    "tests.server.service.hosting.hosting",
    "tests.server.service.process.Host",
}
"""Names that start a PostgreSQL, in the process of the test or in another one."""
COMMANDS = {"tests.server.commands.running", "tests.server.commands.twinpress"}
"""Names that start our command, which takes as long as ten tests of a function."""
COSTLY = (
    "bench/",
    "builder/cache/",
    "builder/code/test_fast_lexer.py",
    "builder/code/test_highlight.py",
    "builder/diagrams/test_draw.py",
    "builder/frontmatter/test_join.py",
    "builder/fuzz/",
    "builder/html/test_sanitize.py",
    "builder/links/test_suggestions.py",
    "builder/markdown/commonmark/test_lists.py",
    "builder/markdown/test_body_commonmark.py",
    "builder/markdown/test_body_corpora.py",
    "builder/markdown/test_body_properties.py",
    "builder/markdown/test_body_security.py",
    "builder/markdown/test_budgets.py",
    "builder/markdown/test_growth.py",
    "builder/markdown/test_pathological.py",
    "builder/markdown/twin/test_corpora.py",
    "builder/pathological/",
    "builder/preview/test_edits.py",
    "builder/preview/test_renderer.py",
    "builder/produce/test_corpora.py",
    "builder/produce/test_determinism.py",
    "builder/produce/test_injected.py",
    "builder/produce/test_premium.py",
    "builder/produce/test_security.py",
    "builder/produce/test_strange.py",
    "builder/produce/test_yaml.py",
    "builder/render/test_source_frame.py",
    "builder/review/test_glance.py",
    "builder/store/test_crash.py",
    "builder/store/test_folder_listing.py",
    "builder/store/test_processes.py",
    "builder/store/test_quick.py",
    "builder/store/test_saving.py",
    "builder/store/test_traversal.py",
    "builder/theme/test_compiled.py",
    "builder/watch/",
    "builder/workers/",
    "components/test_escaping.py",
    "project/",
    "server/authoring/test_beside.py",
    "server/authoring/test_hosted_sites.py",
    "server/authoring/test_refusals.py",
    "server/backup/test_without_databases.py",
    "server/cli/",
    "server/control/keys/test_key_limits.py",
    "server/control/keys/test_key_states.py",
    "server/dashboard/",
    "server/domains/test_domain_look.py",
    "server/domains/test_domain_orders.py",
    "server/durable/",
    "server/findings/test_looker.py",
    "server/history/test_crash.py",
    "server/history/test_damage.py",
    "server/history/test_durable.py",
    "server/history/test_files.py",
    "server/history/test_history.py",
    "server/history/test_undo.py",
    "server/http/test_stuck.py",
    "server/postgres/test_scram.py",
    "server/publishing/",
    "server/releases/test_bucket_faults.py",
    "server/releases/test_object_store.py",
    "server/service/",
    "server/site_previews/",
    "server/site_serving/test_process.py",
    "server/site_serving/test_service_process.py",
    "server/site_serving/test_switching.py",
    "server/sites/test_bounds.py",
    "server/sites/test_export.py",
    "server/sites/test_hostile.py",
    "server/static_targets/",
    "server/sync/",
    "server/test_struct_types.py",
    "server/webhooks/test_couriers.py",
    "test_documentation.py",
    "test_reach.py",
    "themes/",
)
"""Files that take long for another reason: corpora, attacks, pages at their limits, whole sites."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is costly, and end with the slow files, the slowest of them first."""
    for item in items:
        if is_put_off(_name(item), item.name):
            item.add_marker("slow")
    # To find out takes each process seconds, and `make test` chooses by neither.
    if any(marker in config.option.markexpr for marker in ("postgres", "costly")):
        _mark(items)
    items.sort(key=lambda item: _rank(_name(item)))


def _mark(items: Iterable[pytest.Item]) -> None:
    for item in items:
        names = reached(item)
        if not POSTGRES.isdisjoint(names):
            item.add_marker("postgres")
        if not COMMANDS.isdisjoint(names) or _name(item).startswith(COSTLY):
            item.add_marker("costly")


def pytest_collection_finish() -> None:
    """Have Python look less often for circles, and never among the ten thousand tests that stay anyway."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT)


def _name(item: pytest.Item) -> str:
    """The path of its file among the tests."""
    return _below(item.path)


@cache
def _below(path: Path) -> str:
    return path.relative_to(Path(__file__).parent).as_posix()


@cache
def _rank(file: str) -> int:
    return next((rank for rank, slow in enumerate(SLOW) if file.startswith(slow)), -1)


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have Twinpress keep nothing in the folders of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        yield
