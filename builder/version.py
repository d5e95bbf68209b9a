"""The installed version, as the generator tag and `twinpress --version` tell it."""

from importlib.metadata import version

VERSION = version("twinpress")
