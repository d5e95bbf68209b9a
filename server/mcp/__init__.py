"""The Model Context Protocol, by hand: agents call tools that read a built site, or that write to one."""
