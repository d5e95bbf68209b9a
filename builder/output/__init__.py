"""Put a build's results in their places: the sinks that take the bytes.

Only this package writes results. A sink is told each file once, between `begin` and `finish`.
"""

from builder.output.folder import FolderOutput
from builder.output.sinks import MemoryOutput, NullOutput, Output
from builder.output.writer import PageWriter
from builder.output.written_files import Left

__all__ = [
    "FolderOutput",
    "Left",
    "MemoryOutput",
    "NullOutput",
    "Output",
    "PageWriter",
]
