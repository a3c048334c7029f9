"""Traefik: `forwardAuth`."""

import re

import blocks
from gateway import OTHER, Gateway

# The port in the page of the router to the gates.
ROUTER = 8091
# There is only one gate here.
SECOND = ', { url: "http://127.0.0.1:8092" }'
PARTS = re.compile(r"^  (\w+):\n((?:    .*\n)+)", re.MULTILINE)


class Traefik(Gateway):
    key, title, page, fails = "traefik", "Traefik", "traefik.md", "closed"
    program, version_arguments = "traefik", ("version",)
    arguments = ("--configfile=traefik.yaml",)
    files = ("traefik.yaml", "dynamic.yaml")
    changed = ("dynamic.yaml",)

    def make_gate(self):
        self.ports[ROUTER] = self.reserved.reserve()
        return super().make_gate()

    def configuration(self, files, variant):
        found = super().configuration(files, variant)
        if variant == OTHER:
            entry = files["entrypoint.yaml"]
            found["traefik.yaml"] = blocks.replaced(found["traefik.yaml"], entry.partition("\n")[0] + "\n", entry)
            decisions = blocks.replaced(files["decisions.yaml"], SECOND, "")
            parts = PARTS.findall(decisions)
            if "http:\n" + "".join(f"  {key}:\n{lines}" for key, lines in parts) != decisions:
                raise blocks.PageError("decisions.yaml has other keys than those of http")
            text = found["dynamic.yaml"]
            for key, lines in parts:
                start = f"  {key}:\n" if f"\n  {key}:\n" in text else "http:\n"
                added = lines if start != "http:\n" else f"  {key}:\n{lines}"
                text = blocks.replaced(text, start, start + added)
            found["dynamic.yaml"] = blocks.replaced(text, "8090/decide/traefik", f"{ROUTER}/decide/traefik")
        return found


GATEWAYS = (Traefik,)
