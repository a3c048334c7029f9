"""Local servers that speak the protocols of the sources that rules and release facts come from."""

from .app_store import AppStore
from .file_server import FileServer

PROTOCOLS = {
    "https": FileServer,
    "app-store": AppStore,
}
