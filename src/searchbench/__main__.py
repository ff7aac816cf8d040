"""The program as ``python -m searchbench``."""

from searchbench.cli import main

if __name__ == "__main__":
    main()
