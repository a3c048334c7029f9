#!/usr/bin/env python3
"""Tests the life cycle of an installed package: start by its unit, rules, reload, upgrade under load, removal.

Usage: play.py ROOT NEXT_DEB
ROOT: a fresh root file system with the package installed. NEXT_DEB: a later version. Must run as root in its own network
namespace; there is no systemd, so this script does what systemd would do according to the units.
"""

import ctypes
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
NEXT_DEB = Path(sys.argv[2]).resolve()
UNITS = ROOT / "lib" / "systemd" / "system"
NOTIFY = "@versiongate-play"
PATIENCE = 60
RULES = """\
rules:
  - id: ios
    match: {{ platform: ios }}
    minimum: "{minimum}"
    notice: upgrade
    storeUrl: https://apps.apple.com/app/id1234567890
notices:
  upgrade:
    en: {{ title: Update required, message: Please update., button: Update }}
"""


def say(text: str) -> None:
    print(f"  {text}", flush=True)


def setting(unit: str, key: str) -> str:
    """Returns the last value of a key in a unit."""
    values = re.findall(rf"^{key}=(.*)$", (UNITS / unit).read_text(), re.MULTILINE)
    return values[-1]


def inside(*command: str, **options) -> subprocess.CompletedProcess:
    """Runs a command in the root and waits for it."""
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    environment = {"PATH": path, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    options.setdefault("check", True)
    return subprocess.run(["chroot", ROOT, *command], env=environment, timeout=300, **options)


class Backend(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = b"from the backend\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments) -> None:
        pass


class Manager:
    """Manages one service and its socket like systemd."""

    def __init__(self) -> None:
        host, port = setting("versiongate.socket", "ListenStream").rsplit(":", 1)
        self.port = int(port)
        self.listener = socket.create_server((host, self.port), backlog=int(setting("versiongate.socket", "Backlog")))
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notices.bind("\0" + NOTIFY[1:])
        self.notices.settimeout(PATIENCE)
        self.child: int | None = None

    def start(self) -> None:
        """Starts the service according to its unit, and waits until it is ready."""
        account = next(
            line.split(":") for line in (ROOT / "etc/passwd").read_text().splitlines() if line.startswith("versiongate:")
        )
        user, group = int(account[2]), int(account[3])
        state = ROOT / "var/lib" / setting("versiongate.service", "StateDirectory")
        state.mkdir(mode=0o700, exist_ok=True)
        os.chown(state, user, group)
        command = setting("versiongate.service", "ExecStart").split()
        environment = {
            "LISTEN_FDS": "1",
            "NOTIFY_SOCKET": NOTIFY,
            "WATCHDOG_USEC": str(int(setting("versiongate.service", "WatchdogSec")) * 1_000_000 // 20),
        }
        child = os.fork()
        if child == 0:
            try:
                os.chroot(ROOT)
                os.chdir("/")
                os.setgroups([])
                os.setgid(group)
                os.setuid(user)
                # PR_SET_NO_NEW_PRIVS, as NoNewPrivileges does.
                ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)
                os.umask(0o077)
                os.dup2(self.listener.fileno(), 3, inheritable=True)
                environment["LISTEN_PID"] = environment["WATCHDOG_PID"] = str(os.getpid())
                os.execve(command[0], command, environment)
            finally:
                os._exit(127)
        self.child = child
        self.wait("READY=1")

    def wait(self, notice: str) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if notice in self.notices.recv(4096).decode().splitlines():
                return
        raise SystemExit(f"no {notice}")

    def stop(self) -> None:
        if self.child is None:
            return
        os.kill(self.child, signal.SIGTERM)
        _, status = os.waitpid(self.child, 0)
        self.child = None
        assert os.waitstatus_to_exitcode(status) == 0, f"the gate ended with {status}"

    def reload(self) -> None:
        """Runs the ExecReload command of the unit."""
        command = setting("versiongate.service", "ExecReload").replace("$MAINPID", str(self.child))
        subprocess.run(command.split(), check=True)
        self.wait("RELOADING=1")
        self.wait("READY=1")


class Systemctl(threading.Thread):
    """Handles the commands sent by systemctl.sh."""

    def __init__(self, manager: Manager) -> None:
        super().__init__(daemon=True)
        self.manager = manager
        self.orders: list[str] = []
        (ROOT / "run/systemd/system").mkdir(parents=True, exist_ok=True)
        for name in ("ask", "answer"):
            os.mkfifo(ROOT / f"run/systemctl.{name}")
        shutil.copy(Path(__file__).with_name("systemctl.sh"), ROOT / "usr/local/sbin/systemctl")

    def run(self) -> None:
        while True:
            order = (ROOT / "run/systemctl.ask").read_text().strip()
            self.orders.append(order)
            words, status = order.split(), 0
            try:
                if "versiongate.service" in words:
                    was_running = self.manager.child is not None
                    if {"stop", "restart", "try-restart"} & set(words):
                        self.manager.stop()
                    if {"start", "restart"} & set(words) or ("try-restart" in words and was_running):
                        self.manager.start()
                if "versiongate.socket" in words and "stop" in words:
                    self.manager.listener.close()
            except BaseException as error:
                print(f"  systemctl: {error}", flush=True)
                status = 1
            (ROOT / "run/systemctl.answer").write_text(f"{status}\n")


class Load:
    """Clients that send requests without a pause, half of them on a new connection each time.

    Like other clients, they retry a request once if a reused connection is closed before a byte of the response
    arrives (RFC 9112 section 9.3.1); these requests are counted separately.
    """

    def __init__(self, port: int, clients: int = 8) -> None:
        self.port = port
        self.isOver = threading.Event()
        self.answered = 0
        self.repeated = 0
        self.failures: list[str] = []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.ask, args=(number,)) for number in range(clients)]

    def __enter__(self) -> "Load":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.isOver.set()
        for thread in self.threads:
            thread.join(PATIENCE)

    def ask(self, number: int) -> None:
        version, expected = ("3.4.9", 426) if number % 2 else ("4.2.0", 200)
        keeps = number % 4 < 2
        connection, asked = None, 0
        while not self.isOver.is_set():
            try:
                if connection is None:
                    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
                    asked = 0
                asked += 1
                connection.request("GET", "/", headers={"X-App-Platform": "ios", "X-App-Version": version})
                answer = connection.getresponse()
                answer.read()
                problem = None if answer.status == expected else f"{answer.status} instead of {expected}"
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError) as error:
                connection = None
                if asked > 1:
                    with self.lock:
                        self.repeated += 1
                    continue
                problem = f"{error!r} on a new connection"
            except Exception as error:
                problem, connection = f"{error!r} at request {asked} of a connection", None
            with self.lock:
                if problem:
                    self.failures.append(problem)
                else:
                    self.answered += 1
            if connection is not None and (not keeps or answer.will_close):
                connection.close()
                connection = None


