"""``python -m modia3d`` is the command ``modia3d``."""

import sys

from modia3d.cli.main import main

sys.exit(main())
