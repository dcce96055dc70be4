"""A wheel installed somewhere else works from any folder, with its data inside."""

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of a fresh venv that holds the wheel; libraries are borrowed from this one."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*build, str(ROOT)], check=True, capture_output=True)
    home = folder / "venv"
    venv.create(home, with_pip=True)
    binaries = home / ("Scripts" if sys.platform == "win32" else "bin")
    wheel = next(folder.glob("*.whl"))
    install = [
        str(binaries / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    here = next(path for path in map(Path, sys.path) if path.name == "site-packages")
    there = next(home.rglob("site-packages"))
    libraries = [line for line in (str(here),) if line]
    (there / "borrowed.pth").write_text("\n".join(libraries), "utf-8")
    return binaries


def test_the_wheel_works_from_any_folder(installed: Path, tmp_path: Path) -> None:
    deal = tmp_path / "deal.txt"
    deal.write_text("Орк\nМираж\nТопи Зенды\n", "utf-8")
    run = subprocess.run(
        [str(installed / "squadbuilder"), "solve", "deal.txt", "--any-size", "--json"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["squads"][0]["values"]["cost"] == 12


def test_the_wheel_brings_its_own_data(installed: Path, tmp_path: Path) -> None:
    where = "import squadbuilder.reading as r; print(r.data_folder())"
    run = subprocess.run(
        [str(installed / "python"), "-c", where],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(run.stdout.strip()).is_relative_to(installed.parent)
