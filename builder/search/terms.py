"""Words as the index has them. `themes/default/search/terms.js` does the same to what readers type.

Configuring               configur       endings of English are cut, when three letters remain
Café                      caf            case and diacritics are folded
--dry_run                 --dry_run, dry, run
createSlice               createslic, creat, slic
検索する                   検索, 索す, する
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

LONGEST = 40
"""Characters of a term; what is longer (a hash, a key) nobody types."""

_ASCII_BREAKS = re.compile(r"[^a-zA-Z0-9\-./:_@#$%+~]+")
"""What stands between words and symbols. A symbol's own characters are those that are named here."""
_OF_SYMBOLS = frozenset("-./:_@#$%+~")
_SYMBOL = re.compile(r"[-./:_@#$%+~]+")
_BEFORE = re.compile(r"^[:+~%]+")
_AFTER = re.compile(r"[-./:@%~]+$")
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f]")
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "ς": "σ"})
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ENDING = re.compile(r"([a-z]*?[aeiouy][a-z]*?)(?<=[a-z]{3})(?:ings?|ies|e[sd]?|s)")
_DOUBLE = re.compile(r"([b-df-hjkmnp-rtvwxz])\1$")

_known: dict[str, tuple[str, ...]] = {}
_MOST_KNOWN = 50_000


def terms(text: str) -> Counter[str]:
    """Every term of a text, with how often it stands there."""
    found: Counter[str] = Counter()
    for word, times in Counter(text.split()).items():
        known = _known.get(word)
        for term in _learn(word) if known is None else known:
            found[term] += times
    return found


def _learn(word: str) -> tuple[str, ...]:
    found = tuple(_of_word(word))
    if len(word) <= LONGEST:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[word] = found
    return found


def words(text: str) -> frozenset[str]:
    """The words of a text with their endings, without symbols: what a misspelt word is compared with."""
    parts = (part for word in text.split() for piece in _pieces(word) for part in _SYMBOL.split(piece))
    return frozenset(fold(part) for part in parts if 2 < len(part) <= LONGEST)


def fold(text: str) -> str:
    """Text without case and diacritics."""
    if text.isascii():
        return text.lower()
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", bare).lower().translate(_LETTERS)


def stem(word: str) -> str:
    """An English word without its ending, when three letters remain."""
    if word.endswith("ss"):
        return word
    found = _ENDING.fullmatch(word)
    if found is None:
        return word
    if word.endswith("ies"):
        return f"{found[1]}y"
    return _DOUBLE.sub(r"\1", found[1]) if word.endswith(("ing", "ings", "ed")) else found[1]


def _of_word(word: str) -> Iterator[str]:
    for piece in _pieces(word):
        symbol = _AFTER.sub("", _BEFORE.sub("", piece))
        parts = [part for part in _SYMBOL.split(symbol) if part]
        if not parts:
            continue
        folded = fold(symbol)
        if folded != fold(parts[0]) and len(folded) <= LONGEST:
            yield folded
        for part in parts:
            yield from _of_part(part)


def _pieces(word: str) -> list[str]:
    if word.isascii():
        return _ASCII_BREAKS.split(word)
    whole = unicodedata.normalize("NFKC", word)
    return "".join(char if _belongs(char) else " " for char in whole).split()


def _belongs(char: str) -> bool:
    return char in _OF_SYMBOLS or unicodedata.category(char)[0] in "LMN"


def _of_part(part: str) -> Iterator[str]:
    folded = fold(part)
    runs = _CJK.findall(folded)
    for run in runs:
        yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
    for plain in _CJK.split(folded) if runs else (folded,):
        if plain and (len(plain) > 1 or plain.isdigit()) and len(plain) <= LONGEST:
            yield stem(plain)
    humps = _HUMP.split(part) if part[:1].islower() else ()
    if len(humps) > 1:
        yield from (stem(hump.lower()) for hump in humps if len(hump) > 1)


_STOP = (
    "a an and are as at be by can do for from has have how i if in into is it its of on or so that the then "
    "this to was what when where which will with you your"
)
STOP = frozenset(map(stem, _STOP.split()))
"""Terms of English that say nothing about what is looked for."""
