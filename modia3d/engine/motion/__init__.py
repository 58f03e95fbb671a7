"""A forest at one moment (`configuration`), and over the time of a result (`motion`)."""
