"""Work on a cluster: a scheduler and workers on this machine, some of which are killed meanwhile."""

import json
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from test_evaluate import FARRO
from test_schema import validate

from squadbuilder.cards import catalogue
from squadbuilder.cli import main
from squadbuilder.formats import read_deck
from squadbuilder.pages import DealProgress

pytest.importorskip("distributed")

START = "from distributed.cli.{0} import main; main()"


@dataclass
class Cluster:
    """A scheduler with workers, as processes of this machine."""

    folder: Path
    scheduler: "subprocess.Popen[bytes]" = field(init=False)
    workers: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scheduler = self._start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")

    def _start(self, program: str, *more: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-c", START.format(program), "--no-dashboard", *more]
        command += ["--scheduler-file", str(self.folder / "scheduler.json")]
        with (self.folder / f"{program}.log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)

    def hire(self) -> None:
        """One worker more."""
        alone = ("--no-nanny", "--nthreads", "1", "--host", "127.0.0.1")
        self.workers.append(self._start("dask_worker", *alone))

    @property
    def address(self) -> str:
        """Where the scheduler answers, once it does."""
        file = self.folder / "scheduler.json"
        for _ in range(200):
            if file.exists() and (text := file.read_text("utf-8")).endswith("}"):
                return str(json.loads(text)["address"])
            time.sleep(0.1)
        raise AssertionError("the scheduler did not start")

    def wait(self) -> None:
        """Until all workers are there."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), timeout=30)

    def end(self) -> None:
        """Leave no process behind."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler and two workers."""
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        assert found.address
        found.hire()
        found.hire()
        yield found
    finally:
        found.end()


def told(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[int, Any, str]:
    code = main([*arguments, "--json", "--lang", "en"])
    out, err = capfdbinary.readouterr()
    assert out, (code, err.decode("utf-8"))
    document = json.loads(out.decode("utf-8"))
    validate("error" if "error" in document else arguments[0], document)
    return code, document, err.decode("utf-8")


def kill_after(monkeypatch: pytest.MonkeyPatch, process: "subprocess.Popen[bytes]") -> list[int]:
    """Kill a process once a tenth of the work is done; how much was done then."""
    then: list[int] = []
    count = DealProgress.__call__

    def watch(self: DealProgress, settled: int) -> None:
        count(self, settled)
        if not then and self.total is not None and self.found > self.total / 10:
            then.append(self.found)
            process.kill()
            process.wait()

    monkeypatch.setattr(DealProgress, "__call__", watch)
    return then


RUNS = {
    "evaluate": ["evaluate", "searched.txt", "--deals", "20", "--seed", "3", "--player", "first"],
    "tune": ["tune", str(FARRO), "--pool", "pool.txt", "--seed", "3", "--budget", "40000"],
}


@pytest.mark.parametrize("command", RUNS)
def test_a_killed_worker_loses_nothing(
    cluster: Cluster,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    command: str,
) -> None:
    """One of two workers is killed mid-run; the figures are those of one process.

    Half of the deals evaluated take the model, the others the engine.
    """
    monkeypatch.chdir(tmp_path)
    Path("pool.txt").write_text("Белегос\nСкелет\n", "utf-8")
    names = [c.name for c in read_deck(str(FARRO), catalogue())]
    Path("searched.txt").write_text("\n".join(["Тич", *names[1:]]), "utf-8")
    arguments = RUNS[command]
    code, alone, _ = told(capfdbinary, *arguments, "--jobs", "1")
    cluster.wait()
    with monkeypatch.context() as patch:
        then = kill_after(patch, cluster.workers.pop())
        got, together, _ = told(capfdbinary, *arguments, "--cluster", cluster.address)
    cluster.hire()
    assert then, "no worker was killed"
    assert got == code == 0
    assert together == alone


def test_a_lost_scheduler_and_missing_workers_are_told(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    few = Cluster(tmp_path)
    out = tmp_path / "decks.jsonl"
    run = ["evaluate", str(FARRO), "--deals", "20000", "--cluster", few.address]
    try:
        code, refused, _ = told(capfdbinary, *run)
        assert code == 2 and refused["error"]["code"] == "cluster_workers"
        few.hire()
        few.wait()
        assert kill_after(monkeypatch, few.scheduler) == []
        code, refused, err = told(capfdbinary, *run, "--out", str(out))
        assert code == 2 and refused["error"]["code"] == "cluster_lost"
        assert "Traceback" not in err
    finally:
        few.end()


@pytest.mark.parametrize("greeting", [b"HTTP/1.0 400 Bad Request\r\n\r\n", b"1" * 64, b""])
def test_another_service_at_the_address_is_no_cluster(
    capfdbinary: pytest.CaptureFixture[bytes], greeting: bytes
) -> None:
    class Greeter(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.sendall(greeting)

    with socketserver.TCPServer(("127.0.0.1", 0), Greeter) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"tcp://127.0.0.1:{server.server_address[1]}"
        code, refused, err = told(capfdbinary, "evaluate", str(FARRO), "--cluster", address)
        server.shutdown()
    assert code == 2 and refused["error"]["code"] == "cluster_unreachable"
    assert "Traceback" not in err


def test_a_wrong_address_is_told_soon(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for address in ("tcp://127.0.0.1:1", "nonsense", "foo://x:1", ""):
        begun = time.monotonic()
        code, refused, err = told(capfdbinary, "evaluate", str(FARRO), "--cluster", address)
        assert code == 2 and refused["error"]["code"] == "cluster_unreachable"
        assert refused["error"]["where"]["key"] == "--cluster"
        assert err == "" and time.monotonic() - begun < 10
