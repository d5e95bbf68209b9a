"""Every request of a reader: for which site it is, and what is answered where it is for none."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable

import idna
from aiohttp import hdrs, web

from builder.errors import TwinpressError
from server.log_repeats import Repeats
from server.process.faults import describe
from server.releases.hosts import PREVIEW_PREFIX, Hosts, MountedHost
from server.releases.object_store import StoreAway
from server.site_serving import plain_answers
from server.site_serving.counted_readers import CountedReaders, is_beacon
from server.site_serving.live_site import LiveSite
from server.site_serving.live_sites import LiveSites
from server.site_serving.mcp_answers import is_message
from server.site_serving.object_memory import DamagedObject
from server.site_serving.preview_relay import PreviewRelay
from server.site_serving.raw_answer import RawAnswer
from server.site_serving.reader_answers import ReaderAnswers

_HOST = re.compile(r"([^:/?#@\[\]\s]{1,254})(:[0-9]{0,5})?")
_ABSOLUTE = re.compile(r"https?://([^/?#@]*)", re.IGNORECASE)
"""The form of a target that a proxy is asked with."""
_MOST_KNOWN = 4096
_known: dict[str, str] = {}


class BadHost(Exception):
    """The request names no host, or more than one."""


def host_name(request: web.BaseRequest) -> str:
    """Return the name, in lower case and as A-labels. The port is of no account. Raises BadHost."""
    values = request.headers.getall(hdrs.HOST, ())
    if len(values) != 1:
        raise BadHost
    name = normal(values[0])
    if request.raw_path[:1] != "/":
        named = _ABSOLUTE.match(request.raw_path)
        if named is None or normal(named[1]) != name:
            raise BadHost
    return name


def port_of(request: web.BaseRequest) -> str:
    """Return the port in the `Host` header, with its colon; "" where there is none."""
    found = _HOST.fullmatch(request.headers.get(hdrs.HOST, ""))
    return (found[2] or "") if found else ""


def normal(value: str) -> str:
    """Return the name in a `Host` header, in lower case and as A-labels. Raises BadHost."""
    found = _known.get(value)
    if found is None:
        found = _normal(value)
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[value] = found
    return found


def _normal(value: str) -> str:
    form = _HOST.fullmatch(value)
    if form is None:
        raise BadHost
    name = form[1].lower().removesuffix(".")
    if name.isascii():
        return name
    try:
        return idna.encode(name, uts46=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise BadHost from None


_TOLD_AGAIN = 600.0
"""Seconds after which a fault that lasts is told again."""
_HOSTS, _STORE = "hosts.json", "store"
_AGAIN = 10
_METHODS = frozenset({hdrs.METH_GET, hdrs.METH_HEAD})
_WORKER = "Service-Worker"
"""The header with which browsers ask for the script of a service worker. It would stay in a browser when the
name of its site is another account's."""


