"""Validates responses from the admin listener against its OpenAPI document, and prints the errors.

Arguments: the document, and a folder of responses, each with `method`, `path`, `status`, `type` and `body`.
"""

import json
import re
import sys
from pathlib import Path

from jsonschema import Draft202012Validator


def tightened(schema):
    """Returns the schema with additional members forbidden, because the document must list all."""
    if isinstance(schema, list):
        return [tightened(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: tightened(value) for key, value in schema.items()}
    if "properties" in schema and schema.get("type") == "object":
        schema.setdefault("additionalProperties", False)
    return schema


def operation(document, path, method):
    for template, methods in document["paths"].items():
        pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template))
        if re.fullmatch(pattern, path):
            return methods[method.lower()]
    raise KeyError(path)


document = json.loads(Path(sys.argv[1]).read_text("utf-8"))
components = tightened(document["components"])
count = 0
for file in sorted(Path(sys.argv[2]).iterdir()):
    answer = json.loads(file.read_text("utf-8"))
    name = f"{answer['method']} {answer['path']} {answer['status']}"
    response = operation(document, answer["path"], answer["method"])["responses"].get(str(answer["status"]))
    if response is None:
        print(f"{name}: this status is not in the document")
        continue
    if "$ref" in response:
        response = document["components"]["responses"][response["$ref"].rsplit("/")[-1]]
    content = response.get("content", {})
    media = answer["type"].split(";")[0]
    if media != next(iter(content), ""):
        print(f"{name}: '{media}' is not in the document")
        continue
    count += 1
    if not media.endswith("json"):
        continue
    schema = {**tightened(content[media]["schema"]), "components": components}
    Draft202012Validator.check_schema(schema)
    for error in Draft202012Validator(schema).iter_errors(json.loads(answer["body"])):
        print(f"{name}: {error.json_path}: {error.message}")
if count == 0:
    print("there are no responses")
