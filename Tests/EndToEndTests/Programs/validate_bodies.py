"""Prints what is wrong with answers of the gate, by the JSON Schemas of `docs/wire`.

Arguments: the folder of the schemas, and a folder of bodies whose names begin with that of their
schema and a blank.
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
    # Clients ignore what they do not know; the contract knows everything.
    for name in document.keys() - names:
        print(f"{body.name}: '{name}' is not in the schema")
