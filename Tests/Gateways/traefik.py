"""Traefik: `forwardAuth`."""

from gateway import Gateway


class Traefik(Gateway):
    key, title, page, fails = "traefik", "Traefik", "traefik.md", "closed"
    program, asks_version = "traefik", ("version",)
    arguments = ("--configfile=traefik.yaml",)
    files = ("traefik.yaml", "dynamic.yaml")


GATEWAYS = (Traefik,)
