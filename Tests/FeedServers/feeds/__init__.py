"""Local servers that speak the protocols of the sources that rules and release facts come from."""

from .file_server import FileServer

PROTOCOLS = {
    "https": FileServer,
}
