"""A look at the records of a domain: who its TXT says it belongs to, and where readers of it are led."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from server.domains.dns_questions import DnsQuestions, DnsRecords, DnsServer, DnsSettings, NoDnsAnswer
from server.domains.domain_name import TXT

Routing = Literal["waiting", "missing", "wrong", "right", "failed"]
_MOST_SHOWN = 3
_LONGEST_SHOWN = 80
_BEGIN = "twinpress="


def proof(account: str, domain: str) -> str:
    """Return the value of the record that proves that a domain is this account's.

    It is good for this one name, so that a record for all names below another proves nothing of others.
    """
    digest = hashlib.sha256(f"twinpress domain\0{account}\0{domain}".encode()).digest()
    return _BEGIN + base64.b32encode(digest[:20]).decode("ascii").lower()


class TxtAnswer(Struct, frozen=True):
    """The values that a server has; where it could not be asked, `fault` says why."""

    server: str
    values: Sequence[str] = ()
    alias: str = ""
    fault: str = ""

    def shows(self, value: str) -> bool:
        """Return whether the value is there; some people write the quotes of zone files, too."""
        return any(each.strip(' \t"') == value for each in self.values)


class DomainLook(Struct, frozen=True):
    """Answers about a domain at one moment; `fault` says why there are none."""

    answers: Sequence[TxtAnswer] = ()
    fault: str = ""
    routing: Routing = "failed"
    routing_found: str = ""

    def is_everywhere(self, value: str) -> bool:
        """Return whether every server that could be asked has the value, and there is one."""
        asked = [each for each in self.answers if not each.fault]
        return bool(asked) and all(each.shows(value) for each in asked)

    def is_gone(self, value: str) -> bool:
        """Return whether all servers could be asked, and none has the value."""
        return bool(self.answers) and not any(each.fault or each.shows(value) for each in self.answers)

    def told(self, value: str) -> tuple[Literal["found", "missing", "wrong", "failed"], str]:
        """Return the state of the record with this value, and what was found in its place."""
        if self.is_everywhere(value):
            return "found", ""
        asked = [each for each in self.answers if not each.fault]
        if not asked:
            why = self.fault or "; ".join(f"`{each.server}`: {each.fault}" for each in self.answers)
            return "failed", why
        odd = next(each for each in asked if not each.shows(value))
        if odd.alias:
            return "wrong", f"`CNAME {_short(odd.alias)}` at `{odd.server}`"
        if odd.values:
            return "wrong", f"{_shown(odd.values)} at `{odd.server}`"
        some = any(each.shows(value) for each in asked)
        return ("wrong", f"nothing yet at `{odd.server}`") if some else ("missing", "")


def look(
    settings: DnsSettings, domain: str, sites: str, clock: Callable[[], float] = time.monotonic
) -> DomainLook:
    """Ask for all records of a domain whose readers are to come to the host `sites`."""
    questions, name = DnsQuestions(settings, clock), f"{TXT}.{domain}"
    try:
        answers = tuple(_txt(questions, server, name) for server in questions.servers(name))
        fault = ""
    except NoDnsAnswer as error:
        answers, fault = (), error.message
    try:
        routing, found = _routing(questions, domain, sites)
    except NoDnsAnswer as error:
        routing, found = "failed", error.message
    return DomainLook(answers, fault, routing, found)


def _txt(questions: DnsQuestions, server: DnsServer, name: str) -> TxtAnswer:
    """Ask one server; an alias there proves nothing, as it is for whoever has the other name to say."""
    try:
        found = questions.records(server, name, "TXT")
    except NoDnsAnswer as error:
        return TxtAnswer(server.name, fault=error.message)
    return TxtAnswer(server.name, () if found.alias else found.records, found.alias)


def _routing(questions: DnsQuestions, domain: str, sites: str) -> tuple[Routing, str]:
    """Raises NoDnsAnswer."""
    own, server = _own(questions, domain)
    aliases = [each.alias for each in own if each.alias]
    found = [text for each in own for text in each.records]
    if aliases:
        steps = () if _is_ours(aliases[0], sites) else tuple(questions.addresses(aliases[0]))
        aliases += [step.alias for step in steps if step.alias]
        found = [text for step in steps for text in step.records]
    if any(_is_ours(alias, sites) for alias in aliases):
        return "right", f"`CNAME {_short(aliases[0])}` at `{server}`"
    if not found and not aliases:
        return "missing", ""
    ours = {text for step in questions.addresses(sites) for text in step.records}
    is_right = bool(found) and set(found) <= ours
    said = f"`CNAME {_short(aliases[0])}`" if aliases else _shown(tuple(dict.fromkeys(found)))
    return ("right" if is_right else "wrong"), f"{said} at `{server}`"


def _own(questions: DnsQuestions, domain: str) -> tuple[Sequence[DnsRecords], str]:
    """Return a domain's addresses and aliases as the first server that answers has them.

    Raises NoDnsAnswer.
    """
    fault = NoDnsAnswer("no server could be asked")
    for server in questions.servers(domain):
        try:
            return [questions.records(server, domain, kind) for kind in ("A", "AAAA")], server.name
        except NoDnsAnswer as error:
            fault = error
    raise fault


def site_addresses(settings: DnsSettings, sites: str) -> Sequence[str]:
    """Return the addresses of the host of sites, for domains that can have no alias; none if unknown."""
    try:
        return sorted({text for step in DnsQuestions(settings).addresses(sites) for text in step.records})
    except NoDnsAnswer:
        return ()


def _is_ours(name: str, sites: str) -> bool:
    return name == sites or name.endswith(f".{sites}")


def _shown(values: Sequence[str]) -> str:
    shown = ", ".join(f"`{_short(each)}`" for each in values[:_MOST_SHOWN])
    more = len(values) - _MOST_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _short(text: str) -> str:
    plain = "".join(sign if sign.isprintable() and sign != "`" else "�" for sign in text)
    return plain if len(plain) <= _LONGEST_SHOWN else f"{plain[:_LONGEST_SHOWN]}…"
