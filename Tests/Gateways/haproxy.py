"""HAProxy: a script in Lua asks, and the gate sends the denial."""

import blocks
from gateway import Gateway

PLACE = "    use_backend versiongate_denial"


class HAProxy(Gateway):
    key, title, page = "haproxy", "HAProxy", "haproxy.md"
    program, asks_version = "haproxy", ("-v",)
    arguments = ("-db", "-f", "haproxy.cfg")
    files = ("haproxy.cfg", "versiongate.lua")

    def configuration(self, files, other):
        found = super().configuration(files, False)
        if other:
            text = blocks.replaced_once(found["haproxy.cfg"], PLACE, files["closed.cfg"] + PLACE)
            found["haproxy.cfg"] = text
        return found


GATEWAYS = (HAProxy,)
