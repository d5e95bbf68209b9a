"""`twinpress admin site ...`: the sites of all accounts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from builder.errors import TwinpressError
from server.cli.terminal import console, question, record_table
from server.cli.terminal.record_table import Listing
from server.control.accounts.accounts import Accounts
from server.control.audit import OPERATOR, By
from server.control.hosted_sites import HostedSite, HostedSites
from server.control.sqlite.data_folder import SITES, existing_data
from server.process.disk import told_where, write_whole
from server.sites.export_archive import export_archive

BY = By(OPERATOR)


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
    with told_where("the site cannot be exported", file):
        left_out = write_whole(file.absolute(), partial(export_archive, data / SITES / site.id))
    for each in left_out:
        console.note(f"Left out: {each.path}: {each.why}")
    console.note(f"{console.nearby(file)} has the files of `{site.name}`: {file.stat().st_size:,} bytes.")
    return 0


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
