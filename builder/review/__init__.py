"""One page against the whole site, without a build: for those who write pages one by one."""

from builder.review.review import Inbound, Review

__all__ = ["Inbound", "Review"]
