"""Pages that would have the browser look elsewhere, stay for ever or take all there is."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from msgspec.structs import replace

from server.http.failure import Failure
from server.screenshots.browser_process import Browser
from server.screenshots.camera import Camera
from server.screenshots.shot import Picture
from tests.server.screenshots.pictures import PAGE, browser, browsers, files, rows, taken

pytestmark = pytest.mark.browser

ELSEWHERE = """
<img src="http://127.0.0.1:{port}/image"><img src="http://localhost:{port}/name">
<img src="//127.0.0.1:{port}/same-scheme"><iframe src="http://127.0.0.1:{port}/frame"></iframe>
<iframe src="file:///etc/passwd"></iframe><iframe src="view-source:file:///etc/passwd"></iframe>
<link rel="preconnect" href="http://127.0.0.1:{port}"><link rel="prefetch" href="http://127.0.0.1:{port}/p">
<link rel="stylesheet" href="http://127.0.0.1:{port}/style.css">
<script src="http://127.0.0.1:{port}/script.js"></script>
<script>
  fetch("http://127.0.0.1:{port}/fetch", {{mode: "no-cors"}}).catch(() => 0);
  new WebSocket("ws://127.0.0.1:{port}/socket");
  navigator.sendBeacon("http://127.0.0.1:{port}/beacon", "x");
  new EventSource("http://127.0.0.1:{port}/events");
  const code = 'fetch("http://127.0.0.1:{port}/worker")';
  new Worker(URL.createObjectURL(new Blob([code], {{type: "text/javascript"}})));
  const peer = new RTCPeerConnection({{iceServers: [{{urls: "stun:127.0.0.1:{port}"}}]}});
  peer.createDataChannel("x"); peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  window.open("http://127.0.0.1:{port}/window");
</script>
<p style="position: fixed; inset: 0; margin: 0; background: rgb(1, 2, 3)"></p>
"""


@contextmanager
def listening() -> Iterator[tuple[int, list[bytes]]]:
    """A port of this machine by TCP and UDP, and what has come to it."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(type=socket.SOCK_DGRAM) as packets:
        packets.bind(server.getsockname())
        threads = [
            Thread(target=_accept, args=(server, heard)),
            Thread(target=_receive, args=(packets, heard)),
        ]
        for thread in threads:
            thread.start()
        try:
            yield server.getsockname()[1], heard
        finally:
            with socket.create_connection(server.getsockname()) as last:
                last.sendall(b"end")
            packets.sendto(b"end", packets.getsockname())
            for thread in threads:
                thread.join()


def _accept(server: socket.socket, heard: list[bytes]) -> None:
    while True:
        connection, _ = server.accept()
        with connection:
            said = connection.recv(200)
            if said == b"end":
                return
            heard.append(said)


def _receive(packets: socket.socket, heard: list[bytes]) -> None:
    while (said := packets.recv(200)) != b"end":
        heard.append(said)


def outcome(html: str, seconds: float) -> str:
    """Return the code with which a picture fails, "" for one that is taken."""
    try:
        taken(html, seconds=seconds)
    except Failure as failure:
        return failure.code
    return ""


def test_nothing_is_loaded_but_from_the_site_itself() -> None:
    with listening() as (port, heard):
        found = taken(ELSEWHERE.format(port=port))
    assert heard == []
    assert rows(found.png)[10][30:33] == bytes((1, 2, 3))


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", ["<meta http-equiv=refresh content='0;url={}'>", "<script>location = '{}'</script>"]
)
@pytest.mark.parametrize("scheme", ["http://127.0.0.1:{port}/next", "file:///etc/passwd"])
def test_a_page_leads_the_browser_nowhere(way: str, scheme: str) -> None:
    with listening() as (port, heard):
        code = outcome(way.format(scheme.format(port=port)), seconds=15)
    assert code in {"", "PREVIEW_FAILED"}
    assert heard == []


