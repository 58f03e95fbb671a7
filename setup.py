"""The wheel carries the machine code of the kernels (`tools/machine_code`) where that can be made; else it is one without."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

PACKAGE = "modia3d_kernels"


class BuildWithMachineCode(build_py):
    def run(self) -> None:
        super().run()
        folder = Path(self.build_lib, PACKAGE).resolve()
        shutil.rmtree(folder, ignore_errors=True)  # of the last time
        if self.editable_mode or os.environ.get("MODIA_KERNELS") == "numba":
            return
        command = [sys.executable, "-m", "tools.machine_code.build", str(folder)]
        try:
            done = subprocess.run(command, cwd=Path(__file__).parent, timeout=1800).returncode == 0
        except (OSError, subprocess.TimeoutExpired) as reason:
            done = False
            print(f"no machine code of the kernels: {reason}", file=sys.stderr)
        if done:
            self.distribution.has_ext_modules = lambda: True
        else:
            shutil.rmtree(folder, ignore_errors=True)
            print("The wheel has no machine code: numba will compile the kernels when they are first used.", file=sys.stderr)


class WheelOfThisPlatform(bdist_wheel):
    """For all versions of Python, and for this platform if there is machine code."""

    def run_command(self, command: str) -> None:
        super().run_command(command)
        if command == "build":
            self.root_is_pure = not self.distribution.has_ext_modules()

    def get_tag(self) -> tuple[str, str, str]:
        tag = super().get_tag()
        return tag if self.root_is_pure else ("py3", "none", tag[2])


setup(cmdclass={"build_py": BuildWithMachineCode, "bdist_wheel": WheelOfThisPlatform})
