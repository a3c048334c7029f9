"""Local servers that implement the protocols of the sources of rules and releases."""

from .app_store import AppStore
from .app_store_connect import AppStoreConnect
from .file_server import FileServer
from .firebase_database import FirebaseDatabase
from .google_play import GooglePlay
from .microcms import MicroCMS
from .remote_config import RemoteConfig

PROTOCOLS = {
    "https": FileServer,
    "app-store": AppStore,
    "app-store-connect": AppStoreConnect,
    "microcms": MicroCMS,
    "firebase-database": FirebaseDatabase,
    "firebase-remote-config": RemoteConfig,
    "google-play": GooglePlay,
}
