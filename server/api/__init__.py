"""What the HTTP APIs share: the form of answers, the order of checks, the document that describes them."""
