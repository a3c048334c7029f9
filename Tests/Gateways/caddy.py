"""Caddy: `forward_auth`."""

import blocks
from gateway import Gateway

PLACE = "\timport versiongate\n"


class Caddy(Gateway):
    key, title, page, fails = "caddy", "Caddy", "caddy.md", "closed"
    program, asks_version = "caddy", ("version",)
    arguments = ("run", "--config", "Caddyfile", "--adapter", "caddyfile")
    files = ("Caddyfile",)

    def configuration(self, files, other):
        found = super().configuration(files, False)
        if other:
            found["Caddyfile"] = found["Caddyfile"].replace(PLACE, PLACE + files["open.Caddyfile"])
        return found


GATEWAYS = (Caddy,)
