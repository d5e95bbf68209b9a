"""Sites of Mintlify."""
