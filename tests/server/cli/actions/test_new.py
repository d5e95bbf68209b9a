from __future__ import annotations

import json

from tests.server.commands import twinpress
from tests.sites import write_site


def test_a_new_site_is_clean_and_says_what_to_do_next(tmp_path):
    made = twinpress("new", "my-docs", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    for words in ("cd my-docs", "twinpress serve", "twinpress check", "twinpress build"):
        assert words in made.stdout
    checked = twinpress("check", "--strict", "--format", "json", cwd=tmp_path / "my-docs")
    assert checked.returncode == 0, checked.stdout
    assert json.loads(checked.stdout) == []
    built = twinpress("build", "--strict", cwd=tmp_path / "my-docs")
    assert built.returncode == 0
    assert "My docs" in (tmp_path / "my-docs/dist/index.html").read_text()


def test_a_new_site_takes_its_title_from_any_name_of_its_folder(tmp_path):
    for name, title in {
        "acme_api--docs": "Acme api docs",
        'say "hi": # no': 'Say "hi": # no',
        "été 文档": "Été 文档",
        "odd\u001b[31m": "My documentation",
    }.items():
        assert twinpress("new", name, cwd=tmp_path).returncode == 0
        done = twinpress("build", "--strict", cwd=tmp_path / name)
        assert done.returncode == 0, done.stdout
        assert title.replace('"', "&#34;") in (tmp_path / name / "dist/index.html").read_text()


def test_the_current_folder_may_become_a_site(tmp_path):
    (tmp_path / ".git").mkdir()
    made = twinpress("new", ".", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "cd " not in made.stdout
    assert "pages in the current folder.\n" in made.stdout
    assert (tmp_path / ".gitignore").read_text() == "/dist/\n/.twinpress/\n"


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path):
    write_site(tmp_path, {"taken/thesis.txt": "mine"})
    made = twinpress("new", "taken", cwd=tmp_path)
    assert made.returncode == 2
    assert "not empty" in made.stderr
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["thesis.txt"]


def test_a_file_in_the_way_is_explained(tmp_path):
    write_site(tmp_path, {"taken": "a file"})
    made = twinpress("new", "taken", cwd=tmp_path)
    assert made.returncode == 2
    assert "Traceback" not in made.stderr


def test_a_folder_that_cannot_be_made_is_explained(tmp_path):
    made = twinpress("new", "/proc/nowhere/docs", cwd=tmp_path)
    assert made.returncode == 2
    assert made.stderr.startswith("error: ")
    assert "Traceback" not in made.stderr
