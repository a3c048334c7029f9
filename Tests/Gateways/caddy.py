"""Caddy: `forward_auth`."""

import blocks
from gateway import OTHER, Gateway

PLACE = "\timport versiongate\n"


class Caddy(Gateway):
    key, title, page, fails = "caddy", "Caddy", "caddy.md", "closed"
    program, version_arguments = "caddy", ("version",)
    arguments = ("run", "--config", "Caddyfile", "--adapter", "caddyfile")
    files = changed = ("Caddyfile",)

    def configuration(self, files, variant):
        found = super().configuration(files, variant)
        if variant == OTHER:
            # Both sites import the snippet.
            text = blocks.replaced(found["Caddyfile"], PLACE, PLACE + files["open.Caddyfile"], 2)
            found["Caddyfile"] = text
        return found


GATEWAYS = (Caddy,)
