"""`python -m crossfair`: the command line."""

from crossfair.cli import main

if __name__ == "__main__":
    main()
