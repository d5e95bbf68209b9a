"""`twinpress admin secrets ...`."""

from __future__ import annotations

from pathlib import Path

from builder.report.summary import counted
from server.cli.terminal import console
from server.control.sealing import open_keyring, rotation
from server.control.sealing.opening import source_of, where
from server.control.sealing.rotation import Replaced
from server.control.sqlite.data_folder import existing_data


def rotate(*, data: Path) -> int:
    """Add a master key."""
    with existing_data(data) as database:
        open_keyring(database, data)
        source = source_of(data)
        made = rotation.rotate(database, source)
    if made.variable is None:
        console.note(f"The master key {made.ids[0]} seals from now on. Seal the rest with `secrets rewrap`.")
        return 0
    console.write(f"{made.variable}\n")
    console.note(
        f"{where(source)} has to hold this line from now on: set it for the service, and restart the service."
    )
    console.note(
        "Then run `secrets rewrap` with it. Running it before, the service could not open its secrets."
    )
    return 0


def rewrap(*, data: Path, prune: bool) -> int:
    """Seal everything with the newest master key."""
    with existing_data(data) as database:
        keyring, source = open_keyring(database, data), source_of(data)
        done = rotation.rewrap(database, keyring)
        console.note(f"{counted(done, 'secret')} sealed with the master key {keyring.newest}.")
        if prune:
            return _pruned(rotation.prune(database, source), where(source))
        old = rotation.unneeded(database, source)
    if old:
        console.note(f"Not needed any more: {', '.join(old)}. Remove them with `secrets rewrap --prune`.")
    return 0


def _pruned(gone: Replaced, place: str) -> int:
    if not gone.ids:
        console.note("All master keys are needed.")
        return 0
    if gone.variable is None:
        console.note(f"Removed: {', '.join(gone.ids)}.")
        return 0
    console.write(f"{gone.variable}\n")
    console.note(f"Not needed any more: {', '.join(gone.ids)}. {place} may be this line from now on.")
    return 0