class ReadersDoor:
    """Answers requests, and has them `counted`. `tell` is told faults, once each while they last."""

    def __init__(
        self,
        sites: LiveSites,
        answers: ReaderAnswers,
        relay: PreviewRelay,
        counted: CountedReaders,
        tell: Callable[[str], None],
    ) -> None:
        self._sites = sites
        self._answers = answers
        self._relay = relay
        self._counted = counted
        self._tell = tell
        self._repeats = Repeats(_TOLD_AGAIN)
        self._broken = set[Hashable]()

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request, whatever it is."""
        if request.method not in _METHODS and not is_beacon(request) and not is_message(request):
            return plain_answers.not_allowed()
        try:
            name = host_name(request)
            return await self._answer(request, name, await self.hosts())
        except BadHost:
            return plain_answers.plain(400, "A request names one host, in its header Host.")
        except StoreAway as error:
            self._tell_away(error)
            return plain_answers.unavailable("This cannot be shown just now. Try again later.", _AGAIN)
        except TwinpressError as error:
            self._tell_once(_HOSTS, f"The hosts of sites cannot be read: {error}")
            return plain_answers.unavailable("Sites cannot be shown just now. Try again later.", _AGAIN)
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001 - the last resort; it is told
            self._tell_once(describe(error), f"Twinpress failed to answer: {describe(error)}")
            return plain_answers.plain(500, "Twinpress failed to answer.")

    async def hosts(self) -> Hosts:
        """Return the hosts of all sites, the last ones where they cannot be read. Raises TwinpressError."""
        try:
            hosts = await self._sites.hosts()
        except StoreAway:
            raise
        except TwinpressError as error:
            known = self._sites.last_hosts
            if known is None:
                raise
            self._tell_once(_HOSTS, f"The hosts of sites cannot be read; the last ones stay: {error}")
            return known
        if self._sites.away is not None:
            self._tell_away(self._sites.away)
            return hosts
        self._tell_answers()
        self._tell_mended(_HOSTS, "The hosts of sites can be read again.")
        return hosts

    async def _answer(self, request: web.BaseRequest, name: str, hosts: Hosts) -> web.StreamResponse:
        mounted = hosts.hosts.get(name)
        if mounted is None:
            return await self._no_site(request, name, hosts)
        if _WORKER in request.headers:
            return plain_answers.plain(403, "Sites give no script to be a service worker.")
        if mounted.redirect:
            return _led(request, mounted)
        try:
            site = await self._sites.get(mounted.site)
            if self._broken or site.fault:
                self._tell_mended(mounted.site, f"The site {mounted.site} can be read again.")
                self._tell_of_redirects(mounted.site, site)
            if is_beacon(request):
                return await self._counted.search(request, mounted.site, site)
            answer = await self._answers.answer(request, site)
            if request.method == hdrs.METH_GET and site.pointer.live:
                self._counted.count(mounted.site, request, answer)
            return answer
        except StoreAway:
            raise
        except DamagedObject as error:
            self._tell_once(
                (mounted.site, error.path), f"The site {mounted.site} has a damaged file: {error}"
            )
            return plain_answers.plain(500, "This file of the site is damaged.")
        except TwinpressError as error:
            self._tell_once(mounted.site, f"The site {mounted.site} cannot be read: {error}")
            return plain_answers.unavailable("This site cannot be shown just now. Try again later.", _AGAIN)

    async def _no_site(self, request: web.BaseRequest, name: str, hosts: Hosts) -> web.StreamResponse:
        label, _, domain = name.partition(".")
        is_preview = label.startswith(PREVIEW_PREFIX) and domain == hosts.domain
        if is_preview and request.method in _METHODS:
            return await self._relay.pass_on(request)
        return plain_answers.missing()

    def _tell_away(self, error: StoreAway) -> None:
        said = "The store of releases is away. Readers have what is in memory, and 503 for all else"
        self._tell_once(_STORE, f"{said}: {error}")

    def _tell_answers(self) -> None:
        """Tell that the store is back; one that comes and goes is told as rarely as one that stays away."""
        if _STORE in self._broken:
            self._broken.discard(_STORE)
            self._tell("The store of releases answers again.")

    def _tell_of_redirects(self, id: str, site: LiveSite) -> None:
        subject, what = (id, "redirects"), f"The redirects of the site {id}"
        if site.fault:
            self._tell_once(subject, f"{what} cannot be read, and lead nowhere: {site.fault}")
        else:
            self._tell_mended(subject, f"{what} can be read again.")

    def _tell_once(self, subject: Hashable, text: str) -> None:
        if self._repeats.hear(subject) is not None:
            self._broken.add(subject)
            self._tell(text)

    def _tell_mended(self, subject: Hashable, text: str) -> None:
        if subject in self._broken:
            self._broken.discard(subject)
            self._repeats.forget(subject)
            self._tell(text)


def _led(request: web.BaseRequest, mounted: MountedHost) -> RawAnswer:
    """Lead to the same address at another host, with the scheme and port that the reader came by."""
    target = request.rel_url.raw_path_qs
    return plain_answers.moved(301, f"//{mounted.redirect}{port_of(request)}{target}")
