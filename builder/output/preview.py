"""What the preview shows of one build; what is as it was is taken over from the build before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from threading import Lock

from builder.output.sinks import Files, MemoryOutput


class Places(Collection[str]):
    """All output paths of a build, as they are just now."""

    def __init__(self, *groups: Collection[str]) -> None:
        self._groups = groups

    def __contains__(self, path: object) -> bool:
        """Whether there is something at an output path."""
        return any(path in group for group in self._groups)

    def __iter__(self) -> Iterator[str]:
        """Each path once."""
        return iter(dict.fromkeys(path for group in self._groups for path in list(group)))

    def __len__(self) -> int:
        """How many there are; a path may count twice."""
        return sum(map(len, self._groups))


class Later:
    """Files that are made when the first of them is asked for; by one thread, once."""

    def __init__(self, make: Callable[[], Files]) -> None:
        self._make = make
        self._lock = Lock()
        self._files: dict[str, bytes] | None = None

    def files(self) -> dict[str, bytes]:
        """The files by output path."""
        with self._lock:
            if self._files is None:
                self._files = dict(self._make())
                self._make = lambda: ()
            return self._files


class PreviewOutput(MemoryOutput):
    """`last` is the output of the build before, if any; it is let go when this one is finished."""

    def __init__(self, last: PreviewOutput | None = None) -> None:
        super().__init__()
        self._last = last
        self._keys: dict[str, bytes] = {}
        self._later: dict[str, Later] = {}

    def write(self, path: str, data: bytes, key: bytes = b"") -> None:
        """Keep the bytes."""
        super().write(path, data, key)
        self._keys[path] = key

    def later(self, path: str, make: Callable[[], Files], key: bytes = b"") -> int:
        """Make these files when the one at `path` is asked for."""
        self._later[path] = Later(make)
        self._keys[path] = key
        return 1

    def has(self, path: str, key: bytes) -> bool:
        """Whether the build before made the same; then it is this one's too."""
        last = self._last
        if last is None or not key or last._keys.get(path) != key:
            return False
        self._keys[path] = key
        if path in last._later:
            self._later[path] = last._later[path]
        else:
            self.written[path] = last.written[path]
        return True

    def under(self, key: bytes) -> list[str]:
        """The paths of all that the build before gave with this key."""
        return [path for path, each in self._last._keys.items() if each == key] if self._last else []

    def finish(self) -> None:
        """Let the build before go."""
        self._last = None

    def get(self, path: str) -> bytes | None:
        """The bytes at this output path, or None; those that wait to be made are made now."""
        waiting = self._later.get(path)
        if waiting is not None and path not in self.written:
            self.written.update(waiting.files())
        return self.written.get(path)

    @property
    def places(self) -> Places:
        """All output paths."""
        return Places(self.written, self.copied, self._later)
