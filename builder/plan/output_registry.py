"""The places of a build: each output path belongs to one source, compared without case."""

from __future__ import annotations

from collections.abc import Iterable

from builder.diagnostics import Diagnostic


class Registry:
    """Every output path of a build, compared without case: two sources for one place is an error."""

    def __init__(self) -> None:
        self._sources: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        self._paths: set[str] = set()
        self._reserved: set[str] = set()

    def reserve(self, folder: str) -> None:
        """Keep a folder at the top, and all in it, for what the build itself makes."""
        self._reserved.add(folder.casefold())

    def claim(self, path: str, source: str) -> Diagnostic | None:
        """Take `path` for `source` (a file of the site, or words for what is generated).

        Gives a `path-conflict` that names both when it is taken, also as a folder, and claims nothing.
        """
        key = path.casefold()
        folder = key.rpartition("/")[0]
        if folder in self._folders and key not in self._sources and key not in self._folders:
            self._sources[key] = source  # most files lie in a folder that has others
            self._paths.add(path)
            return None
        if key.partition("/")[0] in self._reserved:
            return reserved(path, source)
        taken = self._sources.get(key) or self._folders.get(key)
        if taken is None and folder and folder not in self._folders:
            taken = next((self._sources[above] for above in _above(key) if above in self._sources), None)
        if taken is not None:
            return _conflict(path, source, taken)
        self._sources[key] = source
        self._paths.add(path)
        # Where one folder is known, those above it are, too.
        while folder and folder not in self._folders:
            self._folders[folder] = source
            folder = folder.rpartition("/")[0]
        return None

    def claim_all(self, outputs: Iterable[str], source: str, found: list[Diagnostic]) -> bool:
        """Claim all of a source's places, or say why not and leave it out."""
        for path in outputs:
            conflict = self.claim(path, source)
            if conflict is not None:
                found.append(conflict)
                return False
        return True

    def taken(self, path: str, source: str) -> Diagnostic | None:
        """The `path-conflict` of `source` with the file at the very `path`, None when there is none."""
        return _conflict(path, source, self._sources[path.casefold()]) if path in self._paths else None

    def has_in_other_case(self, path: str) -> bool:
        """Return whether there is a file whose path is another one, but for systems that know no case."""
        return path.casefold() in self._sources and path not in self._paths

    @property
    def paths(self) -> frozenset[str]:
        """Every output path that was claimed, as it was claimed."""
        return frozenset(self._paths)


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts))]


def _conflict(path: str, source: str, taken: str) -> Diagnostic:
    return Diagnostic(
        source,
        0,
        0,
        "path-conflict",
        f"{_named(source)} and {_named(taken)} would both be written to `{path}`",
        "rename or delete one of them",
    )


def reserved(path: str, source: str) -> Diagnostic:
    """Return the `path-conflict` of a source that would lie where the build itself writes."""
    folder = path.partition("/")[0]
    message = (
        f"{_named(source)} would be written to `{path}`, but `{folder}` is for files that the build makes"
    )
    return Diagnostic(source, 0, 0, "path-conflict", message, "choose another name")


def _named(source: str) -> str:
    """A file as a file, words as they are."""
    is_words = " " in source and "." not in source.rpartition(" ")[2]
    return source if is_words or source.startswith("the redirect from /") else f"`{source}`"
