"""Files for operators: systemd and Caddy take them, the guide shows them, and a browser gets through."""

from __future__ import annotations

import base64
import http.client
import re
import shlex
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click
import pytest

from server.cli.commands.host import host, sites
from tests.ports import free_port
from tests.server.commands import COMMAND, environment, running
from tests.server.dashboard.browser import Browser, Page
from tests.server.http_client import request
from tests.server.service.place import data_folder
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "server/deploy"
PAGE = ROOT / "sample-site/docs/hosting/operating.mdx"
FILES = sorted(each.name for each in DEPLOY.iterdir() if each.is_file() and each.suffix != ".py")
UNITS = [name for name in FILES if name.endswith((".service", ".socket", ".timer"))]
needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze here")
needs_caddy = pytest.mark.skipif(not shutil.which("caddy"), reason="no Caddy here: apt-get install caddy")


@pytest.mark.parametrize("name", FILES)
def test_the_guide_shows_each_file_as_it_is(name: str) -> None:
    shown = re.findall(
        r'^```\w+ title="[^"]+"\n(.*?)^```$', PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert (DEPLOY / name).read_text("utf-8") in shown


@pytest.mark.parametrize(
    ("name", "command"),
    [("twinpress.service", host), ("twinpress-sites.service", sites), ("Containerfile", host)],
)
def test_options_of_the_service_are_options_that_it_has(name: str, command: click.Command) -> None:
    text = (DEPLOY / name).read_text("utf-8")
    known = {option for parameter in command.params for option in parameter.opts}
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
@pytest.mark.parametrize("name", ["twinpress.service", "twinpress-sites.service"])
def test_systemd_says_that_little_is_left_open(name: str) -> None:
    command = ["systemd-analyze", "security", "--offline=true", str(DEPLOY / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert found, done.stdout + done.stderr
    assert float(found[1]) < 3.0


def test_the_commands_of_the_units_serve_and_back_up(tmp_path: Path) -> None:
    """Run as the units have them, but for the folders, the ports and the user; with databases, too."""
    with data_folder() as data:
        changes = {
            "/opt/twinpress/bin/twinpress": str(COMMAND),
            "/var/lib/twinpress": str(data),
            "%d": str(tmp_path),
            **{port: str(free_port()) for port in ("8080", "8081", "8082", "9100", "9101")},
        }
        (tmp_path / "master.keys").write_text(f"2026:{base64.b64encode(bytes(32)).decode()}\n")
        command, env = unit("twinpress.service", changes)
        with running(command, **env) as service:
            command, env = unit("twinpress-sites.service", changes)
            with running(command, **env) as readers:
                assert readers.port == int(changes["8081"])
                assert readers.get("/", Host="sites.example.com").status == 404
            assert request(int(changes["8080"]), "GET", "/healthz")[0] == 200
            command, env = unit("twinpress-backup.service", changes)
            every = environment(STATE_DIRECTORY=str(tmp_path), **env)
            done = subprocess.run(command, env=every, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
    assert service.process.poll() == 0
    assert len(list(tmp_path.glob("20*.tar"))) == 1


def unit(name: str, changes: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """The command of a unit and what the unit adds to its environment, as systemd reads them."""
    text = (DEPLOY / name).read_text("utf-8").replace("\\\n", "")
    for old, new in changes.items():
        text = text.replace(old, new)
    text = text.replace("%%", "%").replace("$$", "$")
    line = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)
    assert line
    names = re.findall(r"^Environment=(\w+)=(.*)$", text, re.MULTILINE)
    return shlex.split(line[1]), dict(names)


class ByTls(Browser):
    """A browser that asks for a name by TLS; nobody asks who has signed its certificate."""

    name = "localhost"

    def connection(self) -> http.client.HTTPConnection:
        anybody = ssl.create_default_context()
        anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
        found = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE, context=anybody)
        plain = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        found.sock = anybody.wrap_socket(plain, server_hostname=self.name)
        return found


def ready(folder: Path, **changes: str) -> Path:
    """Our Caddyfile with a certificate for sites, and what else has to be another here; each is in it."""
    key, certificate = folder / "sites.key", folder / "sites.pem"
    made = ("-newkey", "rsa:2048", "-noenc", "-keyout", key, "-out", certificate, "-subj", "/CN=sites")
    subprocess.run(["openssl", "req", "-x509", *made], check=True, capture_output=True)
    text = (DEPLOY / "Caddyfile").read_text("utf-8")
    every = {"/etc/caddy/sites.pem": certificate, "/etc/caddy/sites.key": key, **changes}
    for old, new in every.items():
        assert old in text
        text = text.replace(old, str(new))
    (folder / "Caddyfile").write_text(text)
    return folder / "Caddyfile"


def caddy(folder: Path, verb: str, file: Path) -> tuple[list[str], dict[str, str]]:
    """The command, and its environment."""
    home = environment(XDG_DATA_HOME=str(folder / "data"), XDG_CONFIG_HOME=str(folder / "config"))
    return ["caddy", verb, "--adapter", "caddyfile", "--config", str(file)], home


@contextmanager
def proxied(folder: Path, port: int, **changes: str) -> Iterator[None]:
    """Caddy with our Caddyfile, but for its names, its ports and who signs the first certificate."""
    file = ready(folder, **changes)
    options = "{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tauto_https disable_redirects\n"
    file.write_text(file.read_text("utf-8").replace("{\n", options, 1))
    command, home = caddy(folder, "run", file)
    with (folder / "caddy.log").open("w") as log:
        process = subprocess.Popen(command, env=home, stdout=log, stderr=log)
        try:
            until(lambda: answers(port), last=(folder / "caddy.log").read_text)
            yield
        finally:
            process.terminate()
            process.wait(PATIENCE)


def answers(port: int) -> bool:
    try:
        return ByTls(port).get("/healthz").status in {200, 502}  # 502 where no service is behind it
    except OSError:
        return False


@needs_caddy
def test_caddy_takes_the_file_as_it_is(tmp_path: Path) -> None:
    command, home = caddy(tmp_path, "validate", ready(tmp_path))
    done = subprocess.run(command, env=home, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "Caddyfile input is not formatted" not in done.stderr


@needs_caddy
def test_a_browser_signs_up_through_caddy_and_sees_a_preview_on_another_origin(tmp_path: Path) -> None:
    port, own, sites = free_port(), free_port(), free_port()
    options = ("--port", str(own), "--sites-port", str(sites), "--no-databases", "--log-format", "json")
    named = ("--url", f"https://localhost:{port}", "--sites-url", f"https://sites.localhost:{port}")
    command = [COMMAND, "host", "--data", tmp_path / "data", *options, *named]
    changes = {
        "app.example.net": f"https://localhost:{port}",
        "*.sites.example.com": f"https://*.sites.localhost:{port}",
        "sites.example.com,": f"https://sites.localhost:{port},",
        "127.0.0.1:8080": f"127.0.0.1:{own}",
        "127.0.0.1:8081": f"127.0.0.1:{sites}",
        "https:// {": f"https://:{port} {{",
    }
    with running([*command, "--trusted-proxy", "127.0.0.1"]) as service:
        link = re.search(r"/first/[\w-]+", service.says("/first/"))
        assert link
        with proxied(tmp_path, port, **changes):
            browser = ByTls(port)
            form = {"email": "me@example.com", "password": "four words that are odd"}
            assert browser.post(link[0], form, X_Forwarded_For="203.0.113.9").path == "/sites"
            assert "__Host-twinpress" in browser.cookies
            line = service.says("POST /first/{token}: 303")
            assert "203.0.113.9" not in line, "nobody chooses an address"
            browser.post("/sites", {"name": "quay-docs"})
            shown = browser.get("/sites/quay-docs/pages/edit?path=docs/index").text
            preview = re.search(rf'src="https://(preview-[a-z2-7]+\.sites\.localhost):{port}(/[^"]*)"', shown)
            assert preview
            assert asked(port, preview[1], preview[2]).status == 200
            assert "There is nothing at this address" in asked(port, "sites.localhost", "/").text
            assert asked(port, "sites.localhost", "/sign-in").status == 404


def asked(port: int, name: str, path: str) -> Page:
    """Return the answer to somebody who asks for a path under another name."""
    other = ByTls(port)
    other.name = name
    return other.get(path, Host=f"{name}:{port}")
