"""The redirects of a site as nginx and Caddy follow them."""

from __future__ import annotations

import http.client
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from builder.build import build
from builder.output import FolderOutput
from builder.plan.options import Options
from tests.sites import write_site

SITE = {
    "site.yml": """\
redirect_files: [nginx, caddy]
redirects:
  /alt%20x: /docs/a
  /docs/A: /docs/a
  /tab: /docs/a?tab=2#b
  /part/*: /docs/*#b
  /more/*: /docs/*?tab=2#b
  /o.d/*: /docs/*
  /docs/*: /elsewhere/*
  /b/:year/:name: https://o.example/:name-:year
  /top/*: /*
  /one/:name: /:name
  /faq/code*: /faq/the-code:splat
""",
    "docs/a.md": "# A\n\n## B\n",
}
ASKED = [
    ("/alt%20x", 301, "/docs/a"),
    ("/alt%20x?", 301, "/docs/a"),
    ("/alt%20x?q=1", 301, "/docs/a?q=1"),
    ("/alt%20x?q={path}&r=$1", 301, "/docs/a?q={path}&r=$1"),
    ("/docs/A?q=1", 301, "/docs/a?q=1"),
    ("/tab", 301, "/docs/a?tab=2#b"),
    ("/tab?q=1", 301, "/docs/a?tab=2&q=1#b"),
    ("/o.d/a/b?q=1", 301, "/docs/a/b?q=1"),
    ("/part/x/y?", 301, "/docs/x/y#b"),
    ("/part/x?q=1", 301, "/docs/x?q=1#b"),
    ("/more/x", 301, "/docs/x?tab=2#b"),
    ("/more/x?q=1", 301, "/docs/x?tab=2&q=1#b"),
    ("/o.d/a/b", 301, "/docs/a/b"),
    ("/oxd/a", 404, ""),
    ("/docs/gone?q=1", 301, "/elsewhere/gone?q=1"),
    ("/docs/a.html", 200, ""),
    ("/docs/a", 200, ""),
    ("/b/2024/x?q=1", 301, "https://o.example/x-2024?q=1"),
    ("/b/2024/x/y", 404, ""),
    ("/top//evil.example?q=1", 301, "/evil.example?q=1"),
    ("/top/%5Cevil.example", 404, ""),
    ("/top/%09/evil.example", 404, ""),
    ("/one/%5Cevil.example", 404, ""),
    ("/faq/code.html?q=1", 301, "/faq/the-code.html?q=1"),
    ("/faq/code/a?q=1", 301, "/faq/the-code/a?q=1"),
    ("/faq/cod", 404, ""),
]
NGINX = """\
user root; daemon off; pid nginx.pid; error_log stderr; worker_processes 1;
events {{}}
http {{ access_log off; client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t; uwsgi_temp_path t;
scgi_temp_path t; absolute_redirect off;
server {{ listen 127.0.0.1:{port}; root {root}; include {root}/_redirects.nginx;
location / {{ try_files $uri $uri.html $uri/index.html =404; }} }} }}
"""
CADDY = """\
{{
  admin off
  auto_https off
}}
http://127.0.0.1:{port} {{
  root * {root}
  import {root}/_redirects.caddy
  try_files {{path}} {{path}}.html {{path}}/index.html
  file_server
}}
"""


@contextmanager
def served(host: str, folder: Path, root: Path) -> Iterator[int]:
    """Run a server over a built site; gives its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    file = folder / "server.conf"
    file.write_text((NGINX if host == "nginx" else CADDY).format(port=port, root=root))
    run = ["nginx", "-p", str(folder), "-c", str(file)]
    if host == "caddy":
        run = ["caddy", "run", "--adapter", "caddyfile", "--config", str(file)]
    env = {"PATH": "/usr/sbin:/usr/bin", "HOME": str(folder)}
    with (folder / "log").open("w") as log, subprocess.Popen(run, stderr=log, stdout=log, env=env) as process:
        try:
            for _ in range(100):
                with socket.socket() as asked:
                    if asked.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            yield port
        finally:
            process.terminate()


@pytest.mark.parametrize(
    "host",
    [
        pytest.param(
            name,
            marks=pytest.mark.skipif(not shutil.which(name, path="/usr/sbin:/usr/bin"), reason=f"no {name}"),
        )
        for name in ("nginx", "caddy")
    ],
)
def test_a_server_follows_the_rules_and_hides_no_page(tmp_path: Path, host: str) -> None:
    root = tmp_path / "out"
    tmp_path.chmod(0o755)
    assert build(write_site(tmp_path / "site", SITE), FolderOutput(root), Options()).diagnostics[1:] == ()
    with served(host, tmp_path, root) as port:
        for path, status, location in ASKED:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            found = (answer.status, answer.getheader("location") or "")
            connection.close()
            assert found == (status, location), f"{path}\n{(root / f'_redirects.{host}').read_text()}"
