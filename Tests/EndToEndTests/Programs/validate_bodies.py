"""Validates responses from the gate against the JSON Schemas in `docs/wire`, and prints the errors.

Arguments: the folder with the schemas, and a folder with bodies. The name of a body starts with the name of its schema and a space.
"""

import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

schemas, bodies = Path(sys.argv[1]), Path(sys.argv[2])
validators = {}
for name in ("denial", "status"):
    schema = json.loads((schemas / f"{name}.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    validators[name] = (Draft202012Validator(schema), schema["properties"].keys())
for body in sorted(bodies.iterdir()):
    validator, names = validators[body.name.split(" ")[0]]
    document = json.loads(body.read_text("utf-8"))
    for error in validator.iter_errors(document):
        print(f"{body.name}: {error.message}")
    # Clients ignore unknown members, but the schema must list all members.
    for name in document.keys() - names:
        print(f"{body.name}: '{name}' is not in the schema")
