"""Mails that tell an account's owner what was changed about the way in: no setting switches them off.

Who has taken an account over can do all that its owner can, but for reading its mails. No mail has a secret,
or a link that does anything by itself.
"""

from __future__ import annotations

import time
from functools import partial

from server.dashboard.desk import Desk
from server.dashboard.mails import Mail
from server.dashboard.visit import Visit

PASSWORD, ADDRESS_CHANGED = "Your password was changed", "Your address was changed"
PASSKEY, PASSKEY_DELETED = "A passkey was added", "A passkey was deleted"
CODES_ON, RECOVERY = "Your second factor was switched on", "Your recovery codes were replaced"
CODES_OFF = "Your second factor was switched off"


def tell_owner(visit: Visit, to: str, subject: str, said: str) -> None:
    """Have a mail sent that tells of a change just made; `said` is a sentence about it."""
    when = time.strftime("%d %B %Y, %H:%M UTC", time.gmtime())
    visit.desk.mails.tell(partial(_mail, visit.desk, to, subject, said, when))


def _mail(desk: Desk, to: str, subject: str, said: str, when: str) -> Mail:
    there = desk.address.link("/account")
    help = f"If it was not, choose a new password now and end all other sessions: {there}"
    lost = "If you cannot sign in any more, ask whoever runs the service."
    when = f"{said} That was at {desk.address.authority}, {when}."
    return Mail(to, subject, (when, "If that was you, there is nothing to do.", f"{help}\n{lost}"))
