"""An account whose time is over goes with its databases and keys, and takes nothing of anybody else's."""

from __future__ import annotations

import time

from server.control.accounts.deletion import delete_empty
from server.control.accounts.own_account import RESTORABLE, OwnAccount
from server.control.keys.management_keys import ManagementKeys
from server.hosting import hosted
from server.hosting.intents import Intents
from tests.server.hosting.world import World
from tests.waiting import until


def delete_due(service: World, later: float) -> None:
    """Have the databases of accounts deleted as if so many seconds had passed."""
    own = service.applier
    Intents(own.control, own.keyring, own.plans, lambda: time.time() + later).delete_due()


def test_an_account_goes_when_its_time_is_over_and_nothing_is_left(service: World) -> None:
    account, other = service.account(), service.account("bob@example.org")
    made, neighbour = service.create(account), service.create(other)
    ManagementKeys(service.database).create(account.id)
    OwnAccount(service.database, account.id).delete()

    delete_due(service, RESTORABLE - 60)
    assert service.opens(made)

    delete_due(service, RESTORABLE + 60)
    late = int(time.time()) + RESTORABLE + 60
    delete_empty(service.database, late)
    assert [one.email for one in service.accounts.list()] == [account.email, other.email]
    until(lambda: hosted.one(service.database, made.row.id) is None)
    delete_empty(service.database, late)
    assert [one.email for one in service.accounts.list()] == [other.email]
    assert service.database.read("SELECT COUNT(*) FROM management_keys") == [(0,)]
    assert not service.opens(made)
    assert service.opens(neighbour)


def test_an_account_that_was_restored_stays(service: World) -> None:
    account = service.account()
    made, own = service.create(account), OwnAccount(service.database, account.id)
    own.delete()
    own.restore()
    delete_due(service, 2 * RESTORABLE)
    delete_empty(service.database, int(time.time()) + 2 * RESTORABLE)
    assert service.opens(made)
    assert service.accounts.get(account.id).delete_at is None
