"""The work of the commands; each function takes a command's parameters and returns its exit code.

Loaded when a command runs: `server/cli/commands` declares names and options alone, so that help is quick.
"""
