from __future__ import annotations

import json

import pytest

from tests.server.cli.sites import BROKEN, GOOD, WARNED
from tests.server.commands import twinpress
from tests.sites import write_site


@pytest.mark.parametrize(
    ("files", "options", "code"),
    [
        (GOOD, [], 0),
        (GOOD, ["--strict"], 0),
        (WARNED, [], 0),
        (WARNED, ["--strict"], 1),
        (BROKEN, [], 1),
        (BROKEN, ["--format", "json"], 1),
        (BROKEN, ["--format", "github"], 1),
    ],
)
@pytest.mark.parametrize("command", ["check", "build"])
def test_the_exit_code_tells_whether_the_site_has_errors(tmp_path, command, files, options, code):
    write_site(tmp_path, files)
    done = twinpress(command, *options, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert (tmp_path / "dist/docs/index.html").exists() is (command == "build")


MANY = {
    "site.yml": "title: T\n",
    "docs/index.md": "# A\n\n[a](none.md) [b](none.md)\n",
    "docs/b.mdx": "# B\n\n[a](none.md)\n\n<Nowt/>\n",
}


def test_a_summary_counts_by_code_and_message(tmp_path):
    write_site(tmp_path, MANY)
    done = twinpress("check", "--summary", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "error: broken-link, 3 in 2 files",
        "     3 | there is no page or file `/docs/none.md`",
        "       = docs/b.mdx, docs/index.md",
        "",
        "warning: component-unknown, 1 in 1 file",
        "     1 | there is no component `Nowt`",
        "       = docs/b.mdx",
        "",
        done.stdout.splitlines()[-1],
    ]
    found = json.loads(twinpress("check", "--summary", "--format", "json", cwd=tmp_path).stdout)
    assert [(one["code"], one["count"], one["files"]) for one in found] == [
        ("broken-link", 3, 2),
        ("component-unknown", 1, 1),
    ]
    assert found[0]["messages"][0]["files"] == ["docs/b.mdx", "docs/index.md"]
    refused = twinpress("check", "--summary", "--format", "github", cwd=tmp_path)
    assert (refused.returncode, "for people or JSON" in refused.stderr) == (2, True)


def test_a_check_for_one_code_shows_it_alone_and_exits_by_it(tmp_path):
    write_site(tmp_path, MANY)
    done = twinpress("check", "--code", "component-unknown", cwd=tmp_path)
    assert (done.returncode, done.stdout.count("[")) == (0, 1)
    assert "[component-unknown]" in done.stdout
    assert twinpress("check", "--code", "broken-link", cwd=tmp_path).returncode == 1
    wrong = twinpress("check", "--code", "broken-lnk", cwd=tmp_path)
    assert (wrong.returncode, "did you mean `broken-link`?" in wrong.stderr) == (2, True)


def test_a_check_writes_nothing(tmp_path):
    write_site(tmp_path, BROKEN)
    before = sorted(tmp_path.rglob("*"))
    twinpress("check", cwd=tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("command", ["check", "build"])
def test_of_a_stranger_s_site_no_program_is_run_and_no_cache_used(tmp_path, command):
    ran = "{{ cycler.__init__.__globals__.os.popen('touch was-run').read() }}"
    site = write_site(tmp_path / "s", GOOD | {"theme/templates/footer.html": ran})
    done = twinpress(command, "--safe", "--strict", site, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "was-run").exists()
    assert not (site / ".twinpress").exists()
    if command == "build":
        assert twinpress(command, site, cwd=tmp_path).returncode == 0
        assert (tmp_path / "was-run").exists()


def test_a_build_writes_where_it_is_told(tmp_path):
    write_site(tmp_path / "docs site", GOOD)
    done = twinpress("build", "docs site", "-o", "out/here", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/here/docs/index.html").exists()
    assert not (tmp_path / "docs site/dist").exists()
    assert "Written to out/here" in done.stderr


def test_the_text_form_shows_place_source_hint_and_a_summary(tmp_path):
    write_site(tmp_path / "my-docs", BROKEN)
    done = twinpress("check", "my-docs", cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("my-docs/docs/start.md:3:14: error: ")
    assert lines[0].endswith(" [broken-link]")
    assert lines[1] == "    3 | See ␛[31m[b](instal.md) 😀."
    assert lines[2] == "      |              ^"
    assert "install" in lines[3]
    assert lines[-1].startswith("1 error in 4 pages (")
    assert "\u001b" not in done.stdout + done.stderr


def test_json_is_the_only_thing_on_standard_output(tmp_path):
    write_site(tmp_path, BROKEN)
    for command in ("check", "build"):
        done = twinpress(command, "--format", "json", cwd=tmp_path)
        (found,) = json.loads(done.stdout)
        assert set(found) == {"code", "level", "file", "line", "column", "message", "hint"}
        assert (found["code"], found["level"], found["file"], found["line"]) == (
            "broken-link",
            "error",
            "docs/start.md",
            3,
        )
        assert "1 error in 4 pages" in done.stderr


def test_json_of_a_clean_site_is_an_empty_array(tmp_path):
    write_site(tmp_path, GOOD)
    assert json.loads(twinpress("check", "--format", "json", cwd=tmp_path).stdout) == []


def test_thousands_of_faults_on_one_line_are_bounded_for_people_and_whole_for_programs(tmp_path):
    rules = ", ".join(f"/old{number}: /docs/nowhere{number}" for number in range(3_000))
    write_site(tmp_path, GOOD | {"site.yml": f"{{title: Good, redirects: {{{rules}}}}}\n"})
    text = twinpress("check", cwd=tmp_path).stdout
    assert text.count("[redirect-invalid]") == 1_000
    assert text.count("(and 2,000 more; `--format json` has them all)") == 1
    assert "\n3,000 errors in 2 pages (" in text
    found = json.loads(twinpress("check", "--format", "json", cwd=tmp_path).stdout)
    assert [each["code"] for each in found] == ["redirect-invalid"] * 3_000


def test_github_annotations_name_files_from_the_checkout(tmp_path):
    write_site(tmp_path / "site", BROKEN)
    done = twinpress("check", "--format", "github", cwd=tmp_path / "site", GITHUB_WORKSPACE=str(tmp_path))
    assert done.stdout.startswith("::error file=site/docs/start.md,line=3,col=14,title=broken-link::")


@pytest.mark.parametrize("command", ["check", "build", "serve"])
def test_a_folder_that_is_no_site_is_explained(tmp_path, command):
    done = twinpress(command, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "error: " in done.stderr
    assert "twinpress new" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_output_folder_with_foreign_files_is_left_alone(tmp_path):
    write_site(tmp_path, GOOD | {"out/index.html": "mine"})
    done = twinpress("build", "-o", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert "is in the way" in done.stderr
    assert (tmp_path / "out/index.html").read_text() == "mine"


def test_drafts_and_plans_are_chosen_on_the_command_line(tmp_path):
    write_site(
        tmp_path,
        GOOD | {"docs/d.mdx": "---\ndraft: true\n---\n# D\n\n<Callout color='blue'>secret</Callout>\n"},
    )
    twinpress("build", cwd=tmp_path)
    assert not (tmp_path / "dist/docs/d.html").exists()
    twinpress("build", "--drafts", "--plan", "free", cwd=tmp_path)
    assert "secret" not in (tmp_path / "dist/docs/d.html").read_text()
    twinpress("build", "--drafts", "--plan", "premium", cwd=tmp_path)
    assert "secret" in (tmp_path / "dist/docs/d.html").read_text()
