"""Published sites for their readers, in the service or in a process that needs neither database nor dashboard."""
