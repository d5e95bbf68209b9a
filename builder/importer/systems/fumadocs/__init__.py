"""Sites of Fumadocs."""
