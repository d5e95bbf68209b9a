"""`twinpress admin domain ...`: the domains of all accounts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from server.cli.terminal import console, question, record_table
from server.cli.terminal.record_table import Listing
from server.control.accounts.accounts import Accounts
from server.control.audit import OPERATOR, By
from server.control.hosted_sites import HostedSites
from server.control.sqlite.data_folder import existing_data
from server.control.sqlite.database import ControlDatabase
from server.domains.domain import Domain
from server.domains.domain_claims import DomainClaims
from server.domains.domain_name import DomainRules

BY = By(OPERATOR)
_STATES = {
    "serving": "serving",
    "unrouted": "verified, readers do not come here",
    "failing": "verified, record gone",
    "taken": "waiting, another account has it",
    "half": "waiting for the other record",
    "waiting": "waiting",
    "wrong": "waiting, something else found",
}


def list_(*, data: Path, email: str, as_json: bool) -> int:
    """Print what is known about domains."""
    with existing_data(data) as control:
        accounts, claims = Accounts(control), _claims(control)
        found = claims.of_account(accounts.find(email).id) if email else claims.every()
        emails = {each.id: each.email for each in accounts.list()}
        sites = {each.id: each.name for each in HostedSites(control).every()}
    _listing(emails, sites).show(found, as_json=as_json)
    return 0


def clear(*, data: Path, domain: str, yes: bool) -> int:
    """Remove all claims of a domain."""
    with existing_data(data) as control:
        claims = _claims(control)
        name = DomainRules(()).parse(domain)
        if not yes and not question.agreed(f"Remove {name} from all sites that have or want it?"):
            console.note("Nothing was removed.")
            return 2
        removed = claims.clear(name, BY)
        owners = {each.id: each.email for each in Accounts(control).list()}
    for each in removed:
        console.note(f"`{name}` is no domain of {owners[each.account]} any more.")
    console.note("Each of them can add it again, and has to prove that it is theirs.")
    return 0


def _claims(control: ControlDatabase) -> DomainClaims:
    """Return the domains; none is added here, so that no host of the service needs to be known."""
    return DomainClaims(control, DomainRules(()))


def _listing(emails: Mapping[str, str], sites: Mapping[str, str]) -> Listing[Domain]:
    def cells(one: Domain) -> tuple[str, ...]:
        return one.name, _STATES[one.state], sites[one.site], emails[one.account]

    def fields(one: Domain) -> dict[str, str | None]:
        return {
            "domain": one.name,
            "state": one.state,
            "site": sites[one.site],
            "account": emails[one.account],
            "txt": one.ownership,
            "routing": one.routing,
            "created_at": record_table.utc(one.created_at),
            "verified_at": record_table.utc(one.verified_at),
            "failing_since": record_table.utc(one.failing_since),
            "looked_at": record_table.utc(one.looked_at),
        }

    return Listing(("DOMAIN", "STATE", "SITE", "ACCOUNT"), cells, fields, "There are no domains.")
