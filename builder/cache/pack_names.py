"""The packs in which pages travel: some 64 pages each, by folder, so that few requests are made.

Which pack a page is in depends on its path and on the size of the site alone: who reads a pack and who wrote
it need agree on nothing else, and an edit, a new page or a renamed one touches one pack or two.

The packs of trusted builds are below one prefix, and those of each other branch or pull request below one of
their own.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping

PAGES = 64
"""Pages of a pack, about."""
TRUSTED = "trusted"
_UNTRUSTED = "untrusted"
_UNNAMED = re.compile(r"[^A-Za-z0-9_-]+")


def pack_names(paths: Iterable[str]) -> Mapping[str, str]:
    """Return the name of the pack of each page, by content path; `paths` are those of all pages of a site.

    The number of packs is a power of two, so that it seldom changes. Pages of one folder are together, but
    for those of a folder that is too large.
    """
    every = sorted(paths)
    packs = 1 << max(0, (-(-len(every) // PAGES) - 1).bit_length())
    sizes = Counter(_folder(path) for path in every)
    return {path: _name(path if sizes[_folder(path)] > PAGES else _folder(path), packs) for path in every}


def untrusted(scope: str) -> str:
    """Return the prefix of builds without the secret of one scope: no other scope has the same one.

    Not even on a store that takes `A` and `a` for the same.
    """
    if not scope:
        return f"{_UNTRUSTED}/unnamed"
    return f"{_UNTRUSTED}/{_UNNAMED.sub('-', scope).strip('-')[:60]}.{_digest(scope).hex()}"


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _name(text: str, packs: int) -> str:
    return f"{packs}-{int.from_bytes(_digest(text), 'big') % packs}"


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
