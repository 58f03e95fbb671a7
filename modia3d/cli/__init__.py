"""The command line: arguments (`main`), what they do (`commands`), the files that a run writes (`outputs`), tables."""
