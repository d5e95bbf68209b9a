"""A build: a site's sources in, every file of the finished site out."""

from builder.build.options import Options
from builder.build.processors import COLLECT
from builder.build.run import Progress, Result, build

__all__ = ["COLLECT", "Options", "Progress", "Result", "build"]
