#!/usr/bin/env python3
"""Checks the YAML of the pages in docs/gateways with the schemas of what reads it.

Kubernetes' own kinds are checked with kubernetes-validate, Istio's with cloudcoil-models-istio, and Envoy's configurations with
xds-protos. No package on PyPI has the schemas of the Gateway API, Envoy Gateway and Contour: pass their CRDs with --crds. The
rules (CEL) in CRDs are not evaluated. What was not checked is listed at the end.

Needs the packages in dev/gateway-manifests.txt, which dev/check-gateway-manifests.sh installs.
"""

import argparse
import importlib
import re
import sys
from pathlib import Path

import jsonschema
import kubernetes_validate
import yaml
from google.protobuf import descriptor_pool, json_format, message_factory

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "gateways"
BLOCK = re.compile(r"^```yaml(?: [\w./-]+)?\n(.*?)^```", re.DOTALL | re.MULTILINE)
KUBERNETES = "1.33"
# All messages that the configurations in the pages contain.
ENVOY_MODULES = (
    "envoy.config.bootstrap.v3.bootstrap_pb2",
    "envoy.extensions.access_loggers.stream.v3.stream_pb2",
    "envoy.extensions.filters.http.buffer.v3.buffer_pb2",
    "envoy.extensions.filters.http.dynamic_modules.v3.dynamic_modules_pb2",
    "envoy.extensions.filters.http.ext_authz.v3.ext_authz_pb2",
    "envoy.extensions.filters.http.router.v3.router_pb2",
    "envoy.extensions.filters.network.http_connection_manager.v3.http_connection_manager_pb2",
    "envoy.extensions.http.early_header_mutation.header_mutation.v3.header_mutation_pb2",
    "envoy.extensions.transport_sockets.tls.v3.tls_pb2",
    "envoy.extensions.upstreams.http.v3.http_protocol_options_pb2",
)
ENVOY_FILTER_TARGETS = {
    "HTTP_FILTER": "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter",
    "VIRTUAL_HOST": "envoy.config.route.v3.VirtualHost",
    "HTTP_ROUTE": "envoy.config.route.v3.Route",
    "CLUSTER": "envoy.config.cluster.v3.Cluster",
}


class Invalid(Exception):
    """A document does not match its schema."""


def documents(page):
    """Returns the documents in the YAML blocks of a page, with the line of each block."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        try:
            for content in yaml.safe_load_all(match[1]):
                yield line, content
        except yaml.YAMLError as error:
            raise SystemExit(f"{page.name}:{line}: {error}") from error


def closed(schema):
    """Returns a schema that also rejects members it does not name, as a typo would make them."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    is_open = schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema
    if isinstance(schema.get("properties"), dict) and not is_open:
        result["additionalProperties"] = False
    if schema.get("x-kubernetes-int-or-string"):
        result.pop("type", None)
    return result


def check_schema(validator, schema, content):
    error = jsonschema.exceptions.best_match(validator(schema).iter_errors(content))
    if error:
        raise Invalid(f"{'.'.join(map(str, error.absolute_path))}: {error.message}")


def definitions(folders):
    """Returns the schemas of CRD files, by kind and version."""
    found = {}
    for file in (file for folder in folders for file in sorted(folder.rglob("*.yaml"))):
        for crd in yaml.safe_load_all(file.read_text(encoding="utf-8")):
            if not crd or crd.get("kind") != "CustomResourceDefinition":
                continue
            for version in crd["spec"]["versions"]:
                key = crd["spec"]["names"]["kind"], f"{crd['spec']['group']}/{version['name']}"
                schema = closed(version["schema"]["openAPIV3Schema"])
                schema["properties"] |= {"metadata": {"type": "object"}, "apiVersion": {}, "kind": {}}
                found[key] = schema
    return found


