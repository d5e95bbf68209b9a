"""Makers of pages of any size. Each gives a function from a number of bytes to a page of at most so many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

Kind = Callable[[int], str]
Kinds = Mapping[str, Kind]


def filled(part: str, before: str = "", after: str = "") -> Kind:
    """The part again and again, between a beginning and an end."""

    def make(size: int) -> str:
        left = size - len(before.encode()) - len(after.encode())
        return f"{before}{part * (left // len(part.encode()))}{after}"

    return make


def numbered(part: str, before: str = "", after: str = "") -> Kind:
    """As `filled`; each `%d` in the part is a number, another one in each."""
    return counted(lambda number: part.replace("%d", f"{number:06}"), before, after)


def counted(part: Callable[[int], str], before: str = "", after: str = "") -> Kind:
    """Make parts of 0, 1, 2 and so on, between a beginning and an end. The parts are in ASCII."""

    def make(size: int) -> str:
        return f"{before}{''.join(_parts(part, size - len(before) - len(after)))}{after}"

    return make


def nested(opening: str, closing: str = "", before: str = "", after: str = "") -> Kind:
    """Openings up to half of the size, one letter, then as many closings."""

    def make(size: int) -> str:
        half = (size - len(before) - len(after) - 1) // 2 // max(len(opening), len(closing))
        return f"{before}{opening * half}x{closing * half}{after}"

    return make


def table_of_one_row(size: int) -> str:
    """As many columns as there can be."""
    columns = (size - 2) // 4
    return f"{'|a' * columns}\n{'|-' * columns}\n"


def _parts(part: Callable[[int], str], left: int) -> Iterator[str]:
    number = 0
    while (left := left - len(made := part(number))) >= 0:
        yield made
        number += 1
