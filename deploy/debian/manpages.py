#!/usr/bin/env python3
"""Writes the manual pages of the commands from their help.

Usage: manpages.py GATE FOLDER
"""

import json
import subprocess
import sys
from datetime import datetime, timezone
from os import environ
from pathlib import Path


def roff(text: str) -> str:
    """Escapes a text for troff, so that no part of it is a request or an escape sequence."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").splitlines()
    return "\n".join("\\&" + line if line.startswith(".") else line for line in lines)


def name_of(name: dict) -> str:
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def term(argument: dict) -> str:
    if argument["kind"] == "positional":
        return argument["valueName"]
    names = ", ".join(name_of(name) for name in argument["names"])
    return names if argument["kind"] == "flag" else f"{names} {argument['valueName']}"


def synopsis(argument: dict) -> str:
    if argument["kind"] == "positional":
        text = f"<{argument['valueName']}>"
    else:
        text = name_of(argument["preferredName"])
        if argument["kind"] == "option":
            text += f" <{argument['valueName']}>"
    if argument.get("isRepeating"):
        text += " ..."
    return f"[{text}]" if argument["isOptional"] else text


def described(argument: dict) -> str:
    text = argument.get("abstract", "")
    if "defaultValue" in argument:
        text += f" (default: {argument['defaultValue']})"
    return text.strip()


def page(title: str, command: dict, version: str, day: str, others: list[str]) -> str:
    called = title.replace("-", " ", 1)
    arguments = [a for a in command.get("arguments", []) if a.get("shouldDisplay")]
    out = [
        f'.TH "{roff(title.upper())}" 1 "{day}" "{version}" "User Commands"',
        ".SH NAME",
        f"{roff(title)} \\- {roff(command['abstract'].rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {roff(called)}",
    ]
    if command.get("subcommands"):
        out.append(".I subcommand")
    out += [roff(synopsis(argument)) for argument in arguments]
    if command.get("discussion"):
        out.append(".SH DESCRIPTION")
        out += [".PP\n" + roff(part) for part in command["discussion"].split("\n\n")]
    if command.get("subcommands"):
        out.append(".SH COMMANDS")
        for sub in command["subcommands"]:
            if sub["commandName"] != "help":
                out += [".TP", f".B {roff(sub['commandName'])}", roff(sub["abstract"])]
    if arguments:
        out.append(".SH OPTIONS")
        for argument in arguments:
            out += [".TP", f".B {roff(term(argument))}", roff(described(argument))]
    if others:
        pages = [f".BR {roff(other)} (1)" for other in others if other != title]
        out += [".SH SEE ALSO", ",\n".join(pages)]
    return "\n".join(out) + "\n"


def main() -> None:
    gate, folder = sys.argv[1], Path(sys.argv[2])
    said = subprocess.run([gate, "--experimental-dump-help"], capture_output=True, text=True, check=True)
    root = json.loads(said.stdout)["command"]
    version = subprocess.run([gate, "version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    epoch = environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.fromtimestamp(int(epoch), timezone.utc) if epoch else datetime.now(timezone.utc)
    pages = {"versiongate": root}

    def collect(prefix: str, command: dict) -> None:
        for sub in command.get("subcommands", []):
            if sub["commandName"] != "help" and sub.get("shouldDisplay", True):
                title = f"{prefix}-{sub['commandName']}"
                pages[title] = sub
                collect(title, sub)

    collect("versiongate", root)
    folder.mkdir(parents=True, exist_ok=True)
    for title, command in pages.items():
        text = page(title, command, version, moment.date().isoformat(), list(pages))
        (folder / f"{title}.1").write_text(text)


if __name__ == "__main__":
    main()
