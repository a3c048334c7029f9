"""HAProxy: a Lua script sends the authorization requests, and the gate sends the denials."""

import blocks
from gateway import OTHER, Gateway

PLACE = "    use_backend versiongate_denial"


class HAProxy(Gateway):
    key, title, page = "haproxy", "HAProxy", "haproxy.md"
    program, version_arguments = "haproxy", ("-v",)
    arguments = ("-db", "-f", "haproxy.cfg")
    files = ("haproxy.cfg", "versiongate.lua")
    changed = ("haproxy.cfg",)

    def configuration(self, files, variant):
        found = super().configuration(files, variant)
        if variant == OTHER:
            text = blocks.replaced(found["haproxy.cfg"], PLACE, files["closed.cfg"] + PLACE)
            found["haproxy.cfg"] = text
        return found


GATEWAYS = (HAProxy,)
