"""`twinpress publish`, `pull` and `push`: a site and other places.

The work is in `server/static_targets` and `server/sync`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from server.cli import loading
from server.cli.commands import shared_options

Command = TypeVar("Command", bound=Callable[..., Any])
_RUN = "server.cli.actions.push_pull:run"
_SUFFIXES = (".llms.md", ".mdx", ".md", "/_category_.yml", "/_category_.yaml", "/_category_.json")


def _content_paths(_context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]) -> Any:
    """Content paths, as which files count too: a shell completes those."""
    return tuple(_content_path(each) for each in given)


def _content_path(given: str) -> str:
    path = given.removeprefix("./").rstrip("/") or "."
    suffix = next((suffix for suffix in _SUFFIXES if path.endswith(suffix)), "")
    return path.removesuffix(suffix)


def _options(command: Command) -> Command:
    """The options that both commands have, in the order of their help."""
    for option in reversed(_SHARED):
        command = option(command)
    return command


_SHARED = (
    click.option(
        "--key-file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help="A file with the key.  [default: the environment variable TWINPRESS_KEY]",
    ),
    click.option(
        "--base",
        "commit",
        default="",
        metavar="GITREF",
        help="Compare with the pages of this commit, instead of with .twinpress-sync.json.",
    ),
    click.option(
        "--ours",
        multiple=True,
        callback=_content_paths,
        metavar="PATH",
        help="Settle conflicts at PATH (a page, a folder, or . for all) for the folder's side.",
    ),
    click.option(
        "--theirs",
        multiple=True,
        callback=_content_paths,
        metavar="PATH",
        help="Settle conflicts at PATH for the service's side.",
    ),
    click.option("--prune", is_flag=True, help="Delete pages on one side that were deleted on the other."),
    click.option("-n", "--dry-run", is_flag=True, help="Show what would be done, and change nothing."),
    click.option("--insecure", is_flag=True, help="Send the key over plain http to another machine."),
    click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="For people, or as one JSON object on standard output.",
    ),
)


@click.command()
@shared_options.site
@click.option(
    "--from",
    "address",
    metavar="ADDRESS",
    callback=shared_options.address,
    help="The service, such as https://docs.example.com.  [default: that of the last time]",
)
@_options
def pull(**parameters: Any) -> int:
    """Bring pages and categories from a service into a folder.

    Only what was changed on the service alone is written; a page that was changed on both sides is a
    conflict: both sides are shown, and neither is touched. What the pull replaces is in `twinpress history`.

    \b
    Exit codes: 0 done, 1 conflicts or refused pages are left, 2 it could not be done.

    \b
    Examples:
      export TWINPRESS_KEY=svc_docs_...
      twinpress pull --from https://docs.example.com
      twinpress pull --dry-run
      twinpress pull --theirs docs/guide/install
    """
    return loading.run(_RUN, {"direction": "pull", **parameters})


@click.command()
@shared_options.site
@click.option(
    "--to",
    "address",
    metavar="ADDRESS",
    callback=shared_options.address,
    help="The service, such as https://docs.example.com.  [default: that of the last time]",
)
@_options
def push(**parameters: Any) -> int:
    """Send pages and categories from a folder to a service.

    Only what was changed in the folder alone is sent; a page that was changed on both sides is a conflict:
    both sides are shown, and neither is touched. Images and site.yml do not travel; they are listed.

    \b
    Exit codes: 0 done, 1 conflicts or refused pages are left, 2 it could not be done.

    \b
    Examples:
      export TWINPRESS_KEY=svc_docs_...
      twinpress push --to https://docs.example.com
      twinpress push --prune --dry-run
      twinpress push --ours docs/guide/install
    """
    return loading.run(_RUN, {"direction": "push", **parameters})


@click.command()
@shared_options.site
@click.option(
    "--to",
    "target",
    required=True,
    metavar="TARGET",
    help="A folder of releases, or git:REMOTE#BRANCH; REMOTE is a name, a path or an address.",
)
@click.option(
    "--keep",
    type=click.IntRange(1),
    metavar="N",
    help="How many releases stay in a folder.  [default: 10]",
)
@click.option("--list", "listed", is_flag=True, help="List the releases, and publish nothing.")
@click.option(
    "--roll-back",
    "number",
    type=click.IntRange(0),
    is_flag=False,
    flag_value=0,
    metavar="[N]",
    help="Give readers release N, by default the one before theirs, and publish nothing.",
)
@click.option("--allow-vanished", is_flag=True, help="Publish although addresses vanish.")
@click.option("--despite-errors", is_flag=True, help="Publish although the site has errors.")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would be done, and publish nothing.")
@shared_options.plan
@shared_options.strict
@shared_options.form
@shared_options.jobs
@shared_options.executor
@shared_options.no_cache
@shared_options.shared_cache
@shared_options.safe
@shared_options.include_roots
def publish(**parameters: Any) -> int:
    """Build a site, and publish it to a folder or a branch of git.

    In a folder, `current` leads to the release that readers have, and changes at once: let your web server
    serve it. A branch gets one commit a release, and is never pushed to by force.
    Nothing is published when the site has errors, or when addresses would vanish that readers have: each is
    shown with the line that redirects it.

    \b
    Exit codes: 0 published, or nothing to publish; 1 errors or vanished addresses; 2 it could not be done.

    \b
    Examples:
      twinpress publish --to /srv/docs
      twinpress publish my-docs --to git:origin#gh-pages
      twinpress publish --to /srv/docs --list
      twinpress publish --to /srv/docs --roll-back
    """
    return loading.run("server.cli.actions.publish_site:run", parameters)
