"""Files for operators: systemd and Caddy take them, the guide shows them, and a browser gets through."""

from __future__ import annotations

import re
import shutil
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.cli.commands.host import host
from tests.ports import free_port
from tests.server.commands import COMMAND, Preview, environment, running
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "server/deploy"
PAGE = ROOT / "sample-site/docs/hosting/operating.mdx"
FILES = sorted(each.name for each in DEPLOY.iterdir() if each.is_file() and each.suffix != ".py")
UNITS = [name for name in FILES if name.endswith((".service", ".timer"))]
needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze here")
needs_caddy = pytest.mark.skipif(not shutil.which("caddy"), reason="no Caddy here: apt-get install caddy")
APP, SITES = "app.example.net", "sites.example.com"


@pytest.mark.parametrize("name", FILES)
def test_the_guide_shows_each_file_as_it_is(name: str) -> None:
    shown = re.findall(
        r'^```\w+ title="[^"]+"\n(.*?)^```$', PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert (DEPLOY / name).read_text("utf-8") in shown


@pytest.mark.parametrize("name", ["twinpress.service", "Containerfile"])
def test_options_of_the_service_are_options_that_it_has(name: str) -> None:
    text = (DEPLOY / name).read_text("utf-8")
    known = {option for parameter in host.params for option in parameter.opts}
    line = re.search(r"(?:ExecStart=|ENTRYPOINT ).*(?:\\\n.*)*", text)
    assert line
    used = set(re.findall(r"--[a-z-]+", line[0]))
    assert used
    assert used <= known


def test_the_container_has_all_that_is_installed() -> None:
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    copied = [word for line in re.findall(r"^COPY (.*) \S+$", text, re.MULTILINE) for word in line.split()]
    packages = re.search(r"^packages = \[(.*)\]$", (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert packages
    assert set(re.findall(r'"(\w+)"', packages[1])) <= set(copied)
    assert [word for word in copied if not (ROOT / word).exists()] == []


@needs_systemd
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    for name in UNITS:
        text = (DEPLOY / name).read_text("utf-8").replace("/opt/twinpress/bin/twinpress", str(COMMAND))
        (tmp_path / name).write_text(text)
    command = ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / name) for name in UNITS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    about = [line for line in done.stderr.splitlines() if "twinpress" in line]
    assert (about, done.returncode) == ([], 0), done.stderr


@needs_systemd
def test_systemd_says_that_little_is_left_open() -> None:
    command = ["systemd-analyze", "security", "--offline=true", str(DEPLOY / "twinpress.service")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert found, done.stdout + done.stderr
    assert float(found[1]) < 3.0


@contextmanager
def proxied(folder: Path, service: Preview, sites: int, port: int) -> Iterator[None]:
    """Caddy with our Caddyfile, but for its names, its ports and who signs its certificates."""
    text = (DEPLOY / "Caddyfile").read_text("utf-8")
    for old, new in (
        (APP, f"https://localhost:{port}"),
        (SITES, f"https://127.0.0.1:{port}"),
        ("127.0.0.1:8080", f"127.0.0.1:{service.port}"),
        ("127.0.0.1:8081", f"127.0.0.1:{sites}"),
    ):
        assert old in text
        text = text.replace(old, new)
    options = "{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n"
    (folder / "Caddyfile").write_text(options + text)
    home = environment(XDG_DATA_HOME=str(folder / "data"), XDG_CONFIG_HOME=str(folder / "config"))
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    with (folder / "caddy.log").open("w") as log:
        process = subprocess.Popen(command, env=home, stdout=log, stderr=log)
        try:
            until(lambda: answers(port), last=(folder / "caddy.log").read_text)
            yield
        finally:
            process.terminate()
            process.wait(PATIENCE)


def opened(
    port: int, path: str, name: str = "localhost", form: bytes | None = None, **headers: str
) -> tuple[int, str, dict[str, str]]:
    """One request by TLS; the certificate is of the test alone, so nobody asks who has signed it."""
    anybody = ssl.create_default_context()
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
    given = {header.replace("_", "-"): text for header, text in headers.items()}
    asked = urllib.request.Request(f"https://{name}:{port}{path}", form, given)
    try:
        with urllib.request.urlopen(asked, context=anybody, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(), dict(error.headers)


def answers(port: int) -> bool:
    try:
        return opened(port, "/healthz")[0] == 200
    except OSError:
        return False


@needs_caddy
def test_caddy_takes_the_file_as_it_is(tmp_path: Path) -> None:
    command = ["caddy", "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")]
    home = environment(XDG_DATA_HOME=str(tmp_path), XDG_CONFIG_HOME=str(tmp_path))
    done = subprocess.run(command, env=home, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "Caddyfile input is not formatted" not in done.stderr


@needs_caddy
def test_a_browser_signs_up_through_caddy_and_sites_are_an_origin_of_their_own(tmp_path: Path) -> None:
    port = free_port()
    options = ("--port", "0", "--sites-port", "0", "--no-databases", "--log-format", "json")
    proxy = ("--url", f"https://localhost:{port}", "--trusted-proxy", "127.0.0.1")
    with running([COMMAND, "host", "--data", tmp_path / "data", *options, *proxy]) as service:
        found = re.search(r":(\d+)\"", service.says("Sites are at "))
        assert found
        (tmp_path / "caddy").mkdir()
        with proxied(tmp_path / "caddy", service, int(found[1]), port):
            link = re.search(r"/first/[\w-]+", service.says("/first/"))
            assert link
            form = b"email=me@example.com&password=four+words+that+are+odd"
            origin = {"Origin": f"https://localhost:{port}", "X_Forwarded_For": "203.0.113.9"}
            # 303 leads to the dashboard, which wants the cookie that this client does not keep.
            status, text, _ = opened(port, link[0], form=form, **origin)
            assert (status, "Sign in" in text) == (200, True)
            line = service.says("POST /first/{token}: 303")
            assert "203.0.113.9" not in line, "nobody chooses an address"
            sites = opened(port, "/", "127.0.0.1")
            assert (sites[0], "This preview has ended" in sites[1]) == (404, True)
            assert opened(port, "/sign-in", "127.0.0.1")[0] == 404
