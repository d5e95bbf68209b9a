"""The reach of scripts in a static page: with nobody's word for the site, only what is in the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.server.commands import serving
from tests.sites import write_site

SCRIPT = """
const told = document.querySelector('pre');
const tell = (what) => { told.textContent += what + ';' };
const attempt = (name, act) => {
  try { act(); tell(name + ' open') } catch (error) { tell(name + ' ' + error.name) }
};
attempt('cookie', () => { document.cookie = 'a=1'; document.cookie });
attempt('storage', () => localStorage.setItem('a', '1'));
const picture = new Image();
picture.onload = () => tell('picture ' + picture.naturalWidth);
picture.onerror = () => tell('picture refused');
picture.src = 'dot.svg';
fetch('/docs/').then((page) => tell('fetch ' + page.status), (error) => tell('fetch ' + error.name));
const other = document.createElement('iframe');
other.onload = () => attempt('frame', () => other.contentWindow.document.title);
other.src = '/docs/';
document.body.append(other);
"""
SITE = {
    "site.yml": "title: Site\n",
    "docs/index.md": "# Start\n",
    "static/demo/index.html": "<!doctype html><title>Demo</title><pre></pre><script src=demo.js></script>",
    "static/demo/demo.js": SCRIPT,
    "static/demo/dot.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="3"/>',
    "static/inline.svg": '<svg xmlns="http://www.w3.org/2000/svg"><script>'
    "try { localStorage.length; document.documentElement.id = 'open' }"
    " catch (error) { document.documentElement.id = error.name }</script></svg>",
}
_REFUSED = {f"{each} SecurityError" for each in ("cookie", "storage", "frame")}
APART = _REFUSED | {"fetch TypeError", "picture 3"}
OPEN = {"cookie open", "storage open", "picture 3", "fetch 200", "frame open"}


@pytest.mark.browser
@pytest.mark.parametrize(
    ("options", "finds", "drawn"), [((), APART, "SecurityError"), (("--trust",), OPEN, "open")]
)
def test_scripts_of_static_files_run_apart_until_the_site_is_trusted(
    tmp_path, browser: Browser, options, finds, drawn
):
    with serving(write_site(tmp_path / "site", SITE), *options, XDG_CONFIG_HOME=str(tmp_path)) as preview:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{preview.port}/demo/")
        for each in finds:
            expect(page.locator("pre")).to_contain_text(f"{each};")
        assert set(page.locator("pre").inner_text().strip(";").split(";")) == finds
        page.goto(f"http://127.0.0.1:{preview.port}/inline.svg")
        expect(page.locator(f"svg#{drawn}")).to_be_attached()
        page.close()


@pytest.mark.browser
def test_with_safe_no_script_of_a_static_file_runs(tmp_path, browser: Browser):
    with serving(write_site(tmp_path / "site", SITE), "--safe") as preview:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{preview.port}/demo/")
        assert page.locator("pre").inner_text() == ""
        page.goto(f"http://127.0.0.1:{preview.port}/inline.svg")
        assert page.locator("svg").get_attribute("id") is None
        page.close()


def test_a_copy_in_the_browser_is_of_no_use_under_another_policy(tmp_path):
    """With 304 the browser would go on under the policy with which it was sent at first."""
    site, tags = write_site(tmp_path / "site", SITE), []
    for options in ((), ("--safe",), ("--trust",)):
        with serving(site, *options, XDG_CONFIG_HOME=str(tmp_path)) as preview:
            first = preview.get("/demo/")
            tags.append(first.headers["etag"])
            again = preview.get("/demo/", **{"If-None-Match": first.headers["etag"]})
            assert again.status == 304
            one, other = (each.headers.get("content-security-policy") for each in (first, again))
            assert one == other
    assert len(set(tags)) == 3


@pytest.mark.parametrize("demo", [True, False])
def test_other_origins_are_lent_the_files_of_demos_alone(tmp_path, demo):
    """Only sites with pages of HTML have scripts that are in an origin of their own and name such files."""
    files = {"site.yml": "title: Site\n", "docs/index.md": "# Start\n"}
    files |= {f"static/own.{each}": "1" for each in ("js", "css", "png", "json", "txt", "pdf")}
    site = write_site(tmp_path / "site", files | ({"static/demo.html": "<p>"} if demo else {}))
    with serving(site, XDG_CONFIG_HOME=str(tmp_path)) as preview:
        lent = {
            each
            for each in ("own.js", "own.css", "own.png", "own.json", "own.txt", "own.pdf", "docs/", "demo")
            if preview.get(f"/{each}").headers["cross-origin-resource-policy"] == "cross-origin"
        }
        assert lent == ({"own.js", "own.css", "own.png"} if demo else set())
