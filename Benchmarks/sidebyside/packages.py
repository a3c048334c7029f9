"""The programs that the comparison needs, and their Debian packages."""

import os
import re
import shutil
import subprocess
from pathlib import Path

INSTALL_SCRIPT = Path(__file__).parent.parent / "install.sh"

# Daemons are in sbin, which an ordinary user's PATH often lacks.
SEARCH_PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin"])

PACKAGES = {
    "nginx": "nginx",
    "haproxy": "haproxy",
    "caddy": "caddy",
    "wrk": "wrk",
    "h2load": "nghttp2-client",
    "openssl": "openssl",
    "cc": "gcc",
    "valgrind": "valgrind",
}
# The headers of the load generator, and where the C compiler finds them.
HEADER_PACKAGES = {"nghttp2/nghttp2.h": "libnghttp2-dev", "openssl/ssl.h": "libssl-dev"}
HEADER_FOLDERS = ("/usr/include", "/usr/local/include")
# The servers that dev/install-peers.sh has fetched, which are newer than Debian's or not in Debian.
PEERS_FOLDER = Path(__file__).parent.parent.parent / ".build" / "peers" / "bin"
LUA_PACKAGE = "libnginx-mod-http-lua"


def find_program(name):
    """Returns the path of a program, or None."""
    return shutil.which(name, path=SEARCH_PATH)


def find_peer(name):
    """Returns the path of a fetched peer, or else of Debian's, or None."""
    return shutil.which(name, path=str(PEERS_FOLDER)) or find_program(name)


def find_header(name):
    """Returns whether there is a C header with that name."""
    return any(Path(folder, name).exists() for folder in HEADER_FOLDERS)


def nginx_modules():
    """Returns the folder of nginx's dynamic modules if it contains the Lua module, or None."""
    nginx = find_program("nginx")
    if nginx is None:
        return None
    build = subprocess.run(
        [nginx, "-V"], capture_output=True, text=True, timeout=10, check=False
    )
    folder = re.search(r"--modules-path=(\S+)", build.stderr)
    if folder and Path(folder[1], "ngx_http_lua_module.so").exists():
        return folder[1]
    return None


def missing_packages():
    missing = [package for name, package in PACKAGES.items() if find_program(name) is None]
    missing += [each for header, each in HEADER_PACKAGES.items() if not find_header(header)]
    if nginx_modules() is None:
        missing.append(LUA_PACKAGE)
    return missing


def install_missing():
    """Installs missing packages. If that is impossible, prints this; their programs are skipped."""
    missing = missing_packages()
    if not missing:
        return
    command = install_command(missing)
    if command is None:
        print(f"missing, and cannot be installed without apt-get and root: {' '.join(missing)}")
        return
    print(f"installing with apt (services are not started): {' '.join(missing)}", flush=True)
    if run_to_the_end(command) != 0:
        print("the installation failed; missing programs are skipped")


def run_to_the_end(command):
    """Runs it without a timeout or a kill, either of which would leave dpkg inconsistent."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        return process.wait()
    finally:
        process.wait()


def install_command(packages):
    """Returns the command that installs the packages as root, or None."""
    if find_program("apt-get") is None:
        return None
    install = ["sh", str(INSTALL_SCRIPT), *packages]
    if os.geteuid() == 0:
        return install
    sudo = find_program("sudo")
    return [sudo, *install] if sudo else None
