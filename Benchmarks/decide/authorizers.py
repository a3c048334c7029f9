"""The authorizers that are compared, and how they are built and started."""

import dataclasses
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from sidebyside.candidates import FOLDER, GATE, fill
from sidebyside.packages import LUA_PACKAGE, find_program, nginx_modules
from sidebyside.server import Server, ServerFailed, free_port
from sidebyside.setup import RULES

PEERS = Path(__file__).parent / "peers"
# Templates that this comparison has in common with that of the proxies.
SHARED = FOLDER / "peers"
# Debian's packages of libraries in Go have their sources here.
DEBIAN_GO_PATH = "/usr/share/gocode"
GRPC_PACKAGE = "golang-google-grpc-dev"
# protoc names a package of Go for this message that Debian's grpc-go does not use yet.
TIMESTAMP = "Mgoogle/protobuf/timestamp.proto=github.com/golang/protobuf/ptypes/timestamp"
BUILD_SECONDS = 300


@dataclasses.dataclass(frozen=True)
class Authorizer:
    """A program that responds to the authorization requests of gateways."""

    name: str
    # Returns the command for a new folder and a port.
    command: Callable[[Path, int], list]
    version: tuple
    # Returns why it cannot run here, or None.
    missing: Callable[[], str | None]

    def version_command(self):
        return list(self.version)

    def start(self, folder, cores):
        """Starts it on a free port, with one thread."""
        folder.mkdir()
        port = free_port()
        server = Server(self.name, self.command(folder, port), port, cores, str(folder), {"GOMAXPROCS": "1"})
        server.wait_until_listening()
        return server


def gate(path):
    def command(_, port):
        return [str(path), "serve", "--decide-listen", f"127.0.0.1:{port}", "--rules", str(RULES),
                "--threads", "1", "--log-level", "warning"]
    return Authorizer(GATE, command, (str(path), "--version"),
                      lambda: None if os.access(path, os.X_OK) else f"there is no program {path.name}")


def go_http():
    return Authorizer("go-http", lambda folder, port: [str(build(folder, "http")), f"127.0.0.1:{port}"],
                      ("go", "version"), lambda: absent("go"))


def grpc_go():
    def missing():
        if not Path(DEBIAN_GO_PATH, "src/google.golang.org/grpc").exists():
            return f"there is no grpc-go ({GRPC_PACKAGE})"
        return absent("go", "protoc", "protoc-gen-go")
    return Authorizer("grpc-go", lambda folder, port: [str(build(folder, "grpc")), f"127.0.0.1:{port}"],
                      ("dpkg-query", "--show", GRPC_PACKAGE), missing)


def nginx_lua():
    def command(folder, port):
        values = {"PORT": str(port), "NGINX_MODULES": nginx_modules()}
        render(folder, values, PEERS / "nginx-lua.conf", SHARED / "nginx-common.conf")
        return nginx_command(folder, "nginx-lua.conf")
    return Authorizer("nginx-lua", command, (find_program("nginx") or "nginx", "-v"),
                      lambda: None if nginx_modules() else f"nginx has no Lua module ({LUA_PACKAGE})")


def absent(*programs):
    """Returns which program is missing, or None."""
    return next((f"there is no program {each}" for each in programs if find_program(each) is None), None)


def nginx_command(folder, configuration):
    # Without -e, it would first try to write to the distribution's error log.
    return [find_program("nginx"), "-p", f"{folder}/", "-e", "stderr", "-c", f"{folder}/{configuration}"]


def render(folder, values, *templates):
    """Writes the templates into the folder with their placeholders replaced: see peers/ here and in Benchmarks."""
    (folder / "temp").mkdir(exist_ok=True)
    for template in templates:
        (folder / template.name).write_text(fill(template.read_text(), values))


def build(folder, name):
    """Compiles a program in Go with Debian's libraries, and returns its path."""
    sources = folder / "src" / "decide"
    shutil.copytree(PEERS / "go", sources)
    environment = os.environ | {"GO111MODULE": "off", "GOPATH": f"{folder}:{DEBIAN_GO_PATH}", "GOFLAGS": ""}
    commands = [["go", "build", "-o", str(folder / name), f"decide/{name}"]]
    if name == "grpc":
        # The plug-in writes into decide/check, the package that the file names.
        options = f"plugins=grpc,{TIMESTAMP}:{folder / 'src'}"
        commands.insert(0, ["protoc", "-I", str(sources / "check"), f"--go_out={options}", "check.proto"])
    for command in commands:
        try:
            subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=BUILD_SECONDS)
        except (OSError, subprocess.SubprocessError) as failure:
            raise ServerFailed(f"{command[0]} fails: {getattr(failure, 'stderr', failure)}") from failure
    return folder / name
