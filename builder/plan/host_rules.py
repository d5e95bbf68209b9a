"""Redirects as nginx and Caddy read them: a file that their configuration includes.

Apart from `site_files`, as few sites want one: it is loaded for those.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

from builder.plan.patterns import SPLAT, Pattern, is_pattern, read_pattern

_CADDY_QUERY = ("map {query} {tp_query} {tp_more} {", '\t~^(.+)$ "?${1}" "&${1}"', '\tdefault "" ""', "}")
"""The query that came, behind the sign that belongs before it; nothing where none came."""
_NAMES = re.compile(r":([A-Za-z][A-Za-z0-9_]*)")


def host_rules(host: str, rules: Mapping[str, str]) -> str:
    """Return the file of a host; `rules` are old and new addresses with the base path, patterns too."""
    make = _nginx if host == "nginx" else _caddy
    plain = {old: new for old, new in rules.items() if not is_pattern(old)}
    patterns = [read_pattern(old, new) for old, new in rules.items() if is_pattern(old)]
    return "".join(f"{line}\n" for line in make(plain, patterns))


def _nginx(rules: Mapping[str, str], patterns: Iterable[Pattern]) -> Iterator[str]:
    yield "# Include this file in the block `server`."
    for old, new in rules.items():
        place = _quoted(unquote(old))
        yield f"location = {place} {{ {_rewrite('^', _plain(new))} }}"
    for number, each in enumerate(patterns):
        place = _quoted(f"^{_expression(each)}$")
        yield f"location ~ {place} {{ try_files $uri $uri.html $uri/index.html @tp_{number}; }}"
        yield f"location @tp_{number} {{ {_rewrite(place, _filled(each, '$'))} }}"


def _rewrite(place: str, target: str) -> str:
    """Return what leads on with the query that came, which nginx itself would put behind a fragment."""
    address, mark, fragment = target.partition("#")
    if not mark:
        return f"rewrite {place} {_quoted(target)} permanent;"
    # A `?` at the end says that nothing is to be added.
    if "?" not in address:
        return f"rewrite {place} {_quoted(f'{address}$is_args$args#{fragment}?')} permanent;"
    without = f'if ($args = "") {{ rewrite {place} {_quoted(f"{target}?")} permanent; }}'
    return f"{without} rewrite {place} {_quoted(f'{address}&$args#{fragment}?')} permanent;"


def _caddy(rules: Mapping[str, str], patterns: Iterable[Pattern]) -> Iterator[str]:
    yield "# Import this file in the site's block, behind `root`."
    yield from _CADDY_QUERY
    for number, (old, new) in enumerate(rules.items()):
        # A matcher of plain paths knows no case, and would lead in a circle from `/old` for `/Old`.
        yield f"@tp_old_{number} path_regexp {_raw(f'^{re.escape(unquote(old))}$')}"
        yield f"redir @tp_old_{number} {_raw(_with_query(_plain(new)))} 301"
    for number, each in enumerate(patterns):
        target = _with_query(_filled(each, f"{{re.tp_{number}.", "}"))
        yield f"@tp_{number} {{"
        yield f"\tpath_regexp tp_{number} {_raw(f'^{_expression(each)}$')}"
        yield "\tnot file {path} {path}.html {path}/index.html"
        yield "}"
        yield f"redir @tp_{number} {_raw(target)} 301"


def _expression(pattern: Pattern) -> str:
    """The old address as a regular expression, which needs no time to go back.

    A backslash and control characters match nothing: browsers read `/\\host` and `/<tab>/host` as
    another host.
    """
    return "".join(map(_segment, pattern.segments))


def _segment(segment: str) -> str:
    if segment == "*":
        return r"/+([^\\\x00-\x1f]*)"
    if segment.startswith(":"):
        return r"/([^/\\\x00-\x1f]+)"
    begin = segment.removesuffix("*")
    return f"/{re.escape(begin)}" + (r"([^\\\x00-\x1f]*)" if segment != begin else "")


def _filled(pattern: Pattern, begin: str, end: str = "") -> str:
    """The target with the numbers of what matched between `begin` and `end`."""
    kept = (each for each in pattern.segments if each[0] == ":" or each[-1] == "*")
    names = [each[1:] if each[0] == ":" else SPLAT for each in kept]
    numbers = {name: f"{begin}{number}{end}" for number, name in enumerate(names, 1)}
    return _NAMES.sub(lambda found: numbers.get(found[1], found[0]), _plain(pattern.target))


def _plain(target: str) -> str:
    """An address in which nothing is a variable of the host."""
    return target.replace("$", "%24").replace("{", "%7B").replace("}", "%7D")


def _with_query(target: str) -> str:
    address, mark, fragment = target.partition("#")
    return f"{address}{{{'tp_more' if '?' in address else 'tp_query'}}}{mark}{fragment}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _raw(text: str) -> str:
    return f"`{text.replace('`', '%60')}`"