def istio_schema(kind, version):
    """Returns the schema of an Istio kind, or None."""
    group, _, name = version.partition("/")
    if not group.endswith(".istio.io"):
        return None
    try:
        module = importlib.import_module(f"cloudcoil.models.istio.{group.split('.')[0]}.{name}")
        model = getattr(module, kind)
    except (ImportError, AttributeError):
        return None
    schema = closed(model.model_json_schema(by_alias=True))
    # The models read each value, but their schemas want null where a member is missing.
    schema["$defs"]["ObjectMeta"] = {"type": "object"}
    return schema


def check_envoy(name, content):
    """Parses a value as a message of Envoy's API, including the messages inside of it."""
    message = message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName(name))()
    try:
        json_format.ParseDict(content, message)
    except json_format.ParseError as error:
        raise Invalid(str(error)) from error


class Checker:
    def __init__(self, crds):
        self.crds, self.checked, self.unchecked = crds, {}, {}

    def note(self, by, what):
        self.checked.setdefault(by, []).append(what)

    def check(self, place, content):
        if not isinstance(content, dict):
            self.unchecked.setdefault("a part of a file", []).append(place)
        elif "static_resources" in content:
            check_envoy("envoy.config.bootstrap.v3.Bootstrap", content)
            self.note("xds-protos", place)
        elif "kind" in content and "apiVersion" in content:
            self.check_object(place, content)
        else:
            self.unchecked.setdefault(f"no Kubernetes object ({', '.join(content)})", []).append(place)

    def check_object(self, place, content):
        kind, version = content["kind"], content["apiVersion"]
        label = f"{kind} ({version})"
        if schema := self.crds.get((kind, version)):
            # CRDs use OpenAPI 3.0, whose keywords are those of draft 4.
            check_schema(jsonschema.Draft4Validator, schema, content)
            self.note("CRDs", place)
        elif schema := istio_schema(kind, version):
            check_schema(jsonschema.Draft202012Validator, schema, content)
            self.note("cloudcoil-models-istio", place)
        elif "." not in version.partition("/")[0]:
            try:
                kubernetes_validate.validate(content, KUBERNETES, strict=True)
            except kubernetes_validate.ValidationError as error:
                raise Invalid(f"{'.'.join(map(str, error.path))}: {error.message}") from error
            self.note("kubernetes-validate", place)
        else:
            self.unchecked.setdefault(f"{label}: no schema", []).append(place)
        if kind == "EnvoyFilter":
            for patch in content["spec"]["configPatches"]:
                check_envoy(ENVOY_FILTER_TARGETS[patch["applyTo"]], patch["patch"]["value"])
            self.note("xds-protos", place)


def main():
    parser = argparse.ArgumentParser(prog="dev/check-gateway-manifests.sh", description=__doc__.splitlines()[0])
    parser.add_argument("--crds", type=Path, action="append", default=[], help="a folder with CRDs, e.g. of `kubectl get crd -o yaml`")
    parser.add_argument("pages", type=Path, nargs="*", help="the pages; all of docs/gateways if none is given")
    given = parser.parse_args()
    for name in ENVOY_MODULES:
        importlib.import_module(name)
    checker, invalid = Checker(definitions(given.crds)), 0
    for page in given.pages or sorted(PAGES.glob("*.md")):
        if page.name == "traefik.md":
            # Traefik's own files, which have no schema here.
            continue
        for line, content in documents(page):
            place = f"{page.name}:{line}"
            try:
                checker.check(place, content)
            except Invalid as error:
                invalid += 1
                print(f"{place}: {content.get('kind', 'Envoy')}: {error}")
    for by, places in sorted(checker.checked.items()):
        print(f"checked with {by}: {len(places)} ({', '.join(places)})")
    for what, places in sorted(checker.unchecked.items()):
        print(f"not checked, {what}: {', '.join(places)}")
    print(f"{sum(map(len, checker.checked.values()))} passed, {invalid} failed")
    return 1 if invalid else 0


if __name__ == "__main__":
    sys.exit(main())
