"""The proxies that are compared, and the backend behind them."""

import dataclasses
import re
from pathlib import Path

from .packages import LUA_PACKAGE, find_program, nginx_modules
from .scenarios import BACKEND_BODY, OUTDATED, VARY
from .server import Server, free_port

FOLDER = Path(__file__).parent.parent
RULES = FOLDER / "rules.yaml"
REFERENCE = "nginx-map"


@dataclasses.dataclass(frozen=True)
class Candidate:
    """One proxy: its program, and the arguments with placeholders as in peers/."""

    name: str
    program: str
    arguments: tuple
    version_argument: str

    def missing(self):
        """Why it cannot run here, or None."""
        if find_program(self.program) is None:
            return f"there is no program {Path(self.program).name}"
        if self.name == "nginx-lua" and nginx_modules() is None:
            return f"nginx has no Lua module ({LUA_PACKAGE})"
        return None

    def version_command(self):
        return [find_program(self.program), self.version_argument]

    def start(self, work_folder, backend_port, cores):
        """Starts it with its configuration rendered into the work folder."""
        folder = Path(work_folder, self.name)
        port = free_port()
        values = placeholders(folder, port, backend_port)
        render_templates(folder, values)
        arguments = [fill(argument, values) for argument in self.arguments]
        command = [find_program(self.program), *arguments]
        return Server(self.name, command, port, cores, str(folder))


def nginx(name):
    """An nginx with the template of that name."""
    # Without -e it would first try to write to the distribution's error log.
    arguments = ("-p", "@FOLDER@/", "-e", "stderr", "-c", f"@FOLDER@/{name}.conf")
    return Candidate(name, "nginx", arguments, "-v")


def gate(path):
    arguments = (
        "serve", "--listen", "127.0.0.1:@PORT@", "--upstream", "http://127.0.0.1:@BACKEND_PORT@",
        "--rules", str(RULES), "--threads", "1", "--log-level", "warning",
    )
    return Candidate("versiongate", str(path), arguments, "--version")


BACKEND = nginx("backend")
PEERS = (
    nginx(REFERENCE),
    nginx("nginx-lua"),
    Candidate("haproxy", "haproxy", ("-db", "-f", "@FOLDER@/haproxy.cfg"), "-v"),
    Candidate(
        "caddy", "caddy",
        ("run", "--adapter", "caddyfile", "--config", "@FOLDER@/Caddyfile"), "version",
    ),
)


def placeholders(folder, port, backend_port):
    return {
        "FOLDER": str(folder),
        "PORT": str(port),
        "BACKEND_PORT": str(backend_port),
        "BACKEND_BODY": BACKEND_BODY,
        "NGINX_MODULES": nginx_modules() or "",
        "OUTDATED": OUTDATED,
        "VARY": VARY,
    }


def fill(text, values):
    return re.sub(r"@([A-Z_]+)@", lambda match: values[match[1]], text)


def render_templates(folder, values):
    folder.mkdir()
    (folder / "temp").mkdir()
    for template in (FOLDER / "peers").iterdir():
        (folder / template.name).write_text(fill(template.read_text(), values))
