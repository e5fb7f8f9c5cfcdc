"""`python -m dashboard.cli`: the command without its installed script."""

from dashboard.cli import main

if __name__ == "__main__":
    main(prog_name="faultlens")
