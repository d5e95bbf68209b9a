"""Name servers of a test: real ones, over UDP and TCP on loopback addresses, all at one port."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.rrset

from server.domains.dns_questions import DnsSettings

RESOLVER, FIRST, SECOND = "127.0.0.11", "127.0.0.12", "127.0.0.13"
Records = dict[tuple[str, str], list[str]]


def txt(text: str) -> str:
    """The text of a TXT record as zone files have it, in strings of at most 255 signs."""
    pieces = [text[at : at + 255] for at in range(0, len(text), 255)] or [""]
    return " ".join(f'"{piece}"' for piece in pieces)


@dataclass
class NameServer:
    """A server and its records, by name and type; `how` is what it does in place of answering."""

    address: str
    port: int = 0
    records: Records = field(default_factory=dict)
    how: str = ""
    silent_below: str = ""
    """The end of names about which it says nothing."""
    asked: list[tuple[str, str, bool]] = field(default_factory=list)
    """Names, types, and whether by TCP."""

    def put(self, name: str, kind: str, *texts: str) -> None:
        """Have exactly these records."""
        self.records[name, kind] = list(texts)

    def drop(self, name: str, kind: str) -> None:
        """Have none of them any more."""
        self.records.pop((name, kind), None)

    def answer(self, wire: bytes, by_tcp: bool) -> bytes | None:
        """The answer to a question."""
        question = dns.message.from_wire(wire)
        name, kind = question.question[0].name, dns.rdatatype.to_text(question.question[0].rdtype)
        text = name.to_text(omit_final_dot=True).lower()
        self.asked.append((text, kind, by_tcp))
        if self.silent_below and text.endswith(self.silent_below):
            return None
        if self.how == "silent" or (self.how == "lossy" and self.asked.count(self.asked[-1]) == 1):
            return None
        reply = dns.message.make_response(question)
        if self.how == "servfail":
            reply.set_rcode(dns.rcode.SERVFAIL)
            return reply.to_wire()
        if self.how != "lame":
            reply.flags |= dns.flags.AA
        if not self._fill(reply, name, text, kind):
            reply.set_rcode(dns.rcode.NXDOMAIN)
        whole = reply.to_wire(max_size=65535)
        if by_tcp or len(whole) <= 1232:
            return whole
        reply.answer.clear()
        reply.flags |= dns.flags.TC
        return reply.to_wire()

    def _fill(self, reply: dns.message.Message, name: dns.name.Name, text: str, kind: str) -> bool:
        for each in (kind, "CNAME"):
            found = self.records.get((text, each)) or self.records.get((f"*.{text.partition('.')[2]}", each))
            if found:
                rrset = dns.rrset.RRset(name, dns.rdataclass.IN, dns.rdatatype.from_text(each))
                for one in found:
                    rrset.add(dns.rdata.from_text(dns.rdataclass.IN, rrset.rdtype, one), 1)
                reply.answer.append(rrset)
                return True
        return any(known == text or known.endswith(f".{text}") for known, _ in self.records)


@dataclass
class NameServers:
    """A resolver, and two servers of zones: what is in them is what their zones say."""

    resolver: NameServer
    first: NameServer
    second: NameServer
    port: int

    @property
    def settings(self) -> DnsSettings:
        """The way to them: loopback addresses count as public ones."""
        system = ((RESOLVER, self.port),)
        return DnsSettings(system=system, port=self.port, may_ask=lambda address: address in (FIRST, SECOND))

    @property
    def asking_one(self) -> DnsSettings:
        """The way of a closed network: one is asked for everything."""
        return DnsSettings(resolver=(RESOLVER, self.port))

    def zone(self, name: str) -> None:
        """Have both be the servers of a zone."""
        self.resolver.put(name, "NS", "ns1.servers.example.", "ns2.servers.example.")
        self.resolver.put("ns1.servers.example", "A", FIRST)
        self.resolver.put("ns2.servers.example", "A", SECOND)

    def put(self, name: str, kind: str, *texts: str) -> None:
        """Have all of them say this."""
        for each in (self.resolver, self.first, self.second):
            each.put(name, kind, *texts)

    def drop(self, name: str, kind: str) -> None:
        """Have none of them say that any more."""
        for each in (self.resolver, self.first, self.second):
            each.drop(name, kind)


@contextmanager
def name_servers() -> Iterator[NameServers]:
    """Run all three for the time of the block."""
    with ExitStack() as opened:
        servers, port = [], 0
        for address in (RESOLVER, FIRST, SECOND):
            server = NameServer(address, port)
            opened.enter_context(_running(server))
            servers.append(server)
            port = server.port
        yield NameServers(*servers, port)


@contextmanager
def _running(server: NameServer) -> Iterator[None]:
    tcp = socket.create_server((server.address, server.port))
    server.port = tcp.getsockname()[1]
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind((server.address, server.port))
    threads = [
        threading.Thread(target=_udp, args=(server, udp)),
        threading.Thread(target=_tcp, args=(server, tcp)),
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for each in (udp, tcp):
            # A shut socket wakes who waits for it; one of UDP is woken by what is sent to it.
            if each is udp:
                each.sendto(b"", (server.address, server.port))
            else:
                each.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()
        udp.close()
        tcp.close()


def _udp(server: NameServer, udp: socket.socket) -> None:
    while True:
        wire, client = udp.recvfrom(65535)
        if not wire:
            return
        answer = server.answer(wire, by_tcp=False)
        if answer is not None:
            udp.sendto(answer, client)


def _tcp(server: NameServer, tcp: socket.socket) -> None:
    while True:
        try:
            client, _ = tcp.accept()
        except OSError:
            return
        with client:
            client.settimeout(5)
            head = client.recv(2, socket.MSG_WAITALL)
            wire = client.recv(struct.unpack("!H", head)[0], socket.MSG_WAITALL)
            answer = server.answer(wire, by_tcp=True)
            if answer is None:
                time.sleep(0.1)
                continue
            client.sendall(struct.pack("!H", len(answer)) + answer)


def records(servers: NameServers, found: Mapping[str, list[str]]) -> None:
    """Have all say these records, given as `name TYPE`; of TXT, the texts alone."""
    for place, texts in found.items():
        name, _, kind = place.partition(" ")
        servers.put(name, kind, *(map(txt, texts) if kind == "TXT" else texts))
