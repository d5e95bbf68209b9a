"""Plans for addresses that change: redirects, and pages and folders that move. Values in, values out."""
