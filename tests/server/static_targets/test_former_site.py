"""The addresses of a site are read from wherever it is: a folder, a list, the web."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from builder.errors import StorageError
from server.static_targets import former_site
from server.static_targets.former_site import NoList, site_at
from tests.server.static_targets.list_host import HTML, web
from tests.sites import write_site

URLS = "/\n/docs/a\t#x\t#y\n/docs/old\t-> /docs/a\n"
SITEMAP = "<urlset><url><loc>https://h.example/manual/docs/a</loc></url><url><loc>https://h.example/manual/b&amp;c</loc></url></urlset>"
INDEX = "<sitemapindex><sitemap><loc>https://h.example/s1.xml</loc></sitemap></sitemapindex>"


def places(place: str | Path, url: str = "") -> list[str]:
    """The addresses at a place."""
    found = site_at(str(place), url).addresses
    return sorted([*found.places, *found.redirects])


def test_a_built_folder_a_folder_of_releases_and_a_list_are_read(tmp_path: Path) -> None:
    write_site(tmp_path / "built", {"_tp/urls.txt": URLS, "index.html": "x", "more.html": "x"})
    write_site(tmp_path / "out/releases/3", {"_tp/urls.txt": "/three\n"})
    (tmp_path / "out/current").symlink_to("releases/3")
    assert places(tmp_path / "built") == ["/", "/docs/a", "/docs/old"]
    assert places(tmp_path / "built/_tp/urls.txt") == ["/", "/docs/a", "/docs/old"]
    assert places(tmp_path / "out") == ["/three"]
    found = site_at(str(tmp_path / "built"), "")
    assert found.addresses.places["/docs/a"] == ("x", "y")


def test_a_release_that_is_gone_is_told(tmp_path: Path) -> None:
    (tmp_path / "out/releases").mkdir(parents=True)
    (tmp_path / "out/current").symlink_to("releases/3")
    with pytest.raises(StorageError, match="is gone"):
        places(tmp_path / "out")


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"sitemap.xml": SITEMAP}, ["/b&c", "/docs/a"]),
        ({"sitemap.xml": SITEMAP, "c/index.html": "x"}, ["/b&c", "/c/", "/docs/a"]),
        ({"sitemap.xml": INDEX, "s1.xml": SITEMAP}, ["/b&c", "/docs/a"]),
        ({"sitemap.xml": INDEX, "index.html": ""}, ["/"]),
        ({"index.html": "", "a b/ü.html": "", "404.html": "", "x.css": ""}, ["/", "/a%20b/%C3%BC"]),
    ],
)
def test_sites_that_something_else_built_have_a_sitemap_or_files(
    tmp_path: Path, files: Mapping[str, str], found: list[str]
) -> None:
    assert places(write_site(tmp_path / "built", files), "https://h.example/manual") == found


@pytest.mark.parametrize("files", [{}, {"a.css": ""}, {"_tp/urls.txt": HTML}, {"_tp/urls.txt": ""}])
def test_a_folder_without_a_list_is_told(tmp_path: Path, files: Mapping[str, str]) -> None:
    (tmp_path / "built").mkdir()
    with pytest.raises(NoList, match="there is no list"):
        places(write_site(tmp_path / "built", files))


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(NoList, match="nothing to compare with"):
        places(tmp_path / "nowhere")


def test_a_list_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(former_site, "LONGEST", 10)
    (tmp_path / "urls.txt").write_text(URLS)
    with pytest.raises(NoList, match="more than 10 bytes"):
        places(tmp_path / "urls.txt")
    with web({"/_tp/urls.txt": URLS}) as address, pytest.raises(NoList, match="more than 10 bytes"):
        places(address)


@pytest.mark.parametrize("missing", [404, 200])
def test_a_published_site_is_asked_for_its_list(missing: int) -> None:
    with web({"/_tp/urls.txt": URLS, "/manual/_tp/urls.txt": "/b\n"}, missing) as address:
        assert places(address) == places(f"{address}/") == ["/", "/docs/a", "/docs/old"]
        assert places(f"{address}/_tp/urls.txt") == ["/", "/docs/a", "/docs/old"]
        assert places(f"{address}/manual") == ["/b"]


@pytest.mark.parametrize("missing", [404, 200])
def test_of_another_one_the_sitemap_is_read(missing: int) -> None:
    with web({"/sitemap.xml": SITEMAP}, missing) as address:
        assert places(address, "https://h.example/manual") == ["/b&c", "/docs/a"]
    with web({"/manual/sitemap.xml": INDEX, "/manual/s1.xml": SITEMAP}, missing) as address:
        assert places(f"{address}/manual") == ["/b&c", "/docs/a"]


def test_a_host_without_a_list_or_in_trouble_is_told() -> None:
    with web({}) as address, pytest.raises(NoList, match="there is no list"):
        places(address)
    with web({}, 503) as address, pytest.raises(NoList, match="answers 503"):
        places(address)
    with pytest.raises(NoList, match="cannot be read"):
        places(address)
