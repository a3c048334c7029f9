"""Local servers that speak the protocols of the sources that rules and release facts come from."""

from .app_store import AppStore
from .file_server import FileServer
from .firebase_database import FirebaseDatabase
from .microcms import MicroCMS

PROTOCOLS = {
    "https": FileServer,
    "app-store": AppStore,
    "microcms": MicroCMS,
    "firebase-database": FirebaseDatabase,
}
