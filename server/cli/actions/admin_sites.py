"""`twinpress admin site ...`: the sites of all accounts."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from builder.errors import TwinpressError
from server.cli.terminal import console, question, record_table
from server.cli.terminal.record_table import Listing
from server.control.accounts.accounts import Accounts
from server.control.audit import OPERATOR, By
from server.control.hosted_sites import HostedSite, HostedSites
from server.control.sqlite.data_folder import existing_data
from server.process.disk import sync_folder
from server.sites.export_archive import export_archive
from server.sites.left_out import LeftOut

BY = By(OPERATOR)
FOLDER = "sites"


def list_(*, data: Path, email: str, as_json: bool) -> int:
    """Print what is known about sites."""
    with existing_data(data) as control:
        accounts, sites = Accounts(control), HostedSites(control)
        found = sites.list(accounts.find(email).id) if email else sites.every()
        emails = {each.id: each.email for each in accounts.list()}
    _listing(emails).show(found, as_json=as_json)
    return 0


def export(*, data: Path, name: str, file: Path) -> int:
    """Write the files of a site to a zip, whole or not at all."""
    with existing_data(data) as control:
        site = HostedSites(control).find(name)
    try:
        left_out = _written(data / FOLDER / site.id, file)
    except OSError as error:
        place = str(error.filename or file)
        hint = "name a file in a folder with room for it"
        message = f"the site cannot be exported: {error.strerror or error}"
        raise TwinpressError(message, path=place, hint=hint) from error
    for each in left_out:
        console.note(f"Left out: {each.path}: {each.why}")
    console.note(f"{console.nearby(file)} has the files of `{site.name}`: {file.stat().st_size:,} bytes.")
    return 0


def _written(folder: Path, file: Path) -> tuple[LeftOut, ...]:
    target = file.absolute()
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as work:
        written = Path(work) / "site.zip"
        with written.open("xb") as opened:
            written.chmod(0o600)
            left_out = export_archive(folder, opened)
            opened.flush()
            os.fsync(opened.fileno())
        written.rename(target)
    sync_folder(target.parent)
    return left_out


def rename(*, data: Path, name: str, new: str) -> int:
    """Give a site another name."""
    with existing_data(data) as control:
        sites = HostedSites(control)
        site = sites.rename(sites.find(name).id, new, BY)
    console.note(f"The site is called `{site.name}` from now on.")
    return 0


def delete(*, data: Path, name: str, yes: bool) -> int:
    """Have a site deleted in seven days."""
    with existing_data(data) as control:
        sites = HostedSites(control)
        site = sites.find(name)
        owner = Accounts(control).get(site.account).email
        if not yes and not question.agreed(f"Delete the site {site.name} of {owner} in seven days?"):
            console.note("Nothing was deleted.")
            return 2
        site = sites.delete(site.id, BY)
    console.note(f"The site `{site.name}` will be deleted on {record_table.local(site.delete_at)}.")
    console.note("Until then `twinpress admin site restore` keeps it.")
    return 0


def restore(*, data: Path, name: str) -> int:
    """Keep a site that was to be deleted."""
    with existing_data(data) as control:
        sites = HostedSites(control)
        site = sites.restore(sites.find(name).id, BY)
    if site.delete_at is not None:
        hint = "its files are being deleted; restore a backup into another folder to look at them"
        raise TwinpressError(f"the seven days of the site `{site.name}` are over", hint=hint)
    console.note(f"The site `{site.name}` stays.")
    return 0


def _listing(emails: Mapping[str, str]) -> Listing[HostedSite]:
    def cells(site: HostedSite) -> tuple[str, ...]:
        return site.name, _state(site), record_table.local(site.created_at), emails[site.account], site.id

    def fields(site: HostedSite) -> dict[str, str | None]:
        return {
            "id": site.id,
            "name": site.name,
            "account": emails[site.account],
            "state": _state(site),
            "created_at": record_table.utc(site.created_at),
            "delete_at": record_table.utc(site.delete_at),
        }

    return Listing(("NAME", "STATE", "CREATED", "ACCOUNT", "ID"), cells, fields, "There are no sites.")


def _state(site: HostedSite) -> str:
    if site.delete_at is not None:
        return "to be deleted"
    return "suspended" if site.suspended else "active"
