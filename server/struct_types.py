"""Prepare the types of structs that several threads read, before the first of them does.

msgspec finds out the types of a struct's fields where the struct is read first, and notes the struct before
it knows them. A second thread that reads one meanwhile finds nothing there, and the process ends with a
segmentation fault. Structs of a decoder that is made when its module is loaded, and bodies of the APIs, which
the OpenAPI document describes, are prepared anyway.
"""

from __future__ import annotations

import msgspec


def prepare(kind: type[msgspec.Struct]) -> None:
    """Find out the types of the fields of `kind`: from now on any thread may read one."""
    msgspec.json.Decoder(kind)
