"""Sites of accounts: names, owners, limits, and what happens to those that are deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import Struct

from server.control import ControlDatabase, KeyKind, SiteKeys
from server.control.accounts.account import Account
from server.control.audit import By
from server.control.errors import (
    AccountNotFound,
    BadKey,
    DisabledKey,
    InvalidSiteName,
    KeyNotFound,
    SessionEnded,
    SiteLimitReached,
    SiteNameTaken,
    SiteNotFound,
)
from server.control.hosted_sites import (
    LONGEST_NAME,
    MOST_FORMER,
    NAME_KEPT,
    RESTORABLE,
    HostedSites,
    check_site_name,
)
from server.control.plans import PLANS
from tests.server.control.people import account

OWNER = By("session abc")


class World(Struct):
    """A database with two accounts, and a clock that a test moves."""

    database: ControlDatabase
    sites: HostedSites
    ann: Account
    bob: Account
    now: float = 1_000_000.0


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with closing(ControlDatabase(tmp_path / "control.sqlite3")) as database:
        ann, bob = account(database), account(database, "bob@example.com")
        found = World(database, HostedSites(database), ann, bob)
        found.sites = HostedSites(database, clock=lambda: found.now)
        yield found


@pytest.mark.parametrize(
    ("given", "name"), [("acme-docs", "acme-docs"), (" Acme-Docs ", "acme-docs"), ("a1", "a1"), ("3d", "3d")]
)
def test_a_name_is_a_label_of_hosts(given: str, name: str) -> None:
    assert check_site_name(given) == name


@pytest.mark.parametrize(
    "given",
    # One sign, hyphens where they do not belong, what is no letter of a host name, and what is reserved.
    [
        "",
        "a",
        "-a",
        "a-",
        "a--b",
        "xn--bcher-kva",
        "a.b",
        "a_b",
        "ä-docs",
        "a b",
        "a" * (LONGEST_NAME + 1),
        "a\nb",
        "www",
        "API",
        "preview-x",
        "mail",
    ],
)
def test_other_names_are_refused_with_a_way_out(given: str) -> None:
    with pytest.raises(InvalidSiteName) as refused:
        check_site_name(given)
    assert refused.value.hint


def test_a_site_is_its_accounts_alone(world: World) -> None:
    made = world.sites.create(world.ann.id, "acme-docs", OWNER)
    assert (made.account, made.name, made.plan, made.delete_at) == (world.ann.id, "acme-docs", "free", None)
    assert world.sites.named(world.ann.id, "acme-docs") == world.sites.get(made.id) == made
    assert (list(world.sites.list(world.ann.id)), list(world.sites.list(world.bob.id))) == ([made], [])
    for owner, name in ((world.bob.id, "acme-docs"), (world.ann.id, "other")):
        with pytest.raises(SiteNotFound):
            world.sites.named(owner, name)


def test_the_plan_limits_the_number_of_sites(world: World) -> None:
    for number in range(PLANS["free"].sites):
        world.sites.create(world.ann.id, f"site-{number}", OWNER)
    with pytest.raises(SiteLimitReached, match=str(PLANS["free"].sites)) as refused:
        world.sites.create(world.ann.id, "one-more", OWNER)
    assert refused.value.hint
    world.sites.create(world.bob.id, "one-more", OWNER)


def test_whether_there_is_room_for_a_site_is_told_before_it_is_made(world: World) -> None:
    world.sites.create(world.bob.id, "taken", OWNER)
    assert world.sites.check_room(world.ann.id, " New-Docs ") == "new-docs"
    refusals: list[tuple[str, type[Exception]]] = [("taken", SiteNameTaken), ("-", InvalidSiteName)]
    for name, refusal in refusals:
        with pytest.raises(refusal):
            world.sites.check_room(world.ann.id, name)
    for number in range(PLANS["free"].sites):
        world.sites.create(world.ann.id, f"site-{number}", OWNER)
    with pytest.raises(SiteLimitReached):
        world.sites.check_room(world.ann.id, "one-more")
    with pytest.raises(AccountNotFound):
        world.sites.check_room("nobody", "one-more")
    assert len(world.sites.list(world.ann.id)) == PLANS["free"].sites


def test_no_site_gets_the_name_of_another_or_a_former_one_of_somebody_else(world: World) -> None:
    theirs = world.sites.create(world.bob.id, "theirs", OWNER)
    world.sites.create(world.bob.id, "former", OWNER)
    world.sites.rename(world.sites.named(world.bob.id, "former").id, "later", OWNER)
    site = world.sites.create(world.ann.id, "mine", OWNER)
    for name in ("theirs", "later", "former"):
        with pytest.raises(SiteNameTaken):
            world.sites.rename(site.id, name, OWNER)
    assert world.sites.rename(theirs.id, "former", OWNER).name == "former"
    world.sites.rename(theirs.id, "theirs", OWNER)
    world.now += NAME_KEPT
    assert world.sites.rename(site.id, "former", OWNER).name == "former"


def test_a_name_is_given_once_and_a_former_one_stays_its_accounts(world: World) -> None:
    site = world.sites.create(world.ann.id, "first", OWNER)
    with pytest.raises(SiteNameTaken):
        world.sites.create(world.bob.id, "first", OWNER)
    assert world.sites.rename(site.id, "Second", OWNER).name == "second"
    with pytest.raises(SiteNameTaken):
        world.sites.create(world.bob.id, "first", OWNER)
    world.now += NAME_KEPT - 1
    with pytest.raises(SiteNameTaken):
        world.sites.create(world.bob.id, "first", OWNER)
    assert world.sites.rename(site.id, "first", OWNER).name == "first"
    world.sites.rename(site.id, "third", OWNER)
    world.now += NAME_KEPT
    world.sites.forget_old_names()
    assert world.sites.create(world.bob.id, "first", OWNER).account == world.bob.id


def test_nobody_takes_all_good_names_by_renaming(world: World) -> None:
    site = world.sites.create(world.ann.id, "name-0", OWNER)
    for number in range(1, MOST_FORMER + 1):
        world.sites.rename(site.id, f"name-{number}", OWNER)
    with pytest.raises(SiteLimitReached, match="20 former names"):
        world.sites.rename(site.id, "another", OWNER)
    assert world.sites.get(site.id).name == f"name-{MOST_FORMER}"
    assert world.sites.rename(site.id, "name-3", OWNER).name == "name-3"


def test_a_deleted_site_can_be_restored_for_seven_days(world: World) -> None:
    site = world.sites.create(world.ann.id, "docs-one", OWNER)
    keys = SiteKeys(world.database, clock=lambda: world.now)
    key = keys.create(KeyKind.LONG_LIVED, site.id, "ci", OWNER)
    assert world.sites.delete(site.id, OWNER).delete_at == world.now + RESTORABLE
    with pytest.raises(DisabledKey, match="to be deleted"):
        keys.check(key.text)
    world.now += RESTORABLE - 1
    assert not world.sites.due()
    assert world.sites.restore(site.id, OWNER).delete_at is None
    assert keys.check(key.text).id == key.record.id
    world.sites.delete(site.id, OWNER)
    world.now += RESTORABLE
    assert [each.id for each in world.sites.due()] == [site.id]
    assert world.sites.restore(site.id, OWNER).delete_at is not None
    world.sites.forget(site.id)
    with pytest.raises(SiteNotFound):
        world.sites.get(site.id)
    with pytest.raises(KeyNotFound):
        keys.get(key.record.id)
    with pytest.raises(SiteNameTaken):
        world.sites.create(world.bob.id, "docs-one", OWNER)


def test_sites_of_an_account_whose_time_is_over_are_due(world: World) -> None:
    site = world.sites.create(world.ann.id, "docs-one", OWNER)
    world.database.write("UPDATE accounts SET delete_at = ? WHERE id = ?", (int(world.now), world.ann.id))
    assert [each.id for each in world.sites.due()] == [site.id]


CHANGES: dict[str, Callable[[HostedSites, SiteKeys, str, str, By], object]] = {
    "create": lambda sites, _, __, account, by: sites.create(account, "another", by),
    "rename": lambda sites, _, site, __, by: sites.rename(site, "another", by),
    "delete": lambda sites, _, site, __, by: sites.delete(site, by),
    "restore": lambda sites, _, site, __, by: sites.restore(site, by),
    "key": lambda _, keys, site, __, by: keys.create(KeyKind.ONE_OFF, site, "", by),
}


@pytest.mark.parametrize("act", CHANGES.values(), ids=CHANGES)
def test_a_session_that_has_ended_changes_nothing(
    world: World, act: Callable[[HostedSites, SiteKeys, str, str, By], object]
) -> None:
    def ended() -> None:
        raise SessionEnded("the session has ended")

    site = world.sites.create(world.ann.id, "docs-one", OWNER)
    before = [world.database.read(f"SELECT * FROM {table}") for table in ("sites", "keys", "audit")]
    with pytest.raises(SessionEnded):
        act(world.sites, SiteKeys(world.database), site.id, world.ann.id, By("session x", ended))
    assert [world.database.read(f"SELECT * FROM {table}") for table in ("sites", "keys", "audit")] == before


def test_what_was_done_is_noted(world: World) -> None:
    site = world.sites.create(world.ann.id, "docs-one", OWNER)
    keys = SiteKeys(world.database, clock=lambda: world.now)
    key = keys.create(KeyKind.LONG_LIVED, site.id, "ci", OWNER)
    keys.rotate(key.record.id, OWNER)
    keys.disable(key.record.id, OWNER)
    keys.enable(key.record.id, OWNER)
    keys.delete(key.record.id, OWNER)
    world.sites.rename(site.id, "docs-two", OWNER)
    world.sites.delete(site.id, OWNER)
    world.sites.restore(site.id, OWNER)
    found = world.database.read(
        "SELECT action, subject FROM audit WHERE account = ? ORDER BY number", (world.ann.id,)
    )
    acts = [f"site_key.{act}" for act in ("create", "rotate", "disable", "enable", "delete")]
    assert found[1:] == [
        ("site.create", site.id),
        *((act, key.record.id) for act in acts),
        *((f"site.{act}", site.id) for act in ("rename", "delete", "restore")),
    ]


def test_a_rotated_key_has_a_new_value_and_all_else_stays(world: World) -> None:
    site = world.sites.create(world.ann.id, "docs-one", OWNER)
    keys = SiteKeys(world.database)
    old = keys.create(KeyKind.LONG_LIVED, site.id, "ci", OWNER)
    new = keys.rotate(old.record.id, OWNER)
    assert new.record.id == old.record.id == keys.check(new.text).id
    assert new.record.last_four == new.text[-4:] != old.text[-4:]
    with pytest.raises(BadKey, match="no such key"):
        keys.check(old.text)
