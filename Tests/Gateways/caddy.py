"""Caddy: `forward_auth`."""

import blocks
from gateway import Gateway

PLACE = "\timport versiongate\n"


class Caddy(Gateway):
    key, title, page, fails = "caddy", "Caddy", "caddy.md", "closed"
    program, version_arguments = "caddy", ("version",)
    arguments = ("run", "--config", "Caddyfile", "--adapter", "caddyfile")
    files = ("Caddyfile",)

    def configuration(self, files, other):
        found = super().configuration(files, False)
        if other:
            # Both sites import the snippet.
            text = blocks.replaced(found["Caddyfile"], PLACE, PLACE + files["open.Caddyfile"], 2)
            found["Caddyfile"] = text
        return found


GATEWAYS = (Caddy,)
