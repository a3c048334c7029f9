"""Validates rules files against their JSON Schema.

Reads a JSON list of texts from standard input and writes a list of the same length: for each text
null if the schema accepts it, or the first error. The only argument is the path of the schema.
"""

import json
import pathlib
import sys

import jsonschema
import yaml


class Loader(yaml.SafeLoader):
    """Loads keys and times as strings, as editors do: `no:` is Norwegian, not a Boolean."""

    def construct_mapping(self, node, deep=False):
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}


def construct_mapping(loader, node):
    return loader.construct_mapping(node)


Loader.add_constructor("tag:yaml.org,2002:map", construct_mapping)
Loader.add_constructor("tag:yaml.org,2002:timestamp", yaml.SafeLoader.construct_scalar)


def judge(validator, text):
    error = jsonschema.exceptions.best_match(validator.iter_errors(yaml.load(text, Loader)))
    return None if error is None else f"{error.json_path}: {error.message}"


with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
if "$id" in schema:
    validator = jsonschema.Draft7Validator(schema)
else:
    # The schema can refer by name to files in the same folder.
    uri = pathlib.Path(sys.argv[1]).resolve().as_uri()
    resolver = jsonschema.RefResolver(uri, schema)
    validator = jsonschema.Draft7Validator(schema, resolver=resolver)
json.dump([judge(validator, text) for text in json.load(sys.stdin)], sys.stdout)
