"""Questions to name servers: few, short, and to public addresses alone.

The servers that a domain names are chosen by whoever has it. So each is asked at an address that was looked
up once and found to be public, for so long, and no more of an answer is read than is needed.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable, Iterator, Sequence

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rdatatype
import dns.resolver
from dns.rdata import Rdata
from dns.rdtypes.ANY.TXT import TXT
from msgspec import Struct

from builder.errors import TwinpressError
from server.domains.public_address import is_public

TRIES, LOOK = (1.0, 2.0), 10.0
"""Seconds that an answer may take before the question is put again, and at last; and all about one domain."""
MOST_SERVERS = 6
"""Name servers of a zone that are asked; others are not needed to find two that disagree."""
MOST_ADDRESSES = 2
MOST_ALIASES = 8
MOST_RECORDS, MOST_BYTES = 100, 16 * 1024
"""Records of an answer, and bytes of them, beyond which it counts as none."""
PORT = 53
_PAYLOAD = 1232
"""Bytes of a datagram that no network has to split (DNS flag day 2020)."""

Endpoint = tuple[str, int]


class NoDnsAnswer(TwinpressError):
    """A question could not be put, or the answer is of no use; the message says why."""


class DnsSettings(Struct, frozen=True):
    """The way to ask. With a `resolver`, it is asked for everything, and nobody else is.

    Without one, the system's resolvers say which servers a zone has, and these are asked at `port` where
    `may_ask` allows it.
    """

    resolver: Endpoint | None = None
    system: Sequence[Endpoint] = ()
    port: int = PORT
    may_ask: Callable[[str], bool] = is_public

    @property
    def resolvers(self) -> Sequence[Endpoint]:
        """Return whom to ask for what is not the owner's to say. Raises NoDnsAnswer."""
        if self.resolver is not None:
            return (self.resolver,)
        return self.system or _system_resolvers()


def _system_resolvers() -> Sequence[Endpoint]:
    try:
        found = dns.resolver.Resolver()
    except dns.resolver.NoResolverConfiguration:
        raise NoDnsAnswer("this machine has no resolver: name one with --dns-resolver") from None
    return tuple((str(address), PORT) for address in found.nameservers if _is_address(str(address)))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


class DnsServer(Struct, frozen=True):
    """A server to ask: its name, and the addresses at which it may be; none where `fault` says why."""

    name: str
    at: Sequence[Endpoint] = ()
    fault: str = ""


class DnsRecords(Struct, frozen=True):
    """The answer of a server about one name: its records of a type, and the name it is another word for."""

    records: Sequence[str] = ()
    alias: str = ""


