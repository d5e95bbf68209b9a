"""Names of previews: who gets which, and how they outlive a change of the master key, or the loss of one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from server.control import ControlDatabase
from server.control.accounts.account import Account
from server.control.errors import SessionEnded, SiteGone
from server.control.preview_addresses import LIFE, PreviewAddresses, PreviewRecord
from server.control.sealing import open_keyring
from server.control.sealing.opening import source_of
from server.control.sealing.rotation import prune, rewrap, rotate
from server.control.sign_in.browser_sessions import IDLE, BrowserSessions
from server.control.sign_in.browser_sessions import LIFE as SESSION
from server.releases.hosts import PREVIEW_PREFIX
from tests.server.control.clock import START, Clock

NONE: dict[str, str] = {}


@pytest.fixture
def sessions(database: ControlDatabase) -> Iterator[BrowserSessions]:
    for site in ("boats", "trains"):
        database.write("INSERT INTO sites (id, created_at) VALUES (?, 1)", (site,))
    opened = BrowserSessions(database)
    yield opened
    opened.close()


def test_each_session_has_a_name_of_its_own_for_each_site(
    database: ControlDatabase, data: Path, sessions: BrowserSessions, owner: Account
) -> None:
    one, two = (sessions.begin(owner.id).session.id for _ in range(2))
    here, elsewhere = (PreviewAddresses(database, open_keyring(database, data, NONE)) for _ in range(2))
    names = {(who, site): here.label(who, site) for who in (one, two) for site in ("boats", "trains")}
    assert len(set(names.values())) == 4
    for (who, site), name in names.items():
        assert elsewhere.label(who, site) == name  # from any process
        assert elsewhere.find(name) == PreviewRecord(site, who)
    assert here.find(PREVIEW_PREFIX) is here.find("") is here.find(names[one, "boats"].upper()) is None


def test_a_name_stays_when_the_master_key_changes(
    database: ControlDatabase, data: Path, sessions: BrowserSessions, owner: Account
) -> None:
    keyring, source = open_keyring(database, data, NONE), source_of(data, NONE)
    addresses, session = PreviewAddresses(database, keyring), sessions.begin(owner.id).session.id
    name = addresses.label(session, "boats")
    rotate(database, source)
    assert rewrap(database, keyring) == 1
    assert len(prune(database, source).ids) == 1
    again = PreviewAddresses(database, open_keyring(database, data, NONE))
    assert again.label(session, "boats") == name


def test_a_name_whose_key_is_lost_is_replaced(
    database: ControlDatabase, data: Path, sessions: BrowserSessions, owner: Account
) -> None:
    addresses = PreviewAddresses(database, open_keyring(database, data, NONE))
    session = sessions.begin(owner.id).session.id
    name = addresses.label(session, "boats")
    database.write("UPDATE site_previews SET sealed = 'nothing'")
    other = addresses.label(session, "boats")
    assert other != name
    assert (addresses.find(name), addresses.find(other)) == (None, PreviewRecord("boats", session))


def test_a_name_lives_as_long_as_it_is_asked_for(
    database: ControlDatabase, data: Path, owner: Account
) -> None:
    database.write("INSERT INTO sites (id, created_at) VALUES ('boats', 1)")
    clock = Clock()
    addresses = PreviewAddresses(database, open_keyring(database, data, NONE), clock)
    with closing(BrowserSessions(database, clock)) as sessions:
        begun = sessions.begin(owner.id)
        session, found = begun.session.id, PreviewRecord("boats", begun.session.id)
        name = addresses.label(session, "boats")
        clock.now += LIFE - 1
        assert (addresses.find(name), addresses.label(session, "boats")) == (found, name)
        clock.now += LIFE - 1
        assert addresses.find(name) == found
        clock.now += 1
        assert addresses.find(name) is None
        other = addresses.label(session, "boats")
        assert (other != name, addresses.find(other)) == (True, found)


@pytest.mark.parametrize(("used", "end"), [(0, IDLE), (SESSION - 10, SESSION)], ids=["idle", "old"])
def test_a_name_ends_with_its_session_though_others_go_on(
    database: ControlDatabase, data: Path, owner: Account, used: int, end: int
) -> None:
    database.write("INSERT INTO sites (id, created_at) VALUES ('boats', 1)")
    clock = Clock()
    addresses = PreviewAddresses(database, open_keyring(database, data, NONE), clock)
    with closing(BrowserSessions(database, clock)) as sessions:
        session = sessions.begin(owner.id).session.id
        database.write("UPDATE browser_sessions SET last_used_at = ?", (int(START) + used,))
        clock.now = START + end - 10
        other = sessions.begin(owner.id).session.id
        name = addresses.label(session, "boats")
        clock.now = START + end - 1
        assert addresses.find(name) == PreviewRecord("boats", session)
        assert addresses.label(session, "boats") == name
        clock.now += 1
        assert addresses.find(name) is None
        with pytest.raises(SessionEnded):
            addresses.label(session, "boats")
        assert addresses.find(addresses.label(other, "boats")) == PreviewRecord("boats", other)


def test_a_site_that_is_gone_has_no_name(
    database: ControlDatabase, data: Path, sessions: BrowserSessions, owner: Account
) -> None:
    addresses = PreviewAddresses(database, open_keyring(database, data, NONE))
    session = sessions.begin(owner.id).session.id
    name = addresses.label(session, "boats")
    database.write("DELETE FROM sites WHERE id = 'boats'")
    assert addresses.find(name) is None
    with pytest.raises(SiteGone):
        addresses.label(session, "boats")
