#!/usr/bin/env python3
"""Runs the commands on pages in docs/guides as a reader would, and compares their output.

On a page, ```yaml FILE writes a file, ```sh runs commands in one shell, and ```text after them is their
output, with … for parts that differ from run to run. Other languages than YAML work as well. A program in the background
is waited for if its command has a --listen, or ends with `&  # listens on PORT`. A block that is not run has the reason in a comment
directly above it: <!-- not run: … -->. A page that calls `stand-in`, in a comment, runs with dev/stand_ins.py.
"""

import argparse
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import stand_ins  # noqa: E402

# The ports in the pages: each run replaces them with its own.
PORTS = ["8080", "8081", "9901", "8088", "8443", "8090", "8079"]
SECONDS = 300
START_SECONDS = 60
STOP_SECONDS = 60
END = "-- the end of a block --"
BLOCK = re.compile(r"(<!-- not run: [^>]+ -->\n)?```([a-z]+)(?: ([\w./-]+))?\n(.*?)```", re.DOTALL)


class PageError(Exception):
    """The output differs from the page."""


@contextlib.contextmanager
def reserved_ports(count):
    """Returns ports on which only programs that set SO_REUSEADDR, such as the gate, can listen.

    A port that is merely free can be taken by a connection of another test before the gate starts.
    """
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(("127.0.0.1", 0))
        yield [str(one.getsockname()[1]) for one in sockets]


def replaced(text, names):
    """Returns the text with whole numbers replaced by others."""
    return re.sub(r"(?<![\w.])(" + "|".join(names) + r")(?!\w)", lambda found: names[found[1]], text)


class Block:
    def __init__(self, match, text):
        self.is_run = match[1] is None
        self.language, self.name, self.content = match[2], match[3], match[4]
        self.line = text.count("\n", 0, match.start()) + 1


def blocks(page):
    text = page.read_text(encoding="utf-8")
    found = [Block(match, text) for match in BLOCK.finditer(text)]
    if 2 * len(found) != len(re.findall(r"^```", text, re.MULTILINE)):
        raise PageError(f"{page}: a block of code cannot be read")
    return found


def missing(expected, output):
    """Returns the first line of a block that is not printed after the lines before it, or None.

    Other lines may be in between, because lines of the gate's log appear at any time.
    """
    # A response need not end with a line feed, so that a line of the log can follow it.
    printed = iter(re.sub(r"(?<!^)(?=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000 \w+ versiongate: )", "\n", output).splitlines())
    for line in expected.strip("\n").splitlines():
        pieces = (re.escape(piece) for piece in line.split("…"))
        whole = re.compile(".*".join(pieces))
        if not any(whole.fullmatch(other) for other in printed):
            return line
    return None


class Shell:
    """One bash for a page, and its background jobs."""

    def __init__(self, folder, gate, ports, more=()):
        self.names = dict(zip(PORTS, ports))
        self.folder = folder
        self.lines = []
        environment = os.environ | {
            "PATH": f"{gate.parent}:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C.UTF-8",
        } | dict(more)
        self.process = subprocess.Popen(
            ["bash"], cwd=folder, env=environment, text=True, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        # bash itself has to wait for its jobs after the signal that ends them.
        self.process.stdin.write("trap : TERM\n")

    def run(self, commands):
        """Returns the output of the commands, up to their end."""
        background = [line for line in commands.splitlines() if re.search(r"&( +# listens on \d+)?$", line)]
        started = re.findall(r"--(?:admin-|decide-)?listen (?:[\w.]+:)?(\d+)", commands) if background else []
        started += [line.rsplit(" ", 1)[1] for line in background if "# listens on" in line]
        waits = "".join(
            f"\nlistens=; for _ in $(seq {round(START_SECONDS * 10)}); do "
            f"(: </dev/tcp/127.0.0.1/{port}) 2>/dev/null && listens=yes && break; sleep 0.1; done; "
            f"[ $listens ] || echo 'nothing listens on {port} after {START_SECONDS} seconds'\n"
            for port in started
        )
        script = replaced(commands + waits, self.names)
        # A response need not end with a line feed.
        self.process.stdin.write(script + f"\nprintf '\\n{END}\\n'\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line == END + "\n":
                break
            lines.append(line)
            self.lines.append(line)
        else:
            raise PageError("the shell ended: " + "".join(lines))
        return replaced("".join(lines), {new: old for old, new in self.names.items()})

    def end(self):
        """Ends all jobs, and waits for them, because a gate that is ending still writes files."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
        with contextlib.suppress(BrokenPipeError, subprocess.TimeoutExpired):
            self.process.communicate("wait\n", timeout=STOP_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


def started_shell(page, folder, gate, ports, stack):
    servers = stand_ins.names(page.read_text(encoding="utf-8"))
    if not servers:
        return Shell(folder, gate, ports)
    own = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="versiongate-stand-ins-")))
    running = stand_ins.StandIns(servers, own, gate, stack)
    shell = Shell(folder, running.gate, ports, running.environment)
    shell.run(running.commands)
    return shell


def fail_late_page(*_):
    raise PageError(f"the page takes longer than {SECONDS} seconds")


def follow(page, gate):
    """Runs a page, and returns the number of blocks that were run."""
    with tempfile.TemporaryDirectory(prefix="versiongate-page-") as name, \
            reserved_ports(len(PORTS)) as ports, contextlib.ExitStack() as stack:
        shell = started_shell(page, Path(name), gate, ports, stack)
        signal.signal(signal.SIGALRM, fail_late_page)
        signal.alarm(SECONDS)
        try:
            output, count = None, 0
            for block in blocks(page):
                place = f"{page}:{block.line}"
                if not block.is_run:
                    output = None
                    continue
                count += 1
                if block.name:
                    text = replaced(block.content, shell.names)
                    Path(name, block.name).write_text(text, encoding="utf-8")
                elif block.language == "sh":
                    output = shell.run(block.content)
                elif block.language == "text" and output is not None:
                    if line := missing(block.content, output):
                        printed = f"{output}\nAll that the page printed:\n{''.join(shell.lines)}"
                        raise PageError(f"{place}: no '{line}' in\n{printed}")
                else:
                    raise PageError(f"{place}: neither a file, nor commands, nor their output")
            return count
        finally:
            signal.alarm(0)
            shell.end()


def main():
    parser = argparse.ArgumentParser(prog="dev/try-pages.py", description=__doc__)
    parser.add_argument("--gate", type=Path, required=True, help="the gate's binary")
    parser.add_argument("pages", type=Path, nargs="+")
    options = parser.parse_args()
    passed, failed = 0, 0
    for page in options.pages:
        try:
            count = follow(page, options.gate.resolve())
            print(f"{page}: {count} blocks hold")
            # A page without commands is not a test.
            passed += count > 0
        except PageError as error:
            failed += 1
            print(f"{page}: {error}")
        except Exception:
            failed += 1
            print(f"{page}: {traceback.format_exc()}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
