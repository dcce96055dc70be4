"""Run after the tests under coverage: rules, model and solver must be covered to over 95 %."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

GUARDED = (
    *("squad", "limits", "recruit", "before", "plan", "orders", "referee", "session"),
    *("squad_model", "before_model", "model", "ranking", "solve", "listing", "explain"),
    *("placement", "payment", "taking", "battle"),
)
LEAST = 95.0


def main() -> int:
    """Print the coverage of each guarded module, with branches; 1 if one falls short."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        command = [sys.executable, "-m", "coverage", "json", "-q", "-o", str(report)]
        subprocess.run(command, check=True)
        files = json.loads(report.read_text("utf-8"))["files"]
    short = 0
    for name in GUARDED:
        covered = files[f"squadbuilder/{name}.py"]["summary"]["percent_covered"]
        short += covered <= LEAST
        print(f"{name:<10} {covered:6.2f} %{'' if covered > LEAST else '  below the gate'}")
    return int(bool(short))


if __name__ == "__main__":
    sys.exit(main())
