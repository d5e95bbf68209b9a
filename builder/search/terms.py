"""Words as the index has them. `themes/default/search/terms.js` does the same to what readers type.

Configuring               configur       endings of English are cut, when three letters remain
Café                      caf            case and diacritics are folded
--dry_run                 --dry_run, dry, run
createSlice               createslic, creat, slic
検索する                   検索, 索す, する
/pages/ai/page            /pages/ai/page, /ai/page, pag, ai, pag
$HOME/bin:$PATH           $home/bin:$path, $home, $path, hom, bin, path
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from builder.lazy_regex import lazy
from builder.unicode import normal

LONGEST = 40
"""Characters of a term; what is longer (a hash, a key) nobody types."""
LONGEST_WHOLE = 200
"""Characters of a title that is a term: the field of the search takes no more."""

_OF_SYMBOLS = frozenset("-./:_@#$%+~")
"""A symbol's own characters, beside letters, marks and numbers."""
_KEPT = frozenset(char for char in map(chr, range(128)) if char.isalnum()) | _OF_SYMBOLS
_BREAKS = bytes(code if chr(code) in _KEPT else ord(" ") for code in range(256))
"""Spaces for what stands between words and symbols in ASCII: bytes are translated in half of the time."""
_WORD_BREAKS = bytes(code if chr(code) in _KEPT - _OF_SYMBOLS else ord(" ") for code in range(256))
"""Spaces for symbols, too."""
_PARTS = dict.fromkeys(map(ord, _OF_SYMBOLS), " ")
_BEFORE, _AFTER = ":+~%", "-./:@%~"
"""What a symbol does not begin and does not end with."""
_MARKS = lazy("[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f]")
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "ς": "σ"})
_CJK = lazy("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_HUMP = lazy(r"(?<=[a-z0-9])(?=[A-Z])")
_VARIABLE = lazy(r"\$\w+")
_NAME = lazy(r"[^\W_][-_][^\W_]")
_ENDING = lazy(r"([a-z]*?[aeiouy][a-z]*?)(?<=[a-z]{3})(ings?|ies|e[sd]?|s)")
_LAST = frozenset("sedg")
_DOUBLING = frozenset({"ing", "ings", "ed"})
_DOUBLE = lazy(r"([b-df-hjkmnp-rtvwxz])\1$")


def terms(text: str) -> Counter[str]:
    """Every term of a text, with how often it stands there."""
    return Counter(_each(text))


def distinct(text: str) -> set[str]:
    """Every term of a text."""
    return set(_each(text))


def _each(text: str) -> Iterator[str]:
    return chain.from_iterable(map(KNOWN.__getitem__, _pieces(text)))


class _Known(dict[str, tuple[str, ...]]):
    """The terms of each word or symbol, kept because most come again; it starts anew when it is full."""

    MOST = 20_000

    def __missing__(self, piece: str) -> tuple[str, ...]:
        """Find out the terms of what was not met before."""
        found = _of_word(piece) if piece.isalpha() else _of_symbol(piece)
        if len(self) >= self.MOST:
            self.clear()
        if len(piece) <= LONGEST:
            self[piece] = found
        return found


KNOWN = _Known()
"""What this process has found out."""


def parted(text: str) -> str:
    """A title with the parts of its names beside them: `CardGrid` is also looked for as "card grid"."""
    return f"{text} {_HUMP.sub(' ', text)}" if _HUMP.search(text) else text


def whole(text: str) -> str:
    """All words of a text as one term, a mark before each that no other has: "Base path" is `!base!path`.

    All of them stand together, before the other terms, so that a few files have what begins with a letter.
    """
    folded = fold(text[:LONGEST_WHOLE])
    words = "".join(char if char not in _OF_SYMBOLS and _belongs(char) else " " for char in folded).split()
    return "".join(f"!{word}" for word in words)


def within_names(text: str) -> set[str]:
    """The terms that a text has only as parts of names: `config-invalid` is hardly the place for "config"."""
    pieces = _pieces(text)
    names = {piece for piece in pieces if _NAME.search(piece)}
    if not names:
        return names
    parts = {term for name in names for term in KNOWN[name][1:]}
    return parts - distinct(" ".join(piece for piece in pieces if piece not in names))


def words(text: str) -> frozenset[str]:
    """The words of a text with their endings, without symbols: what a misspelt word is compared with."""
    if text.isascii():
        parts = _split(text.lower(), _WORD_BREAKS)
        return frozenset(part for part in parts if 2 < len(part) <= LONGEST)
    every = (part for piece in _pieces(text) for part in piece.translate(_PARTS).split())
    return frozenset(fold(part) for part in every if 2 < len(part) <= LONGEST)


def fold(text: str) -> str:
    """Text without case and diacritics."""
    if text.isascii():
        return text.lower()
    bare = _MARKS.sub("", normal("NFKD", text))
    return normal("NFKC", bare).lower().translate(_LETTERS)


def stem(word: str) -> str:
    """An English word without its ending, when three letters remain."""
    if word[-1:] not in _LAST or word.endswith("ss"):
        return word
    found = _ENDING.fullmatch(word)
    if found is None:
        return word
    if found[2] == "ies":
        return f"{found[1]}y"
    return _DOUBLE.sub(r"\1", found[1]) if found[2] in _DOUBLING else found[1]


def characters_of(text: str) -> str:
    """Return a text of the same length, with spaces for what stands between words and symbols."""
    if text.isascii():
        return text.encode("ascii").translate(_BREAKS).decode("ascii")
    return text.translate(_SPACES)


class _Spaces(dict[int, str]):
    """Each character as it is, or a space for one that belongs to no word; of the usual ones it is kept."""

    USUAL = 0x3000

    def __missing__(self, code: int) -> str:
        """Look a character up that was not met before."""
        found = char if _belongs(char := chr(code)) else " "
        if code < self.USUAL:
            self[code] = found
        return found


_SPACES = _Spaces()


def _pieces(text: str) -> list[str]:
    """The words and symbols of a text, in any order."""
    if text.isascii():
        return _split(text)
    every = text.split()
    found = _split(" ".join(filter(str.isascii, every)))
    for word in every:
        if not word.isascii():
            whole = normal("NFKC", word)
            found += "".join(char if _belongs(char) else " " for char in whole).split()
    return found


def _split(text: str, breaks: bytes = _BREAKS) -> list[str]:
    return text.encode("ascii").translate(breaks).decode("ascii").split()


def _belongs(char: str) -> bool:
    return char in _OF_SYMBOLS or unicodedata.category(char)[0] in "LMN"


def _of_symbol(piece: str) -> tuple[str, ...]:
    symbol = piece.lstrip(_BEFORE).rstrip(_AFTER)
    words = symbol.translate(_PARTS).split()
    found = tuple(term for word in words for term in _of_word(word))
    if not words or symbol == words[0] or len(symbol) > LONGEST:
        return found
    if "$" in symbol:
        found = (*map(fold, set(_VARIABLE.findall(symbol)) - {symbol}), *found)
    if symbol.count("/") < 2:
        return (fold(symbol), *found)
    _, last, end = symbol.rsplit("/", 2)
    tail = f"/{last}/{end}"
    return (fold(symbol), *(() if tail == symbol else (fold(tail),)), *found)


def _of_word(word: str) -> tuple[str, ...]:
    folded = fold(word)
    if word == folded and word.isascii():
        return _term(word)
    if runs := _CJK.findall(folded):
        pairs = (run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1)))
        return (*pairs, *(term for plain in _CJK.split(folded) for term in _term(plain)))
    humps = _HUMP.split(word) if word[0].islower() else ()
    if len(humps) < 2:
        return _term(folded)
    return (*_term(folded), *(stem(hump.lower()) for hump in humps if len(hump) > 1))


def _term(plain: str) -> tuple[str, ...]:
    """A word of one script as a term, unless it says nothing or is longer than anybody types."""
    return (stem(plain),) if (len(plain) > 1 or plain.isdigit()) and len(plain) <= LONGEST else ()


_STOP = (
    "a an and are as at be by can do for from has have how i if in into is it its of on or so that the then "
    "this to was what when where which will with you your"
)
STOP = frozenset(map(stem, _STOP.split()))
"""Terms of English that say nothing about what is looked for."""
