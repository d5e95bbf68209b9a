"""An account whose time is over goes with its databases and keys, and takes nothing of anybody else's."""

from __future__ import annotations

import time

from server.control.accounts.deletion import delete_empty
from server.control.accounts.own_account import RESTORABLE, OwnAccount
from server.control.keys.management import ManagementKeys
from server.hosting import hosted
from server.hosting.delete_accounts import AccountDeletion
from server.hosting.intents import Intents
from tests.server.hosting.world import World
from tests.waiting import until


def deletion(service: World, later: float) -> AccountDeletion:
    """Looks as if so many seconds had passed."""
    own = service.applier
    intents = Intents(own.control, own.keyring, own.plans, own.clock)
    return AccountDeletion(service.database, intents, lambda: time.time() + later)


def test_an_account_goes_when_its_time_is_over_and_nothing_is_left(service: World) -> None:
    account, other = service.account(), service.account("bob@example.org")
    made, neighbour = service.create(account), service.create(other)
    ManagementKeys(service.database).create(account.id)
    OwnAccount(service.database, account.id).delete()

    deletion(service, RESTORABLE - 60).run()
    assert service.opens(made)

    late = deletion(service, RESTORABLE + 60)
    late.run()
    delete_empty(service.database, int(late.clock()))
    assert [one.email for one in service.accounts.list()] == [account.email, other.email]
    until(lambda: hosted.one(service.database, made.row.id) is None)
    delete_empty(service.database, int(late.clock()))
    assert [one.email for one in service.accounts.list()] == [other.email]
    assert service.database.read("SELECT COUNT(*) FROM management_keys") == [(0,)]
    assert not service.opens(made)
    assert service.opens(neighbour)


def test_an_account_that_was_restored_stays(service: World) -> None:
    account = service.account()
    made, own = service.create(account), OwnAccount(service.database, account.id)
    own.delete()
    own.restore()
    late = deletion(service, 2 * RESTORABLE)
    late.run()
    delete_empty(service.database, int(late.clock()))
    assert service.opens(made)
    assert service.accounts.get(account.id).delete_at is None
