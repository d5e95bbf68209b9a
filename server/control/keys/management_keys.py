"""Management keys: with one of them, a script lists, makes, reveals and rotates the databases of an account.

What a key may do is asked of the database at every check, together with the suspension of its account:
nothing is remembered, so that a value that was rotated in one process opens nothing in another from then on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from server.control import audit, base62
from server.control.audit import OPERATOR, Action, Event
from server.control.errors import AccountNotFound, BadKey, DisabledKey, KeyLimitReached
from server.control.keys import key_text
from server.control.keys.key_text import check_label
from server.control.keys.last_use import LastUse
from server.control.keys.management_key import INSERT, SELECT, ManagementKey, get, to_key
from server.control.plans import PLANS, Plans
from server.control.sqlite.database import ControlDatabase, Transaction

ID_LENGTH = 12

# Those of a suspended account count too, unless their owner has disabled them: clearing brings them back.
_COUNT = """
    SELECT accounts.plan, accounts.suspended,
    (SELECT COUNT(*) FROM management_keys WHERE account = accounts.id AND disabled = 0)
    FROM accounts WHERE accounts.id = ?
"""


@dataclass(frozen=True, slots=True)
class NewValue:
    """A key with the value that it has got. The text is here and nowhere else: it is shown once."""

    text: str = field(repr=False)
    record: ManagementKey


class ManagementKeys:
    """The management keys in a database. `clock` gives the seconds since 1970.

    Who asks for a change is `by`, in the audit log.
    """

    def __init__(
        self, database: ControlDatabase, clock: Callable[[], float] = time.time, plans: Plans = PLANS
    ) -> None:
        self._database = database
        self._clock = clock
        self._plans = plans
        self._uses = LastUse(database, "management_keys")

    def close(self) -> None:
        """Write which keys were used lately. The database stays open."""
        self._uses.close()

    def check(self, text: str) -> ManagementKey:
        """The record of a key that is active now. Raises BadKey, or DisabledKey also for a suspension."""
        if not key_text.is_management(text):
            raise BadKey("this is no key", hint="copy the whole key, from `svc_db_` to its last character")
        rows = self._database.read(f"{SELECT} WHERE management_keys.digest = ?", (key_text.digest(text),))
        if not rows:
            raise BadKey(
                "there is no such key", hint="it was rotated or deleted; ask the owner of the account"
            )
        record = to_key(rows[0])
        if record.suspended:
            hint = "it works again by itself when the suspension is over"
            raise DisabledKey("the key is disabled: its account is suspended", hint=hint)
        if record.disabled:
            raise DisabledKey("the key is disabled", hint="ask the owner of the account to enable it")
        self._uses.note(record.id, record.last_used_at, int(self._clock()))
        return record

    def list(self, account: str) -> tuple[ManagementKey, ...]:
        """All keys of the account with this id, from old to new."""
        sql = f"{SELECT} WHERE management_keys.account = ? ORDER BY management_keys.number"
        return tuple(to_key(row) for row in self._database.read(sql, (account,)))

    def get(self, key: str) -> ManagementKey:
        """The key with the id `key`. Raises KeyNotFound."""
        return get(self._database, key)

    def create(self, account: str, label: str = "", by: str = OPERATOR) -> NewValue:
        """Make an active key for the account with this id.

        Raises InvalidLabel, AccountNotFound, and KeyLimitReached when the plan allows no more active keys.
        """
        check_label(label)
        text, key = key_text.generate_management(), base62.random(ID_LENGTH)
        row = (key, account, key_text.digest(text), text[-4:], label, int(self._clock()))
        with self._database.change() as change:
            self._refuse_more(change, account)
            change.write(INSERT, row)
            made = get(change, key)
            self._note(change, "key.create", made, by)
            return NewValue(text, made)

    def rotate(self, key: str, by: str = OPERATOR) -> NewValue:
        """Give the key a new value; the old one is no key any more. A disabled key stays disabled.

        Raises KeyNotFound.
        """
        text = key_text.generate_management()
        sql = "UPDATE management_keys SET digest = ?, last_four = ?, rotated_at = ? WHERE id = ?"
        with self._database.change() as change:
            found = get(change, key)
            change.write(sql, (key_text.digest(text), text[-4:], int(self._clock()), found.id))
            self._note(change, "key.rotate", found, by)
            return NewValue(text, get(change, key))

    def disable(self, key: str, by: str = OPERATOR) -> ManagementKey:
        """Let the key open nothing until it is enabled, which frees its place. Raises KeyNotFound."""
        with self._database.change() as change:
            found = get(change, key)
            if found.disabled:
                return found
            change.write("UPDATE management_keys SET disabled = 1 WHERE id = ?", (found.id,))
            self._note(change, "key.disable", found, by)
            return get(change, key)

    def enable(self, key: str, by: str = OPERATOR) -> ManagementKey:
        """Take a `disable` back. Raises KeyNotFound, and KeyLimitReached when the plan allows no more."""
        with self._database.change() as change:
            found = get(change, key)
            if not found.disabled:
                return found
            self._refuse_more(change, found.account)
            change.write("UPDATE management_keys SET disabled = 0 WHERE id = ?", (key,))
            self._note(change, "key.enable", found, by)
            return get(change, key)

    def delete(self, key: str, by: str = OPERATOR) -> None:
        """Forget the key with the id `key`. Raises KeyNotFound."""
        with self._database.change() as change:
            found = get(change, key)
            change.write("DELETE FROM management_keys WHERE id = ?", (found.id,))
            self._note(change, "key.delete", found, by)

    def _note(self, change: Transaction, action: Action, key: ManagementKey, by: str) -> None:
        audit.note(change, Event(int(self._clock()), key.account, by, action, key.id))

    def _refuse_more(self, change: Transaction, account: str) -> None:
        """Counted within the change that adds one: of two at once, the second sees the first."""
        rows = change.read(_COUNT, (account,))
        if not rows:
            raise AccountNotFound(
                f"there is no account with the id `{account}`", hint="look it up by its email"
            )
        ((plan, suspended, active),) = rows
        limit = next(limits.active_keys for name, limits in self._plans.items() if name == plan)
        if int(active or 0) >= limit:
            when = " when its suspension ends" if suspended else ""
            message = f"the account has {active} active keys{when}, and the plan `{plan}` allows {limit}"
            raise KeyLimitReached(message, hint="disable or delete another key first")
