"""`twinpress admin account export`."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from builder.errors import TwinpressError
from server.backup.database_dumps import Dumps, ServiceData
from server.cli.terminal import console
from server.control.accounts.accounts import Accounts
from server.control.audit import OPERATOR
from server.control.sealing import open_keyring
from server.control.sqlite.data_folder import existing_data
from server.export.account_export import ExportManifest, ExportSource, export_account
from server.process.disk import sync_folder
from server.service.host_settings import DSN

INCOMPLETE = 1
"""The exit code of an export of which something is missing."""


def export(*, data: Path, email: str, file: Path, db_bin_dir: Path | None) -> int:
    """Write all that an account has to a new zip, whole or not at all."""
    data, target = data.absolute(), file.absolute()
    if target.exists():
        raise TwinpressError(
            "there is a file already", path=str(file), hint="name another, or remove this one"
        )
    with existing_data(data) as control:
        found = Accounts(control).find(email)
        service = ServiceData(data, control, open_keyring(control, data), os.environ.get(DSN, ""), db_bin_dir)
        source = ExportSource(control, data / "sites", target.parent, Dumps(service).dump)
        try:
            manifest = _written(source, found.id, target)
        except OSError as error:
            message = f"the account cannot be exported: {error.strerror or error}"
            place = str(error.filename or file)
            hint = "name a file in a folder with room for it"
            raise TwinpressError(message, path=place, hint=hint) from error
    console.note(f"{console.nearby(file)} has all of `{found.email}`: {file.stat().st_size:,} bytes.")
    for each in manifest.missing:
        console.note(f"{each.name} is missing in it: {each.why}")
    return INCOMPLETE if manifest.missing else 0


def _written(source: ExportSource, account: str, target: Path) -> ExportManifest:
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as work:
        written = Path(work) / "account.zip"
        written.touch(0o600, exist_ok=False)
        with written.open("wb") as opened:
            manifest = export_account(source, account, OPERATOR, opened)
            opened.flush()
            os.fsync(opened.fileno())
        written.rename(target)
    sync_folder(target.parent)
    return manifest
