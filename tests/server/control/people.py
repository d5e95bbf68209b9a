"""Accounts for tests: their passwords are hashed as quickly as argon2 can."""

from __future__ import annotations

from argon2 import PasswordHasher

from server.control import ControlDatabase
from server.control.accounts.account import Account
from server.control.accounts.accounts import Accounts
from server.control.accounts.passwords import Passwords
from server.control.plans import PlanName

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PASSWORD = "four words that are odd"


def accounts(database: ControlDatabase) -> Accounts:
    """The accounts of a database."""
    return Accounts(database, passwords=Passwords(QUICK))


def account(database: ControlDatabase, email: str = "me@example.com", plan: PlanName = "free") -> Account:
    """A new account with the password PASSWORD."""
    return accounts(database).create(email, PASSWORD, plan)


def site_of(database: ControlDatabase, owner: Account) -> str:
    """A new site of an account; gives its id."""
    site = f"site of {owner.id}"
    values = (site, owner.id, f"site-{owner.id.lower()}")
    database.write("INSERT INTO sites (id, created_at, account, name) VALUES (?, 1, ?, ?)", values)
    return site
