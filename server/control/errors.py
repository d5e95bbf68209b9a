"""Errors of accounts, keys and secrets, and with the database that holds them.

    TwinpressError
    ├── DatabaseError        the database cannot be used
    │   ├── DatabaseLocked   another program holds it; try again
    │   ├── DatabaseFull     no room on the disk
    │   └── NewerDatabase    a newer Twinpress has changed it
    ├── KeyRefused           a key that opens nothing
    │   ├── BadKey           no key, unknown or deleted
    │   ├── ExpiredKey       its time is over
    │   └── DisabledKey      its owner has disabled it, or the account is suspended
    ├── KeyNotFound          no key has this id, label or ending
    ├── AmbiguousKey         several keys have it
    ├── KeyLimitReached      the account has as many active keys as its plan allows
    ├── InvalidLabel         the text cannot be a label, or holds a key
    ├── AccountError         an account cannot be made or found
    │   ├── InvalidEmail     the text is no email address
    │   ├── EmailTaken       another account has it
    │   ├── AccountNotFound  no account has it
    │   ├── WeakPassword     too short, too long, or among the first that are tried
    │   ├── InvalidReason    the text cannot be the reason of a suspension
    │   ├── LastOperator     nobody else could look after the accounts
    │   ├── WrongPassword    not the one of this account, or there is no such account
    │   ├── WrongCode        not the code of the account's app, or no code can be taken
    │   ├── WrongPasskey     not a passkey of an account, or not its answer
    │   ├── SessionEnded     no session of a browser, or its time is over
    │   ├── LinkEnded        a link that was used before, or whose time is over
    │   └── TooManyAttempts  more attempts than are allowed within some minutes
    ├── SiteGone             a hosted site has been deleted
    └── SecretError          a secret cannot be sealed or opened
        ├── SealBroken       not what was sealed, or not for this place
        ├── InvalidMasterKeys   the text of the master keys cannot be read
        ├── UnsafeMasterKeys    others could read or replace the file of the master keys
        └── WrongMasterKey   the master keys are missing, or not those that sealed what is there

No message holds a key, a password, or anything else that is secret.
"""

from __future__ import annotations

from builder.errors import TwinpressError


class DatabaseError(TwinpressError):
    """The database cannot be used: broken, unreadable, or not a database."""


class DatabaseLocked(DatabaseError):
    """Another program holds the database for longer than a writer waits."""


class DatabaseFull(DatabaseError):
    """There is no room for the change; nothing of it was made."""


class NewerDatabase(DatabaseError):
    """The database has migrations that this program does not know."""


class KeyRefused(TwinpressError):
    """The key opens nothing; the subclass says why."""


class BadKey(KeyRefused):
    """No key of ours, or one that was deleted."""


class ExpiredKey(KeyRefused):
    """A one-off key outside of its hour."""


class DisabledKey(KeyRefused):
    """A key that its owner has disabled, or whose account is suspended."""


class KeyNotFound(TwinpressError):
    """No key of the site has this id, label or ending."""


class AmbiguousKey(TwinpressError):
    """Several keys of the site have this label or ending; the hint names their ids."""


class InvalidLabel(TwinpressError):
    """The text is too long for a label, or holds a key or characters that cannot be shown."""


class KeyLimitReached(TwinpressError):
    """The account has as many active keys as its plan allows."""

    code = "KEY_LIMIT_REACHED"


class SiteError(TwinpressError):
    """A site of an account cannot be made or found."""


class InvalidSiteName(SiteError):
    """The text cannot be the name of a site, or the name is reserved."""


class SiteNameTaken(SiteError):
    """Another site has this name, or had it lately."""


class SiteLimitReached(SiteError):
    """The account has as many sites as its plan allows."""


class SiteNotFound(SiteError):
    """The account has no site of this name or id."""


class AccountError(TwinpressError):
    """An account cannot be made or found."""


class InvalidEmail(AccountError):
    """The text is no email address."""


class EmailTaken(AccountError):
    """There is an account with this address, perhaps in other letters."""


class AccountNotFound(AccountError):
    """No account has this address or id."""


class WeakPassword(AccountError):
    """The text is too short or too long for a password, or among the first that are tried."""


class InvalidReason(AccountError):
    """The text is too long for a reason, holds a key, or what cannot be shown."""


class LastOperator(AccountError):
    """No other account could look after all accounts."""


class WrongPassword(AccountError):
    """Not the password of this account, or there is no such account; which of both is not said."""


class WrongCode(AccountError):
    """Not a code of the account's app or a recovery code, or one that was used before."""


class WrongPasskey(AccountError):
    """Not a passkey of an account, or not its answer to what was asked."""


class SessionEnded(AccountError):
    """The browser has no session, or its time is over."""


class LinkEnded(AccountError):
    """The link was used before, or its time is over."""


class TooManyAttempts(AccountError):
    """More attempts than are allowed; `wait` is in how many seconds the next one may succeed."""

    def __init__(self, wait: int) -> None:
        minutes = -(-wait // 60)
        hint = f"try again in {minutes} minute{'s' if minutes > 1 else ''}"
        super().__init__("there were too many attempts", hint=hint)
        self.wait = wait


class SiteGone(TwinpressError):
    """A hosted site has been deleted."""


class SecretError(TwinpressError):
    """A secret cannot be sealed or opened."""


class SealBroken(SecretError):
    """The text is not what was sealed, or it was sealed for another place."""


class InvalidMasterKeys(SecretError):
    """The text of the master keys cannot be read."""


class UnsafeMasterKeys(SecretError):
    """Somebody else could read or replace the file of the master keys."""


class WrongMasterKey(SecretError):
    """A master key is missing, or is not the one that sealed what is in the database."""
