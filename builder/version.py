"""The version, as the generator tag and `twinpress --version` tell it.

It stands here, where the package is built from: to ask what is installed takes longer than all else that
`twinpress --version` does.
"""

VERSION = "0.1.0"
