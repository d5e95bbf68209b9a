"""The files of sites that the service keeps: where they begin, what comes in, and what goes out."""
