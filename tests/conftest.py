"""Settings of all tests: in CI hypothesis draws the same examples every time, elsewhere new ones; no example has a deadline."""

import os

from hypothesis import settings

settings.register_profile("tests", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("tests")
