"""Have msgspec look at the fields of structs that several threads read, before they do.

It does so where a struct is read first, and notes the struct before it knows what its fields are. A second
thread that reads one meanwhile finds nothing there, and the process ends with a segmentation fault. Structs
of a decoder that is made when its module is loaded, and bodies of the APIs, which the OpenAPI document
describes, are ready anyway.
"""

from __future__ import annotations

import msgspec


def look_at_fields(kind: type[msgspec.Struct]) -> None:
    """From now on `kind` may be read in any thread."""
    msgspec.json.Decoder(kind)
