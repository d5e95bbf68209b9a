"""What any server here is made of: connections, headers, signals. Knows no site and no API of its own."""
