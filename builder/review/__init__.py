"""One page against the whole site, without a build: for those who write pages one by one."""

from builder.review.inbound_links import Inbound
from builder.review.review import Review

__all__ = ["Inbound", "Review"]
