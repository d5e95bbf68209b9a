"""An example."""


# region main
def main() -> None:
    print("moored")


# endregion
