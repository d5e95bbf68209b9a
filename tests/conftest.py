"""What holds for all tests: in CI, property tests take the same examples every time.

A landing must not fail by chance on a change that has nothing to do with it; on developers' machines the
examples are new at every run, and what they find becomes a case.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("developer", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "developer")
