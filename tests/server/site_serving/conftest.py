from __future__ import annotations

from collections.abc import Iterator

import pytest

from server.releases.hosts import MountedHost
from tests.server.site_serving.asking import Readers, serving_sites
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store
from tests.sites import build_site

CLIP = bytes(range(256)) * 8192
FILES = {
    "site.yml": "title: Quay\nredirects:\n  /old: /docs/x#part\n  /old-folder/: https://example.com/a?b=c\n",
    "docs/index.md": "# Start\n",
    "docs/x.mdx": "---\ntitle: X\n---\nBody of x.\n\n## Part\n\n" + "A long text of a page. " * 60,
    "docs/guide/index.md": "# Guide\n",
    "docs/guide/data.csv": "a,b\n",
    "docs/guide/clip.mp4": CLIP,
    "docs/ünï.md": "# Signs\n",
    "pages/about.md": "# About\n",
    "static/hello.txt": "hello",
    "static/empty.bin": b"",
    "static/drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>',
    "static/own.html": "<!doctype html><script>top.x=1</script>",
    "static/feed.xml": "<a/>",
    "static/paper.pdf": b"%PDF-1.4",
    "static/worker.js": "postMessage(1)",
}
OTHER = "site_reef"
HOSTS = {
    HOST: SITE,
    "docs.example.org": SITE,
    "www.example.org": MountedHost(SITE, "docs.example.org"),
    "xn--bcher-kva.example": SITE,
    "reef.localhost": OTHER,
    "empty.localhost": "site_empty",
}


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    """The folder of a site."""
    return tmp_path_factory.mktemp("quay")


@pytest.fixture(scope="session")
def built(source):
    """All files of a built site, by output path."""
    output = build_site(source, FILES).output
    copied = {path: (source / file).read_bytes() for path, file in output.copied.items()}
    return {**output.written, **copied}


@pytest.fixture(scope="module")
def readers(tmp_path_factory, built) -> Iterator[Readers]:
    """The process for readers, with two sites that are published."""
    data = tmp_path_factory.mktemp("data")
    publish(release_store(data), built)
    publish(release_store(data, OTHER), {"index.html": b"reef"})
    mount(data, HOSTS)
    with serving_sites(data) as running:
        yield running
