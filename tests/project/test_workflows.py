"""GitHub can read the workflows and forms of this repository, and they do what the documentation says."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
FORMS = GITHUB / "ISSUE_TEMPLATE"
KINDS = {
    "vendor.github-workflows": sorted((GITHUB / "workflows").iterdir()),
    "vendor.github-issue-forms": [each for each in sorted(FORMS.iterdir()) if each.name != "config.yml"],
    "vendor.github-issue-config": [FORMS / "config.yml"],
    "vendor.dependabot": [GITHUB / "dependabot.yml"],
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSIONS = [
    each.rpartition(" ")[2]
    for each in PROJECT["classifiers"]
    if each.startswith("Programming Language :: Python :: 3.")
]


def _jobs(name: str) -> dict[str, Any]:
    workflow = yaml.safe_load((GITHUB / "workflows" / name).read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    jobs = workflow["jobs"]
    assert isinstance(jobs, dict)
    return jobs


def _steps(job: dict[str, Any]) -> str:
    return "\n".join(each.get("run", each.get("uses", "")) for each in job["steps"])


@pytest.mark.parametrize("schema", KINDS)
def test_a_file_for_github_follows_its_schema(schema: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *KINDS[schema]]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout


def test_ci_runs_its_script_on_every_python_that_the_package_names() -> None:
    jobs = _jobs("ci.yml")
    assert jobs["ubuntu"]["strategy"]["matrix"]["python"] == VERSIONS
    assert all(".ci/run" in _steps(job) for name, job in jobs.items() if name != "slow")


def test_ci_runs_the_slow_tests_each_week() -> None:
    job = _jobs("ci.yml")["slow"]
    assert "make slow" in _steps(job)
    assert "github.event_name == 'schedule'" in job["if"]


def test_a_release_is_tried_on_every_python_before_it_is_published() -> None:
    jobs = _jobs("release.yml")
    assert jobs["try"]["strategy"]["matrix"]["python"] == VERSIONS
    assert jobs["publish"]["needs"] == ["build", "try"]


def test_only_the_job_that_publishes_may_ask_for_a_token_and_it_runs_no_code_of_the_repository() -> None:
    jobs = _jobs("release.yml")
    assert [name for name, job in jobs.items() if "permissions" in job] == ["publish"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert not any("run" in step or "checkout" in step["uses"] for step in jobs["publish"]["steps"])


def test_every_job_ends_by_itself() -> None:
    jobs = [job for name in ("ci.yml", "release.yml") for job in _jobs(name).values()]
    slow = _jobs("ci.yml")["slow"]
    assert all(job["timeout-minutes"] <= (180 if job == slow else 60) for job in jobs)


def test_the_hook_before_a_commit_is_make_check() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert [hook["entry"] for repo in config["repos"] for hook in repo["hooks"]] == ["make check"]
