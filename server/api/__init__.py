"""The frame of the HTTP APIs: the form of answers, the order of checks, the document that describes them."""
