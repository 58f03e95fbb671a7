"""The cluster of this machine: nobody else may carry out code, nor see anything, and interrupts leave nothing behind."""

import os
import signal
import socket
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from distributed import Client, LocalCluster, Security

from modia3d.batch.cluster import connected
from modia3d.cli.main import main
from modiapy.simulation.segments.interrupts import ALL, interrupted_once

pytestmark = pytest.mark.white_box

NOBODY = 65534
PAGES = (
    "",
    "info",
    "json/counts.json",
    "json/identity.json",
    "metrics",
    "health",
    "status",
    "individual-plots.json",
    "statics/js/a.js",
)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with connected(1, None) as made:
        yield made


def listening() -> set[tuple[str, int]]:
    """Addresses at which this process and those below it can be reached."""
    own = psutil.Process()
    found = [each for process in (own, *own.children(recursive=True)) for each in process.net_connections(kind="inet")]
    return {(each.laddr.ip, each.laddr.port) for each in found if each.status == psutil.CONN_LISTEN}


def page(port: int, path: str) -> int:
    """Status with which a server answers a question of a browser; 0 where it says nothing that a browser knows."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (OSError, ValueError):
        return 0


def greeting(port: int) -> bytes:
    """What a server of Dask says to somebody who speaks no TLS: with one that does not ask for it, its greeting."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.settimeout(10)
        connection.sendall(bytes(16))
        try:
            return connection.recv(1 << 16)
        except OSError:
            return b""


def test_its_own_client_is_served(client: Client) -> None:
    assert client.scheduler.address.startswith("tls://127.0.0.1:")
    assert client.submit(sum, [1, 2]).result() == 3


def test_without_its_certificate_nobody_reaches_a_scheduler_a_nanny_or_a_worker(client: Client) -> None:
    info = client.scheduler_info()["workers"]
    addresses = [client.scheduler.address, *info, *(each["nanny"] for each in info.values())]
    assert len(addresses) == 3
    for address in addresses:
        for other, security in (("tcp", None), ("tls", Security.temporary())):
            with pytest.raises(OSError):
                Client(address.replace("tls", other), security=security, timeout=2)


def test_whatever_listens_says_nothing(client: Client) -> None:
    addresses = listening()
    assert {host for host, _ in addresses} == {"127.0.0.1"}
    assert len(addresses) >= 3
    for _, port in addresses:
        answers = {page(port, path) for path in PAGES}
        assert answers <= {0, 404}, port
        if answers == {0}:
            assert b"compression" not in greeting(port)


def test_another_account_can_neither_submit_a_task_nor_list_a_folder(
    client: Client, cluster: LocalCluster, tmp_path: Path
) -> None:
    """The same program reaches a cluster that is not guarded, and lists the folder."""
    if not hasattr(os, "setuid") or os.getuid() != 0:
        pytest.skip("only root can become somebody else")
    program = f"""
import os, sys
from distributed import Client, Security
with Client(sys.argv[2], timeout=30) as client:  # whatever is imported late
    client.submit(os.listdir, "/").result()
guarded = Security.temporary()  # imports what another account may have no access to
os.setgroups([])
os.setgid({NOBODY})
os.setuid({NOBODY})
own, unguarded, folder = sys.argv[1:]
for address, security in ((own, guarded), (own.replace("tls", "tcp"), None), (unguarded, None)):
    try:
        with Client(address, security=security, timeout=3) as client:
            print("listed", *client.submit(os.listdir, folder).result(timeout=30))
    except OSError:
        print("refused")
"""
    (tmp_path / "secret").touch()
    command = [sys.executable, "-c", program, client.scheduler.address, cluster.scheduler_address, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["refused", "refused", "listed secret"], done.stdout + done.stderr


def folder_of(client: Client) -> Path:
    """The folder that all working folders of a client's cluster are in; workers find modules there."""
    (info,) = client.scheduler_info()["workers"].values()
    return next(folder for folder in Path(info["local_directory"]).parents if folder.name.startswith("modia3d-batch-"))


def test_modules_that_workers_find_are_in_a_folder_of_this_account_only(client: Client) -> None:
    own = os.stat(folder_of(client))
    assert stat.S_IMODE(own.st_mode) & 0o077 == 0
    assert own.st_uid == os.getuid()


@pytest.mark.parametrize("method", ["__init__", "close"])
def test_an_interrupt_while_the_cluster_begins_or_ends_leaves_no_process(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    before = getattr(LocalCluster, method)

    def interrupted(self: LocalCluster, *args: object, **kwargs: object) -> object:
        os.kill(os.getpid(), signal.SIGTERM)
        return before(self, *args, **kwargs)

    monkeypatch.setattr(LocalCluster, method, interrupted)
    present = set(psutil.Process().children(recursive=True))
    others: set[psutil.Process] = set()

    def use_it() -> None:
        with interrupted_once(ALL), connected(1, None) as client:
            others.update(set(psutil.Process().children(recursive=True)) - present)
            assert client.submit(sum, [1, 2]).result() == 3

    with pytest.raises(KeyboardInterrupt):
        use_it()
    left = set(psutil.Process().children(recursive=True)) - present
    assert psutil.wait_procs(left | others, timeout=30)[1] == []
    assert bool(others) == (method == "close")


def test_sigterm_while_the_report_is_written_is_one_line_of_our_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from modia3d.batch import report

    (tmp_path / "scenario.yaml").write_text(
        "modia3d: 1\nmodel:\n  world: {Object3D: {feature: {Scene: {}}}}\n  k: 1.0\n  w: {Var: {init: 1.0}}\n"
        '  equations: ["der(w) = -k*w"]\nsimulation: {stop_time: 1.0}\n'
    )
    (tmp_path / "study.yaml").write_text(
        "modia3d_study: 1\nscenario: scenario.yaml\nfactors: {k: {list: [1, 2]}}\nquantities: {w: final(w)}\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(report, "write_report", lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    assert main(["batch", "study.yaml", "--out", "rows", "--workers", "0"]) == 130
    monkeypatch.undo()
    told = capfd.readouterr().err.strip().splitlines()
    assert [line.partition(",")[0] for line in told] == ["modia3d: 2 of 2 runs", "modia3d: interrupted"]
    monkeypatch.chdir(tmp_path)
    assert main(["batch", "study.yaml", "--out", "rows", "--workers", "0", "--resume"]) == 0
    assert Path("rows/report.html").exists()


@pytest.mark.skipif(not hasattr(signal, "raise_signal") or os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize(("argument", "status"), [("--help", 0), ("nonsense", 2)])
def test_an_interrupt_after_the_work_is_done_changes_no_exit_status(argument: str, status: int) -> None:
    program = (
        "import os, signal, sys, time\n"
        "from modia3d.cli.main import main\n"
        "sys.argv = ['modia3d', sys.argv[1]]\n"
        "status = main()\n"
        "os.kill(os.getpid(), signal.SIGTERM)\n"
        "time.sleep(60)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, argument], capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr


def test_an_interrupt_in_code_that_was_made_of_text_ends_with_the_status_of_interrupts(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from modia3d.cli import main as cli\n"
        "sys.argv = ['modia3d', 'list']\n"
        "cli._invoke = lambda given: exec('raise KeyboardInterrupt')\n"
        "sys.exit(cli.main())\n"
    )
    (tmp_path / "interrupted.py").write_text(program)
    places = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    done = subprocess.run([sys.executable, "-m", "interrupted"], capture_output=True, text=True, env=places)
    assert (done.returncode, done.stderr) == (130, "modia3d: interrupted\n")