class DnsQuestions:
    """The questions about one domain; they have LOOK seconds together. `clock` only goes forth."""

    def __init__(self, settings: DnsSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._end = clock() + LOOK

    def servers(self, name: str) -> Sequence[DnsServer]:
        """Return the servers that have the last word on a name. Raises NoDnsAnswer where there are none."""
        if self._settings.resolver is not None:
            host, port = self._settings.resolver
            return (DnsServer(f"{host}:{port}", (self._settings.resolver,)),)
        names = self._zone_servers(name)
        return tuple(self._located(each) for each in names[:MOST_SERVERS])

    def records(self, server: DnsServer, name: str, kind: str) -> DnsRecords:
        """Ask one of those servers. Raises NoDnsAnswer."""
        if server.fault:
            raise NoDnsAnswer(server.fault)
        trusted = self._settings.resolver is not None
        return self._first(server.at, name, kind, recursive=trusted)

    def resolve(self, name: str, kind: str) -> Sequence[DnsRecords]:
        """Ask a resolver: a step for each alias, the last one with the records. Raises NoDnsAnswer."""
        steps, seen = list[DnsRecords](), {name}
        while len(steps) <= MOST_ALIASES:
            steps.append(self._first(self._settings.resolvers, name, kind, recursive=True))
            name = steps[-1].alias
            if not name:
                return steps
            if name in seen:
                raise NoDnsAnswer(f"the CNAME records from `{name}` lead in a circle")
            seen.add(name)
        raise NoDnsAnswer(f"there are more than {MOST_ALIASES} CNAME records one behind another")

    def addresses(self, name: str) -> Iterator[DnsRecords]:
        """Ask a resolver for all addresses of a name, and the aliases on the way. Raises NoDnsAnswer."""
        for kind in ("A", "AAAA"):
            yield from self.resolve(name, kind)

    def _zone_servers(self, name: str) -> Sequence[str]:
        labels = name.split(".")
        for start in range(len(labels)):
            zone = ".".join(labels[start:])
            found = self._first(self._settings.resolvers, zone, "NS", recursive=True)
            if found.records:
                return sorted(found.records)
        raise NoDnsAnswer("no name servers are known for it")

    def _located(self, name: str) -> DnsServer:
        found = list[str]()
        for kind in ("A", "AAAA"):
            try:
                found += self._first(self._settings.resolvers, name, kind, recursive=True).records
            except NoDnsAnswer:
                continue
        public = [each for each in found if self._settings.may_ask(each)]
        if public:
            return DnsServer(name, tuple((each, self._settings.port) for each in public[:MOST_ADDRESSES]))
        private = "its address is one of a private network, which is not asked"
        return DnsServer(name, fault=private if found else "it has no address")

    def _first(self, at: Sequence[Endpoint], name: str, kind: str, *, recursive: bool) -> DnsRecords:
        """Return the first answer of these. Raises NoDnsAnswer, as the last of them does."""
        fault = NoDnsAnswer("there is nobody to ask")
        for each in at:
            try:
                return self._ask(each, name, kind, recursive=recursive)
            except NoDnsAnswer as error:
                fault = error
        raise fault

    def _ask(self, at: Endpoint, name: str, kind: str, *, recursive: bool) -> DnsRecords:
        for seconds in TRIES:
            left = min(seconds, self._end - self._clock())
            if left <= 0:
                raise NoDnsAnswer("asking took too long")
            try:
                return _read(_put(at, name, kind, left, recursive=recursive), name, kind, recursive=recursive)
            except dns.exception.Timeout:
                continue  # datagrams may be lost
            except (dns.exception.DNSException, OSError, EOFError, ValueError) as error:
                raise NoDnsAnswer(f"it could not be asked: {type(error).__name__}") from None
        raise NoDnsAnswer("it did not answer in time")


def _put(at: Endpoint, name: str, kind: str, seconds: float, *, recursive: bool) -> dns.message.Message:
    """Put a question to an address that was checked: nothing is looked up again on the way."""
    question = dns.message.make_query(name, kind, payload=_PAYLOAD)
    if not recursive:
        question.flags &= ~dns.flags.RD
    host, port = at
    answer, _ = dns.query.udp_with_fallback(
        question, host, seconds, port, ignore_unexpected=True, ignore_errors=True
    )
    return answer


def _read(answer: dns.message.Message, name: str, kind: str, *, recursive: bool) -> DnsRecords:
    """Return what an answer says about exactly this name. Raises NoDnsAnswer."""
    code = answer.rcode()
    if code not in {dns.rcode.NOERROR, dns.rcode.NXDOMAIN}:
        raise NoDnsAnswer(f"it answered {dns.rcode.to_text(code)}")
    if not recursive and not answer.flags & dns.flags.AA:
        raise NoDnsAnswer("it does not have the last word on this name")
    owner, alias, found, size = dns.name.from_text(name), "", list[str](), 0
    for each in answer.answer:
        if each.name != owner:
            continue
        if each.rdtype == dns.rdatatype.CNAME and kind != "CNAME":
            alias = each[0].target.to_text(omit_final_dot=True).lower()
        elif each.rdtype == dns.rdatatype.from_text(kind):
            texts = [_text(record, kind) for record in each]
            found += texts
            size += sum(map(len, texts))
    if len(found) > MOST_RECORDS or size > MOST_BYTES:
        raise NoDnsAnswer("its answer is too large")
    return DnsRecords(tuple(found), alias)


def _text(record: Rdata, kind: str) -> str:
    if isinstance(record, TXT):
        return b"".join(record.strings).decode("ascii", "replace")
    text: str = record.to_text()
    return text.lower().removesuffix(".") if kind in {"NS", "CNAME"} else text
