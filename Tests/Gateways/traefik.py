"""Traefik: `forwardAuth`."""

import re

import blocks
from gateway import Gateway

# The port in the page of the router that asks the gates.
ROUTER = 8091
# There is only one gate here.
SECOND = ', { url: "http://127.0.0.1:8092" }'
PARTS = re.compile(r"^  (\w+):\n((?:    .*\n)+)", re.MULTILINE)


class Traefik(Gateway):
    key, title, page, fails = "traefik", "Traefik", "traefik.md", "closed"
    program, asks_version = "traefik", ("version",)
    arguments = ("--configfile=traefik.yaml",)
    files = ("traefik.yaml", "dynamic.yaml")

    def make_gate(self):
        self.ports[ROUTER] = self.reserved.reserve()
        return super().make_gate()

    def configuration(self, files, other):
        found = super().configuration(files, False)
        if other:
            entry = files["entrypoint.yaml"]
            found["traefik.yaml"] = found["traefik.yaml"].replace(entry.splitlines(keepends=True)[0], entry)
            text = found["dynamic.yaml"]
            for key, lines in PARTS.findall(blocks.replaced_once(files["decisions.yaml"], SECOND, "")):
                start = f"  {key}:\n" if f"\n  {key}:\n" in text else "http:\n"
                added = lines if start != "http:\n" else f"  {key}:\n{lines}"
                text = blocks.replaced_once(text, start, start + added)
            found["dynamic.yaml"] = blocks.replaced_once(text, "8090/decide/traefik", f"{ROUTER}/decide/traefik")
        return found


GATEWAYS = (Traefik,)
