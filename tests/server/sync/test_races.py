"""Others change pages and categories at the very moment of a push or pull: nobody's change is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.server.sync.cut_proxy import CutProxy, cut_proxy
from tests.server.sync.world import World, bodies, categories, world
from tests.sites import write_site

SITE = {
    "docs/a.md": "# A\n",
    "docs/b.md": "# B\n",
    "docs/g/_category_.yml": "label: G\n",
    "docs/g/c.md": "# C\n",
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, CutProxy]]:
    with world(tmp_path_factory.mktemp("races")) as one, cut_proxy(one.server.port) as proxy:
        one.port = proxy.port
        yield one, proxy


@pytest.fixture
def one(shared: tuple[World, CutProxy]) -> World:
    one, proxy = shared
    proxy.allow(10**9)
    one.clear()
    write_site(one.here, SITE)
    assert one.push().is_complete
    return one


@pytest.fixture
def proxy(shared: tuple[World, CutProxy]) -> CutProxy:
    return shared[1]


def once(method: bytes, work: Callable[[], object]) -> Callable[[bytes], None]:
    """Do the work before the first request of this kind."""
    left = [work]

    def meanwhile(line: bytes) -> None:
        if line.startswith(method) and left:
            left.pop()()

    return meanwhile


def put(site: Path, file: str, text: str) -> Callable[[], object]:
    return lambda: write_site(site, {file: text})


def remove(site: Path, file: str) -> Callable[[], object]:
    return (site / file).unlink


@pytest.mark.parametrize(
    ("text", "conflicts", "there"),
    [("# Theirs\n", ["docs/a"], "# Theirs\n"), ("# Ours\n", [], "# Ours\n"), (None, ["docs/a"], None)],
)
def test_a_page_that_changes_there_before_it_is_written(
    one: World, proxy: CutProxy, text: str | None, conflicts: list[str], there: str | None
) -> None:
    write_site(one.here, {"docs/a.md": "# Ours\n"})
    proxy.meanwhile = once(
        b"PUT", remove(one.there, "docs/a.md") if text is None else put(one.there, "docs/a.md", text)
    )
    report = one.push()
    assert [each.path for each in report.conflicts] == conflicts
    assert bodies(one.there).get("docs/a") == there
    assert all("Ours" in each.diff for each in report.conflicts)


def test_a_page_that_comes_into_being_there_before_it_is_created(one: World, proxy: CutProxy) -> None:
    write_site(one.here, {"docs/n.md": "# Ours\n"})
    proxy.meanwhile = once(b"PUT", put(one.there, "docs/n.md", "# Theirs\n"))
    assert [each.path for each in one.push().conflicts] == ["docs/n"]
    assert bodies(one.there)["docs/n"] == "# Theirs\n"


@pytest.mark.parametrize(("text", "conflicts"), [("# Theirs\n", ["docs/a"]), (None, [])])
def test_a_page_that_changes_there_before_it_is_deleted(
    one: World, proxy: CutProxy, text: str | None, conflicts: list[str]
) -> None:
    (one.here / "docs/a.md").unlink()
    proxy.meanwhile = once(
        b"DELETE", remove(one.there, "docs/a.md") if text is None else put(one.there, "docs/a.md", text)
    )
    assert [each.path for each in one.push(prune=True).conflicts] == conflicts
    assert bodies(one.there).get("docs/a") == text


def test_a_page_that_is_written_over_by_its_own_former_state(one: World, proxy: CutProxy) -> None:
    """It has another revision, and the content of the base: the push goes on."""
    write_site(one.here, {"docs/a.md": "---\ntitle: T\n---\n\nA\n"})
    one.push()
    write_site(one.here, {"docs/a.md": "# Ours\n"})
    proxy.meanwhile = once(b"PUT", put(one.there, "docs/a.md", "---\n# x\ntitle: T\n---\n\nA\n"))
    assert [each.path for each in one.push().done] == ["docs/a"]
    assert bodies(one.there)["docs/a"] == "# Ours\n"


def test_a_decision_holds_for_what_was_seen_alone(one: World, proxy: CutProxy) -> None:
    write_site(one.here, {"docs/a.md": "# Ours\n"})
    write_site(one.there, {"docs/a.md": "# Theirs\n"})
    proxy.meanwhile = once(b"PUT", put(one.there, "docs/a.md", "# Theirs, later\n"))
    assert [each.path for each in one.push(ours=("docs/a",)).conflicts] == ["docs/a"]
    assert bodies(one.there)["docs/a"] == "# Theirs, later\n"


@pytest.mark.parametrize(
    ("text", "conflicts", "here"),
    [("# Ours\n", ["docs/a"], "# Ours\n"), ("# Theirs\n", [], "# Theirs\n"), (None, ["docs/a"], None)],
)
def test_a_page_that_changes_here_before_a_pull_writes_it(
    one: World, proxy: CutProxy, text: str | None, conflicts: list[str], here: str | None
) -> None:
    write_site(one.there, {"docs/a.md": "# Theirs\n"})
    proxy.meanwhile = once(
        b"GET /api/v1/pages/ai/page",
        remove(one.here, "docs/a.md") if text is None else put(one.here, "docs/a.md", text),
    )
    assert [each.path for each in one.pull().conflicts] == conflicts
    assert bodies(one.here).get("docs/a") == here


def test_a_page_that_changes_here_before_a_pull_deletes_it(one: World, proxy: CutProxy) -> None:
    (one.there / "docs/a.md").unlink()
    proxy.meanwhile = once(b"GET /api/v1/pages/ai/page", put(one.here, "docs/a.md", "# Ours\n"))
    assert [each.path for each in one.pull(prune=True).conflicts] == ["docs/a"]
    assert bodies(one.here)["docs/a"] == "# Ours\n"


def test_a_category_that_changes_there_meanwhile(one: World, proxy: CutProxy) -> None:
    write_site(one.here, {"docs/g/_category_.yml": "label: Ours\nposition: 1\n"})
    proxy.meanwhile = once(
        b"GET /api/v1/pages/ai/page", put(one.there, "docs/g/_category_.yml", "label: Theirs\n")
    )
    report = one.push()
    assert [(each.path, each.message) for each in report.conflicts] == [
        ("docs/g", "label is `Ours` here and `Theirs` there")
    ]
    assert categories(one.there)["docs/g"].position == 1
    assert categories(one.there)["docs/g"].label == "Theirs"
