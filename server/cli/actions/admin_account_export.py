"""`twinpress admin account export`."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from builder.errors import TwinpressError
from server.backup.database_dumps import Dumps, ServiceData
from server.cli.terminal import console
from server.control.accounts.accounts import Accounts
from server.control.audit import OPERATOR
from server.control.sealing import open_keyring
from server.control.sqlite.data_folder import SITES, existing_data
from server.export.account_export import ExportSource, export_account
from server.process.disk import told_where, write_whole
from server.releases.site_stores import readers_stores
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
        releases = readers_stores(os.environ.get("TWINPRESS_RELEASES", ""), data)
        source = ExportSource(control, data / SITES, target.parent, releases, Dumps(service).dump)
        with told_where("the account cannot be exported", file):
            manifest = write_whole(target, partial(export_account, source, found.id, OPERATOR))
    console.note(f"{console.nearby(file)} has all of `{found.email}`: {file.stat().st_size:,} bytes.")
    for each in manifest.missing:
        console.note(f"{each.name} is missing in it: {each.why}")
    return INCOMPLETE if manifest.missing else 0
