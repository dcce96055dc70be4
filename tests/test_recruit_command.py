"""The command `recruit` at a terminal, from a pipe and from a script: nothing said is lost."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_architecture import BLOCKED

from squadbuilder.cli import main

ALTAR = str(Path(__file__).parents[1] / "data" / "deals" / "altar.yaml")


@pytest.fixture
def state(tmp_path: Path) -> dict[str, str]:
    """An environment whose kept sessions lie in a folder of this test."""
    return {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "LANG": "C.UTF-8"}


def run(
    state: dict[str, str], *arguments: str, text: str = "", program: str = ""
) -> subprocess.CompletedProcess[str]:
    begin = ["-c", program] if program else ["-m", "squadbuilder"]
    return subprocess.run(
        [sys.executable, *begin, "recruit", *arguments],
        input=text,
        capture_output=True,
        text=True,
        env=state,
        check=False,
    )


def test_a_pipe_never_asks_and_goes_on_if_told(state: dict[str, str]) -> None:
    done = run(state, ALTAR, text="take Анволд\n")
    assert done.returncode == 0 and "1. Анволд: 4g" in done.stdout
    done = run(state, ALTAR, "--resume", text="take Орк\n")
    assert done.returncode == 0 and "2. Орк: 5s" in done.stdout
    assert "going on after 1 action" in done.stderr
    found = json.loads(run(state, ALTAR, "--resume", "--json").stdout)
    assert [card["name"] for card in found["cards"]] == ["Анволд", "Орк"]
    done = run(state, ALTAR, text="take Тич [bonus=no]\n")
    assert done.returncode == 0 and "1. Тич" in done.stdout


def test_another_deal_has_nothing_kept(state: dict[str, str], tmp_path: Path) -> None:
    run(state, ALTAR, text="take Анволд\n")
    found = json.loads(run(state, ALTAR, "--player", "second", "--resume", "--json").stdout)
    assert found["cards"] == []
    assert found["notes"] == ["nothing is kept of this deal; it begins anew"]


def test_a_script_leaves_nothing_behind(state: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("# a comment\n\nвзять Орк\nвыход\nnonsense\n", "utf-8")
    assert run(state, ALTAR, "--script", str(script)).returncode == 0
    assert not (tmp_path / "state").exists()


def test_a_bad_line_is_told_with_its_number(state: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("take Орк\ntake Орг\n", "utf-8")
    done = run(state, ALTAR, "--script", str(script))
    assert done.returncode == 2
    assert f"{script}, line 2" in done.stderr or "line 2" in done.stderr
    done = run(state, ALTAR, "--json", text="take Орк\ntke Орк\n")
    error = json.loads(done.stdout)["error"]
    assert done.returncode == 2 and error["code"] == "command_unknown"
    assert (error["where"]["file"], error["where"]["line"]) == ("stdin", 2)
    kept = json.loads(run(state, ALTAR, "--resume", "--json").stdout)
    assert [card["name"] for card in kept["cards"]] == ["Орк"]


def test_refusals_and_usage(state: dict[str, str]) -> None:
    assert run(state, ALTAR, text="take Топи\n").returncode == 1
    assert run(state, ALTAR, "--resume", "--new").returncode == 2
    assert run(state, "-", text="Орк\n").returncode == 2
    assert run(state, ALTAR).returncode == 0


def test_a_folder_that_cannot_be_written_is_told(state: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where a folder should be", "utf-8")
    done = run(state, ALTAR, text="take Орк\ntake Анволд\n")
    assert done.returncode == 0 and done.stderr.count("cannot be kept") == 1


def test_what_was_kept_may_not_fit(state: dict[str, str], tmp_path: Path) -> None:
    run(state, ALTAR, text="take Орк\n")
    (file,) = (tmp_path / "state").rglob("*.txt")
    file.write_text("take Орк\ntake Хлам\n", "utf-8")
    done = run(state, ALTAR, "--resume", text="take Анволд\n")
    assert "does not fit" in done.stderr and "1. Анволд" in done.stdout


def test_saved_orders_are_checked_as_they_were_made(tmp_path: Path) -> None:
    script, order = tmp_path / "script.txt", tmp_path / "order.txt"
    lines = ["take Анволд", "take Вольный [x=3]", "take Ахтар [paid=ordinary]", f"save {order}"]
    script.write_text("\n".join(lines), "utf-8")
    assert main(["recruit", ALTAR, "--script", str(script)]) == 0
    assert main(["recruit", ALTAR, "--script", str(script)]) == 2, "the file is there already"
    assert main(["recruit", ALTAR, "--script", str(script), "--force"]) == 0
    assert main(["check", ALTAR, "--ordered", "--names", str(order)]) == 0


def test_all_but_best_works_without_the_solver(state: dict[str, str]) -> None:
    done = run(state, ALTAR, text="take Орк\nwhy Топи\nundo\nshow\n", program=BLOCKED)
    assert done.returncode == 0
    done = run(state, ALTAR, text="take Орк\nbest\n", program=BLOCKED)
    assert done.returncode == 2 and "OR-Tools" in done.stderr


def test_the_terminal_library_is_only_loaded_at_a_terminal(state: dict[str, str]) -> None:
    program = (
        "import sys; from squadbuilder.cli import main; main(sys.argv[1:]);"
        "sys.exit('prompt_toolkit' in sys.modules)"
    )
    assert run(state, ALTAR, text="take Орк\n", program=program).returncode == 0


class Terminal:
    """The program at a terminal, and what it has shown."""

    def __init__(self, state: dict[str, str], *arguments: str) -> None:
        self.ours, theirs = pty.openpty()
        self.shown = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "squadbuilder", "recruit", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**state, "TERM": "dumb", "COLUMNS": "100"},
            start_new_session=True,
        )
        os.close(theirs)

    def wait_for(self, text: str, seconds: float = 10) -> None:
        end = time.monotonic() + seconds
        while text not in self.shown and time.monotonic() < end:
            if not select.select([self.ours], [], [], 0.2)[0]:
                continue
            try:
                self.shown += os.read(self.ours, 4096).decode("utf-8", "replace")
            except OSError:
                break
        assert text in self.shown, self.shown

    def say(self, text: str) -> None:
        os.write(self.ours, f"{text}\r".encode())


def test_ctrl_c_loses_nothing(state: dict[str, str]) -> None:
    first = Terminal(state, ALTAR)
    first.wait_for("> ")
    first.say("take Орк")
    first.wait_for("1. Орк: 5s")
    first.wait_for("silver\r\n> ")
    time.sleep(1)  # the prompt is shown a moment before it hears keys
    os.write(first.ours, b"\x03")
    first.wait_for("--resume")
    assert first.process.wait(20) == 130
    second = Terminal(state, ALTAR)
    second.wait_for("[y/n]")
    second.say("y")
    second.wait_for("going on after 1 action")
    second.say("tke")
    second.wait_for("unknown command")
    second.say("take Анволд")
    second.wait_for("2. Анволд")
    second.say("quit")
    assert second.process.wait(20) == 0


def test_a_killed_pipe_loses_nothing(state: dict[str, str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "squadbuilder", "recruit", ALTAR],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=state,
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("take Орк\nshow\n".encode())
    process.stdin.flush()
    while "Орк" not in process.stdout.readline().decode().partition("1. ")[2]:
        pass
    while "403.2" not in process.stdout.readline().decode():
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()
    found = json.loads(run(state, ALTAR, "--resume", "--json").stdout)
    assert [card["name"] for card in found["cards"]] == ["Орк"]
