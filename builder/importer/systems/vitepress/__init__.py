"""Sites of VitePress."""