def test_a_page_that_stays_for_ever_is_given_up_and_its_browser_ended() -> None:
    with pytest.raises(Failure, match="make the page simpler") as failed:
        taken("<script>for (;;) {}</script>", seconds=2)
    assert failed.value.code == "PREVIEW_FAILED"
    assert browsers() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        "<script>const all = []; for (;;) all.push(new Uint8Array(1e8).fill(1))</script>",
        "<script>for (;;) document.body.append(...document.body.cloneNode(true).childNodes, 'x')</script>",
        "<script>let text = 'x'; for (;;) { text += text; document.title = text }</script>",
        "<script>setInterval(() => open('about:blank'), 1); for (;;) alert(1)</script>",
    ],
)
def test_a_page_that_takes_all_there_is_ends_with_its_browser(page: str) -> None:
    assert outcome(page, seconds=8) in {"", "PREVIEW_FAILED", "SCREENSHOT_UNAVAILABLE"}
    assert browsers() == []


@pytest.mark.slow
def test_what_moves_for_ever_is_pictured_at_some_moment() -> None:
    moving = """<style>@keyframes turn { to { transform: rotate(1turn) } }
    p { animation: turn 1ms infinite; width: 50px; height: 50px; background: red }</style><p></p>
    <script>const go = () => { document.body.append("x"); requestAnimationFrame(go) }; go()</script>"""
    assert taken(moving, replace(PAGE, full=True)).png


def test_one_picture_is_taken_after_the_other_and_too_many_are_refused() -> None:
    eye = Camera(browser, room=1)

    async def ask() -> list[Picture | BaseException]:
        load = files({"/page": "<p>x</p>"})
        return await asyncio.gather(*(eye.picture(load, PAGE) for _ in range(3)), return_exceptions=True)

    found = asyncio.run(ask())
    refused = [one for one in found if isinstance(one, Failure)]
    assert (len(found), len(refused)) == (3, 1)
    assert {(one.code, one.headers["Retry-After"]) for one in refused} == {("TOO_BUSY", "5")}


@pytest.mark.slow
def test_who_waits_too_long_for_a_turn_is_told_when_to_come_again() -> None:
    eye = Camera(browser, seconds=4, patience=0.5)

    async def ask() -> list[Picture | BaseException]:
        load = files({"/page": "<script>for (;;) {}</script>"})
        return await asyncio.gather(*(eye.picture(load, PAGE) for _ in range(2)), return_exceptions=True)

    first, second = asyncio.run(ask())
    assert isinstance(first, Failure)
    assert isinstance(second, Failure)
    assert (first.code, second.code) == ("PREVIEW_FAILED", "TOO_BUSY")


WITHOUT_NAMESPACES = """#!/bin/sh
exec unshare --user --map-user=1000 --keep-caps sh -c \
  'echo 0 > /proc/sys/user/max_user_namespaces && exec {program} "$@"' sh "$@"
"""


@pytest.mark.slow
def test_where_the_system_lets_it_have_no_sandbox_the_browser_is_not_run() -> None:
    found = browser()
    assert found is not None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        program = folder / "chromium"
        program.write_text(WITHOUT_NAMESPACES.format(program=found.program))
        program.chmod(0o755)
        confined = replace(found, program=str(program))
        with pytest.raises(Failure, match="cannot use its own sandbox") as failed:
            asyncio.run(Camera(lambda: confined).picture(files({"/page": "x"}), PAGE))
    assert failed.value.code == "SCREENSHOT_UNAVAILABLE"


def test_a_picture_leaves_no_folder_and_clears_up_after_servers_that_were_killed() -> None:
    folder = Path(tempfile.gettempdir())
    old = folder / f"twinpress-look-0-{os.getpid()}"
    (old / "profile").mkdir(parents=True)
    os.utime(old, (0, 0))
    assert taken("<p>x</p>").png
    assert not old.exists()
    assert list(folder.glob(f"twinpress-look-{os.getpid()}-*")) == []


MISSING = [
    (Browser("/none/chromium"), "has ended by itself"),
    (Browser("/bin/false"), "has ended by itself"),
    (None, "apt install chromium"),
]


@pytest.mark.parametrize(("browser", "says"), MISSING)
def test_a_browser_that_cannot_be_run_is_said_to_be_missing(browser: Browser | None, says: str) -> None:
    with pytest.raises(Failure, match=says) as failed:
        asyncio.run(Camera(lambda: browser).picture(files({}), PAGE))
    assert failed.value.code == "SCREENSHOT_UNAVAILABLE"
