"""A build: a site's sources in, every file of the finished site out."""

from builder.build.run import Options, Progress, Result, build

__all__ = ["Options", "Progress", "Result", "build"]
