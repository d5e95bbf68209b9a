"""What the commands do; each function takes a command's parameters and returns its exit code."""
