"""The state table of keys and of suspension: a model beside the real store, at any order of events."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from server.control import ControlDatabase, KeyKind, KeyNotFound, KeyRefused, SiteKeys
from server.control.errors import KeyLimitReached
from server.control.keys.management_keys import ManagementKeys
from server.control.plans import PLANS, PlanName
from tests.server.control.clock import Clock
from tests.server.control.people import account, accounts, site_of

PLAN = st.sampled_from(sorted(PLANS))
OWNER = st.integers(0, 1)
KEY = st.integers(0, 20)
some = precondition(lambda self: self.there)


@dataclass(slots=True)
class Owner:
    """The expected state of an account."""

    id: str
    plan: PlanName
    site: str
    suspended: bool = False
    suspensions: int = 0


@dataclass(slots=True)
class Key:
    """The expected state of a key."""

    id: str
    owner: Owner
    label: str
    value: str
    disabled: bool = False
    old: list[str] = field(default_factory=list)

    @property
    def state(self) -> str:
        """As the specification has it."""
        return "disabled" if self.disabled or self.owner.suspended else "active"


class Store(RuleBasedStateMachine):
    """Two accounts, their management keys, and a key of a site of each."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = Clock()
        self.database = ControlDatabase(self.folder / "control.sqlite3")
        self.accounts = accounts(self.database)
        self.store = ManagementKeys(self.database, self.clock)
        self.sites = SiteKeys(self.database, self.clock)
        self.owners: list[Owner] = []
        self.there: list[Key] = []
        self.pages: list[Key] = []
        self.gone: list[str] = []

    def teardown(self) -> None:
        self.store.close()
        self.sites.close()
        self.database.close()
        shutil.rmtree(self.folder)

    @initialize(plans=st.tuples(PLAN, PLAN), keys=st.integers(0, 3))
    def begin(self, plans: tuple[PlanName, PlanName], keys: int) -> None:
        for number, plan in enumerate(plans):
            made = account(self.database, f"number{number}@example.com", plan)
            owner = Owner(made.id, plan, site_of(self.database, made))
            page = self.sites.create(KeyKind.LONG_LIVED, owner.site)
            self.owners.append(owner)
            self.pages.append(Key(page.record.id, owner, "", page.text))
            for _ in range(keys):
                self.create(number, "")

    def _key(self, number: int) -> Key:
        return self.there[number % len(self.there)]

    def _full(self, owner: Owner) -> bool:
        enabled = sum(not each.disabled for each in self.there if each.owner is owner)
        return enabled >= PLANS[owner.plan].active_keys

    @rule(number=OWNER, plan=PLAN)
    def set_plan(self, number: int, plan: PlanName) -> None:
        owner = self.owners[number]
        assert self.accounts.set_plan(owner.id, plan).plan == plan
        owner.plan = plan

    @rule(number=OWNER)
    def suspend(self, number: int) -> None:
        owner = self.owners[number]
        owner.suspensions += not owner.suspended
        owner.suspended = True
        assert self.accounts.suspend(owner.id).suspensions == owner.suspensions

    @rule(number=OWNER)
    def clear(self, number: int) -> None:
        owner = self.owners[number]
        owner.suspensions += owner.suspended
        owner.suspended = False
        assert self.accounts.clear(owner.id).suspensions == owner.suspensions

    @rule(number=OWNER, label=st.sampled_from(["", "ci"]))
    def create(self, number: int, label: str) -> None:
        owner = self.owners[number]
        if self._full(owner):
            with pytest.raises(KeyLimitReached):
                self.store.create(owner.id, label)
            return
        made = self.store.create(owner.id, label)
        self.there.append(Key(made.record.id, owner, label, made.text))
        assert made.record.state == self.there[-1].state

    @some
    @rule(number=KEY)
    def rotate(self, number: int) -> None:
        key = self._key(number)
        made = self.store.rotate(key.id)
        assert made.record.state == key.state
        key.old.append(key.value)
        key.value = made.text

    @some
    @rule(number=KEY)
    def disable(self, number: int) -> None:
        key = self._key(number)
        key.disabled = True
        assert self.store.disable(key.id).state == "disabled"

    @some
    @rule(number=KEY)
    def enable(self, number: int) -> None:
        key = self._key(number)
        if key.disabled and self._full(key.owner):
            with pytest.raises(KeyLimitReached):
                self.store.enable(key.id)
            return
        key.disabled = False
        assert self.store.enable(key.id).state == key.state

    @some
    @rule(number=KEY)
    def delete(self, number: int) -> None:
        key = self._key(number)
        self.store.delete(key.id)
        self.there.remove(key)
        self.gone += [*key.old, key.value]
        for act in (self.store.rotate, self.store.disable, self.store.enable, self.store.delete):
            with pytest.raises(KeyNotFound):
                act(key.id)

    @rule(number=OWNER, disabled=st.booleans())
    def set_page_key(self, number: int, disabled: bool) -> None:
        key = self.pages[number]
        (self.sites.disable if disabled else self.sites.enable)(key.id)
        key.disabled = disabled

    @rule(seconds=st.integers(1, 100))
    def wait(self, seconds: int) -> None:
        self.clock.now += seconds

    @invariant()
    def every_value_opens_what_it_should(self) -> None:
        for store, keys in ((self.store, self.there), (self.sites, self.pages)):
            for key in keys:
                assert _said(store, key.value) == ("ok" if key.state == "active" else "DisabledKey")
        for value in (*self.gone, *(old for key in self.there for old in key.old)):
            assert _said(self.store, value) == "BadKey"

    @invariant()
    def lists_say_what_there_is(self) -> None:
        for owner in self.owners:
            expected = [
                (each.id, each.label, each.state, each.value[-4:])
                for each in self.there
                if each.owner is owner
            ]
            found = self.store.list(owner.id)
            assert [(each.id, each.label, each.state, each.last_four) for each in found] == expected
            seen = self.accounts.get(owner.id)
            assert (seen.plan, seen.suspended, seen.suspensions) == (
                owner.plan, owner.suspended, owner.suspensions
            )  # fmt: skip


def _said(store: ManagementKeys | SiteKeys, text: str) -> str:
    try:
        store.check(text)
    except KeyRefused as refused:
        return type(refused).__name__
    return "ok"


Store.TestCase.settings = settings(max_examples=60, stateful_step_count=30)
test_keys_and_suspension_follow_the_state_table = Store.TestCase
