"""Sites of Starlight."""
