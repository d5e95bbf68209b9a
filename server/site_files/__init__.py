"""Files of a finished site over HTTP: which one answers at an address, its type, and the form preferred."""
