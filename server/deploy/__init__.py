"""Files for operators: units of systemd, a Caddyfile, a Containerfile; nothing is imported from here."""
