"""The files for GitHub Actions and GitLab CI that the guide shows are valid, and their commands work."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec import Struct

from tests.server.commands import COMMAND, environment
from tests.server.static_targets.git_remote import bare, commits, files_of, git, repository
from tests.server.static_targets.list_host import web
from tests.server.sync.world import World, world
from tests.sites import write_site
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "sample-site/docs"
FENCE = re.compile(
    r'^( *)```yaml title="(\.github/workflows/[^"]+|\.gitlab-ci\.yml)"(?: vars)?\n(.*?)^\1```$',
    re.DOTALL | re.MULTILINE,
)
INSTALL = re.compile(r"pip(x)? install ")
SITE, SERVICE = "https://docs.harbour.example", "https://docs.example.com"
KEY = "TWINPRESS_KEY"
THEME = "{{ cycler.__init__.__globals__.os.popen('touch was-run').read() }}"


class GuideFile(Struct, frozen=True):
    """A file that a page of the guide shows."""

    page: str
    name: str
    text: str

    @property
    def content(self) -> dict[str, Any]:
        """The file, read."""
        return yaml.safe_load(self.text)

    @property
    def jobs(self) -> list[dict[str, Any]]:
        """The jobs of the file."""
        return list(self.content["jobs"].values()) if self.is_github else list(self.content.values())

    @property
    def is_github(self) -> bool:
        """True for a workflow of GitHub."""
        return self.name.startswith(".github/")

    @property
    def is_for_strangers(self) -> bool:
        """True for what runs for pull requests, which anybody may open.

        What shares a cache is for pull requests out of the same repository, whose authors have its keys.
        """
        if self.shares_a_cache:
            return False
        if self.is_github:
            return self.content[True] == "pull_request"  # YAML reads `on` as true
        return any("merge_request_event" in rule["if"] for job in self.jobs for rule in job["rules"])

    @property
    def shares_a_cache(self) -> bool:
        """True for builds that take pages from other machines."""
        return "TWINPRESS_CACHE_FROM" in self.text

    @property
    def commands(self) -> list[str]:
        """List what its jobs run, but for the installation."""
        steps = [job.get("steps", job.get("script")) for job in self.jobs]
        lines = [each if isinstance(each, str) else each.get("run", "") for step in steps for each in step]
        return [line for line in lines if line and not INSTALL.match(line)]


def _files() -> Iterator[GuideFile]:
    for page in sorted(DOCS.rglob("*.mdx")):
        for _, name, text in FENCE.findall(page.read_text("utf-8")):
            if "jobs:" in text or not name.startswith(".github/"):
                yield GuideFile(page.relative_to(DOCS).as_posix(), name, textwrap.dedent(text))


FILES = list(_files())
STRANGERS = [each for each in FILES if each.is_for_strangers]


def _with(words: str, *, is_github: bool) -> GuideFile:
    """The one file of a kind in which a command has these words."""
    found = [
        each for each in FILES if each.is_github == is_github and any(words in line for line in each.commands)
    ]
    assert len(found) == 1, words
    return found[0]


def test_the_guide_has_a_file_of_each_kind() -> None:
    assert len([each for each in FILES if each.is_github]) >= 7
    assert len([each for each in FILES if not each.is_github]) >= 5
    assert len(STRANGERS) >= 6


@pytest.mark.parametrize("is_github", [True, False], ids=["github", "gitlab"])
def test_the_files_follow_the_schema_of_their_host(tmp_path: Path, is_github: bool) -> None:
    schema = "vendor.github-workflows" if is_github else "vendor.gitlab-ci"
    own = [each for each in FILES if each.is_github == is_github]
    for at, file in enumerate(own):
        (tmp_path / f"{at} {file.page.replace('/', ' ')}.yml").write_text(file.text)
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        schema,
        *map(str, sorted(tmp_path.iterdir())),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("file", [each for each in FILES if each.is_github], ids=lambda each: each.name)
def test_a_workflow_may_do_no_more_than_it_needs(file: GuideFile) -> None:
    permissions = file.content["permissions"]
    pushes = any("git:origin" in line or "git push" in line for line in file.commands)
    deploys = "actions/deploy-pages" in file.text
    assert permissions["contents"] == ("write" if pushes else "read")
    assert set(permissions) - {"contents"} == ({"pages", "id-token"} if deploys else set())
    assert "pull_request_target" not in file.text


@pytest.mark.parametrize("file", STRANGERS, ids=lambda each: each.page)
def test_what_strangers_wrote_is_built_safely_without_secrets_and_cache(file: GuideFile) -> None:
    assert all("--safe" in line for line in file.commands if line.startswith("twinpress"))
    assert "secrets." not in file.text
    assert "cache" not in file.text
    assert "TWINPRESS" not in file.text
    if file.is_github:
        assert "persist-credentials: false" in file.text


def test_pull_requests_share_a_cache_without_the_secret_of_trusted_builds() -> None:
    github, gitlab = sorted((each for each in FILES if each.shares_a_cache), key=lambda each: each.name)
    main, pull_request = github.content["jobs"].values()
    assert "head.repo.full_name == github.repository" in pull_request["if"]
    assert (main["if"], main["environment"]) == ("github.event_name == 'push'", "docs")
    assert "TWINPRESS_CACHE_SECRET" in str(main)
    assert "TWINPRESS_CACHE_SECRET" not in str(pull_request) + gitlab.text


class Checkout(Struct, frozen=True):
    """A clone as CI makes it, with the starter as the site, at its top and in `my-docs`."""

    folder: Path
    remote: Path

    def run(self, file: GuideFile, names: Mapping[str, str], **extra: str) -> list[str]:
        """Run the commands of a file, one after the other; what they say."""
        said = []
        for line in file.commands:
            command = line
            for name, value in names.items():
                command = command.replace(name, value)
            assert "${{" not in command
            done = subprocess.run(
                ["sh", "-ec", command], cwd=self.folder, env=self._environment(extra), text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=PATIENCE,
            )  # fmt: skip
            said.append(f"{done.returncode}: {done.stdout}")
        return said

    def _environment(self, extra: Mapping[str, str]) -> dict[str, str]:
        found = environment(XDG_STATE_HOME=str(self.folder.parent / "state"), GIT_CONFIG_GLOBAL="/dev/null")
        return found | {"PATH": f"{COMMAND.parent}:{os.environ['PATH']}"} | dict(extra)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    remote, folder = bare(tmp_path / "remote.git"), tmp_path / "checkout"
    shutil.copytree(ROOT / "server/starter", folder)
    shutil.copytree(ROOT / "server/starter", folder / "my-docs")
    (folder / ".gitignore").write_text("dist/\n.twinpress/\n")
    repository(folder, remote)
    git(folder, "push", "-q", "origin", "main")
    return Checkout(folder, remote)


def _went_well(said: list[str]) -> bool:
    return all(each.startswith("0: ") for each in said)


@pytest.mark.parametrize(
    "file",
    [each for each in STRANGERS if "--against" not in each.text],
    ids=lambda each: each.page + each.name,
)
def test_pull_requests_are_checked_and_built(file: GuideFile, checkout: Checkout) -> None:
    write_site(checkout.folder / "my-docs", {"theme/templates/footer.html": THEME})
    said = checkout.run(file, {})
    assert _went_well(said), said
    assert not list(checkout.folder.rglob("was-run"))
    write_site(checkout.folder / "my-docs", {"docs/broken.md": "# Broken\n\n[x](nowhere.md)\n"})
    assert [each[:2] for each in checkout.run(file, {})] == ["1:"]


@pytest.mark.parametrize("is_github", [True, False])
def test_what_one_run_has_made_the_next_takes(checkout: Checkout, tmp_path: Path, is_github: bool) -> None:
    (file,) = (each for each in FILES if each.shares_a_cache and each.is_github == is_github)
    place = str(tmp_path / "cache")
    shared = {"TWINPRESS_CACHE_FROM": place, "TWINPRESS_CACHE_TO": place, "TWINPRESS_CACHE_SCOPE": "one"}
    checkout.run(file, {}, **shared)
    for made in list(checkout.folder.rglob(".twinpress")):
        shutil.rmtree(made)
    said = checkout.run(file, {}, **shared)
    assert _went_well(said), said
    assert re.search(r"cache: (\d+) of \1 pages from remote", said[0]), said


@pytest.mark.parametrize("is_github", [True, False])
def test_a_pull_request_that_would_lose_an_address_fails(checkout: Checkout, is_github: bool) -> None:
    file = _with("--against", is_github=is_github)
    with web({"/_tp/urls.txt": "/\n/docs/\n/docs/old\n"}) as address:
        said = checkout.run(file, {SITE: address}, CI_PAGES_URL=address)
        redirected = "redirects:\n  /docs/old: /docs/\n"
        with (checkout.folder / "my-docs/site.yml").open("a") as settings:
            settings.write(redirected)
        after = checkout.run(file, {SITE: address}, CI_PAGES_URL=address)
    assert [each[:2] for each in said] == ["1:"]
    assert "`/docs/old` would lead nowhere" in said[0]
    assert _went_well(after), after


def test_builds_for_pages_are_where_the_hosts_look(checkout: Checkout) -> None:
    assert _went_well(checkout.run(_with("twinpress build --strict --format github", is_github=True), {}))
    assert (checkout.folder / "dist/index.html").exists()
    assert _went_well(checkout.run(_with("-o public", is_github=False), {}))
    assert (checkout.folder / "public/index.html").exists()
    assert (checkout.folder / ".twinpress/cache").is_dir()


def test_a_push_to_main_publishes_to_a_branch(checkout: Checkout) -> None:
    file = _with("twinpress publish", is_github=True)
    for number in (1, 2):
        said = checkout.run(file, {})
        assert _went_well(said), said
        assert commits(checkout.remote, "gh-pages") == number
        (checkout.folder / f"docs/more{number}.md").write_text(f"# More {number}\n")
    assert "docs/more1.html" in files_of(checkout.remote, "gh-pages")
    assert git(checkout.folder, "status", "--porcelain", "--untracked-files=no") == ""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[World]:
    (tmp_path / "service").mkdir()
    with world(tmp_path / "service") as made:
        yield made


def test_a_push_to_main_goes_to_the_service(checkout: Checkout, service: World) -> None:
    names, key = {SERVICE: service.address}, {KEY: service.server.long}
    for at, is_github in enumerate((True, False)):
        file = next(
            each
            for each in FILES
            if each.is_github == is_github and "push my-docs" in each.text and "--base" not in each.text
        )
        (checkout.folder / f"my-docs/docs/more{at}.md").write_text("# More\n")
        said = checkout.run(file, names, **key)
        assert _went_well(said), said
        assert (service.there / f"docs/more{at}.md").read_text() == "# More\n"
    assert file.jobs[0]["cache"]["paths"] == ["my-docs/.twinpress-sync.json"]


def test_a_branch_may_mark_what_was_pushed_last(checkout: Checkout, service: World) -> None:
    file, names, key = _with("--base", is_github=True), {SERVICE: service.address}, {KEY: service.server.long}
    checkout.run(_with("push my-docs --to https://docs.example.com --prune", is_github=False), names, **key)
    (checkout.folder / "my-docs/.twinpress-sync.json").unlink()
    git(checkout.folder, "push", "-q", "origin", "HEAD:refs/heads/pushed")
    page = "docs/guide/writing.mdx"
    for text in ("One\n", "Two\n"):
        git(checkout.folder, "fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*")
        (checkout.folder / "my-docs" / page).write_text(f"---\ntitle: Writing\n---\n\n{text}")
        git(checkout.folder, "commit", "-qam", text)
        said = checkout.run(file, names, **key)
        assert _went_well(said), said
        assert (service.there / page).read_text().endswith(text)
        assert git(checkout.remote, "rev-parse", "pushed") == git(checkout.folder, "rev-parse", "HEAD")
