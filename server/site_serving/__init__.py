"""Published sites for their readers: a process of its own, which needs neither database nor dashboard."""