def status(port: int, version: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/", headers={"X-App-Platform": "ios", "X-App-Version": version})
    try:
        return connection.getresponse().status
    finally:
        connection.close()


def version_installed() -> str:
    return inside("dpkg-query", "-W", "-f", "${Version}", "versiongate", capture_output=True, text=True).stdout


def configure(backend_port: int) -> None:
    """Changes two lines of the settings, and writes rules."""
    path = ROOT / "etc/versiongate/versiongate.yaml"
    text = path.read_text()
    text = re.sub(r"^upstream: .*$", f"upstream: http://127.0.0.1:{backend_port}", text, flags=re.MULTILINE)
    path.write_text(re.sub(r"^adminListen: .*$", "adminListen: 127.0.0.1:9902", text, flags=re.MULTILINE))
    (ROOT / "etc/versiongate/rules.yaml").write_text(RULES.format(minimum="3.5.0"))


def main() -> None:
    backend = ThreadingHTTPServer(("127.0.0.1", 0), Backend)
    backend.daemon_threads = True
    threading.Thread(target=backend.serve_forever, daemon=True).start()

    for tool in ("versiongate check --strict /etc/versiongate/rules.yaml", "versiongate version"):
        inside(*tool.split(), stdout=subprocess.DEVNULL)
    configure(backend.server_port)
    manager = Manager()
    manager.start()
    port = manager.port
    assert status(port, "3.4.9") == 426 and status(port, "4.2.0") == 200
    inside("versiongate", "healthcheck", "--listen", f"127.0.0.1:{port}", stdout=subprocess.DEVNULL)
    say("started by the unit's command line: 426 for 3.4.9, 200 for 4.2.0, healthcheck passes")
    manager.wait("WATCHDOG=1")
    say("the watchdog is fed")

    (ROOT / "etc/versiongate/rules.yaml").write_text(RULES.format(minimum="3.4.0"))
    manager.reload()
    assert status(port, "3.4.9") == 200
    (ROOT / "etc/versiongate/rules.yaml").write_text(RULES.format(minimum="3.5.0"))
    inside("versiongate", "reload", "--wait", "--admin", "9902", stdout=subprocess.DEVNULL)
    assert status(port, "3.4.9") == 426
    say("reloaded by ExecReload and by `versiongate reload --wait`")

    systemctl = Systemctl(manager)
    systemctl.start()
    before, first = version_installed(), manager.child
    shutil.copy(NEXT_DEB, ROOT / "root/next.deb")
    with Load(port) as load:
        time.sleep(1)
        inside("dpkg", "--install", "/root/next.deb", stdout=subprocess.DEVNULL)
        time.sleep(1)
    (ROOT / "root/next.deb").unlink()
    after = version_installed()
    assert after != before, "the version is the same"
    assert manager.child not in (None, first), f"the gate was not restarted: {systemctl.orders}"
    assert load.answered > 200, f"only {load.answered} requests were answered"
    assert not load.failures, f"{len(load.failures)} of {load.answered} failed: {load.failures[:5]}"
    kept = (ROOT / "etc/versiongate/rules.yaml").read_text()
    assert kept == RULES.format(minimum="3.5.0"), "the upgrade replaced the rules"
    say(f"upgraded from {before} to {after} under load: {load.answered} requests answered, none failed, "
        f"{load.repeated} retried after a reused connection was closed")

    inside("dpkg", "--remove", "versiongate", stdout=subprocess.DEVNULL)
    assert manager.child is None, "the gate is still running after the removal"
    assert (ROOT / "etc/versiongate/rules.yaml").exists(), "the removal deleted the rules"
    assert not (ROOT / "usr/bin/versiongate").exists()
    say("removed: the gate has stopped, the settings are kept")
    inside("dpkg", "--purge", "versiongate", stdout=subprocess.DEVNULL)
    (ROOT / "usr/local/sbin/systemctl").unlink()


if __name__ == "__main__":
    main()
