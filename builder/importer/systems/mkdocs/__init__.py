"""Sites of MkDocs, with Material and the extensions that come with it."""
