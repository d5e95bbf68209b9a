"""The state of the site after a build: what to show, and what is wrong with it."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from builder import build
from builder.cache import MemoryCache
from builder.errors import TwinpressError
from builder.output import PreviewOutput
from builder.report import Problem
from builder.site.load import load_config
from builder.store import ContentStore
from server.preview.problems import CRASHED, FAILED, of_crash, of_diagnostics, of_error

SCRIPT = "/_tp/reload.js"
"""Where the live-reload script is, below the site's base path."""

CONFIG_INVALID = "config-invalid"
BLOCKING = frozenset({CONFIG_INVALID, FAILED, CRASHED})
"""Codes of what makes a snapshot stale."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of the preview.

    `number` counts builds, and `started` is when this one began (`time.monotonic`).
    `output` is what is shown: of this build, or, when `stale`, of an earlier one
    because this one could not be used; `cache` has what the next build can take over. `assets` changes
    whenever a file beside pages has. `title` and `base` are the site's own.
    """

    number: int = 0
    started: float = 0.0
    output: PreviewOutput = field(default_factory=PreviewOutput)
    cache: MemoryCache | None = None
    base: str = ""
    title: str = ""
    pages: int = 0
    seconds: float = 0.0
    problems: tuple[Problem, ...] = ()
    assets: int = 0
    sound: bool = False
    stale: bool = False

    @property
    def paths(self) -> Collection[str]:
        """The output paths of what is shown."""
        return self.output.places


def first(root: Path, options: build.Options, progress: Progress) -> Snapshot:
    """Build for the first time. Raises TwinpressError when there is no site, or no way to read it."""
    try:
        return _built(root, options, progress, Snapshot(assets=time.time_ns()))
    except TwinpressError:
        raise
    except Exception as error:  # noqa: BLE001 - a fault of ours must not take the preview down; it is shown
        return _failed(Snapshot(), of_crash(error))


def following(root: Path, options: build.Options, last: Snapshot, changed: frozenset[str]) -> Snapshot:
    """Build again after the sources in `changed` did. Total: what goes wrong is shown over the last pages."""
    try:
        made = _built(root, options, _silent, last)
    except TwinpressError as error:
        return _failed(last, of_error(error))
    except Exception as error:  # noqa: BLE001 - as above
        return _failed(last, of_crash(error))
    if last.sound and not made.sound:
        return dataclasses.replace(
            last, number=made.number, started=made.started, problems=made.problems, stale=True
        )
    files = {*made.output.copied.values(), *last.output.copied.values()}
    return dataclasses.replace(made, assets=time.time_ns()) if files & changed else made


def _built(root: Path, options: build.Options, progress: Progress, last: Snapshot) -> Snapshot:
    output, started = PreviewOutput(last.output), time.monotonic()
    cache = last.cache or MemoryCache(root)
    result = build.build(root, output, options, progress, cache)
    with ContentStore(root) as store:
        settings, _ = load_config(store)
        problems = of_diagnostics(result.diagnostics, store)
    return Snapshot(
        number=last.number + 1,
        started=started,
        output=output,
        cache=cache,
        base=settings.base_path,
        title=settings.title,
        pages=result.pages,
        seconds=result.seconds,
        problems=problems,
        assets=last.assets,
        sound=all(found.code != CONFIG_INVALID for found in result.diagnostics),
    )


def _failed(last: Snapshot, problem: Problem) -> Snapshot:
    return dataclasses.replace(
        last,
        number=last.number + 1,
        started=time.monotonic(),
        problems=(problem,),
        stale=bool(last.paths),
    )


def _silent(done: int, total: int) -> None:
    """A rebuild shows no progress."""
