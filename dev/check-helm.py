#!/usr/bin/env python3
"""Checks the Helm chart with Helm and with a gate.

Each value set in the chart's folder `ci` is linted and rendered. The manifests must pass dev/check-kubernetes.py, their rules
must pass `versiongate check`, and a gate with their environment must start, respond to the probes, and stop. The defaults must
match deploy/kubernetes/gate. Values with mistakes must be refused, and other rules must not change the pods.

This requires openssl, Helm and the packages in dev/helm.txt, which dev/check-helm.sh installs.
"""

import argparse
import difflib
import json
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
BASE = ROOT / "deploy" / "kubernetes" / "gate"
SECONDS = 60
# Values that must be refused, and a part of the message.
REFUSED = [
    ([], "upstream is required"),
    (["upstrem=http://backend:80"], "Additional property upstrem is not allowed"),
    (["settings.maxConection=5"], "settings"),
    (["settings.upstream=http://backend:80"], "settings"),
    (["upstream=http://backend:80", "replicas=two"], "replicas: Invalid type"),
    (["upstream=http://backend:80", "autoscaling.enabled=1"], "autoscaling.enabled: Invalid type"),
    (["upstream=http://backend:80", "rules.text.rules=none"], "rules.text: Invalid type"),
    (["upstream=http://backend:80", "admin.existingSecret=My Secret"], "admin.existingSecret: Does not match pattern"),
    (["upstream=http://backend:80", "service.port=0"], "service.port: Must be greater than or equal to 1"),
    (["upstream=http://backend:80", "state.existingClaim=state"], "state.existingClaim allows only one pod"),
    (["upstream=http://backend:80", "admin.existingSecret=", "settings.clientEndpoints=false"], "the probes would have no path"),
    (["decide.enabled=true", "tls.existingSecret=certificate"], "tls.existingSecret needs upstream"),
    (["decide.enabled=true", "upstreamNamed.legacy=http://legacy:80"], "upstreamNamed needs upstream"),
]
# What the chart adds to the manifests for kustomize.
ADDED_LABELS = {"app.kubernetes.io/instance", "app.kubernetes.io/version", "app.kubernetes.io/managed-by", "helm.sh/chart"}
ADDED_KINDS = {"ServiceAccount"}
ADDED_KEYS = {"serviceAccountName", "imagePullPolicy"}
ADDED_SETTINGS = {"VERSIONGATE_DRAIN_TIMEOUT"}
PORTS = {"VERSIONGATE_LISTEN": "address", "VERSIONGATE_DECIDE_LISTEN": "decide_address",
         "VERSIONGATE_ADMIN_LISTEN": "admin_address"}


class Fault(Exception):
    """The chart is wrong."""


def run(*command):
    result = subprocess.run(command, text=True, timeout=SECONDS, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return result.returncode, result.stdout


def succeed(*command):
    status, output = run(*command)
    if status:
        raise Fault(output.strip() or f"{command[0]} exits with {status}")
    return output


class Chart:
    def __init__(self, helm, folder):
        self.helm, self.folder = helm, folder

    def resources(self, *options):
        text = succeed(self.helm, "template", "versiongate", self.folder, *options)
        documents = [d for d in yaml.safe_load_all(text) if d]
        return {(d["kind"], d["metadata"]["name"]): d for d in documents}


def of_kind(resources, kind):
    return [resource for (its, _), resource in resources.items() if its == kind]


def gate_of(resources):
    """Returns the pod and the container of the gate."""
    pod = of_kind(resources, "Deployment")[0]["spec"]["template"]["spec"]
    return pod, pod["containers"][0]


def without_additions(value):
    """Returns a value without what the chart adds, and without the order of lists."""
    if isinstance(value, list):
        return sorted((without_additions(item) for item in value
                       if not (isinstance(item, dict) and item.get("name") in ADDED_SETTINGS)), key=json.dumps)
    if not isinstance(value, dict):
        return value
    kept = {key: without_additions(item) for key, item in value.items()
            if key not in ADDED_LABELS | ADDED_KEYS and (key, item) != ("type", "ClusterIP")}
    if "name" in kept:
        # The labels of an object; those of a pod are in metadata without a name.
        kept.pop("labels", None)
    return kept


def check_defaults(chart):
    """The chart renders deploy/kubernetes/gate, except for what it adds."""
    files = yaml.safe_load((BASE / "kustomization.yaml").read_text())["resources"]
    base = [d for name in files for d in yaml.safe_load_all((BASE / name).read_text())]
    expected = {(d["kind"], d["metadata"]["name"]): d for d in base}
    rendered = {key: d for key, d in chart.resources("--set", "upstream=http://backend:80").items() if key[0] not in ADDED_KINDS}
    if rendered.keys() != expected.keys():
        raise Fault(f"the defaults render {sorted(rendered)}, and the kustomization {sorted(expected)}")
    for key, resource in expected.items():
        texts = [json.dumps(without_additions(d), indent=1, sort_keys=True).splitlines() for d in (resource, rendered[key])]
        if difference := list(difflib.unified_diff(*texts, "deploy/kubernetes/gate", "the chart", lineterm="", n=0)):
            raise Fault(f"{key[0]} differs:\n  " + "\n  ".join(difference))


def check_refusals(chart):
    for values, expected in REFUSED:
        status, output = run(chart.helm, "template", "versiongate", chart.folder, *(o for v in values for o in ("--set", v)))
        if not status or expected not in output:
            raise Fault(f"{values or 'no values'}: expected an error with '{expected}': {output[-300:]}")


def check_rules_do_not_restart_pods(chart):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as rules:
        rules.write("rules: []\n# changed\n")
        rules.flush()
        options = ["--set", "upstream=http://backend:80"]
        one, other = chart.resources(*options), chart.resources(*options, "--set-file", f"rules.text={rules.name}")
    changed = sorted(kind for kind, name in one if one[kind, name] != other[kind, name])
    if changed != ["ConfigMap"]:
        raise Fault(f"other rules change {changed}, not just the ConfigMap")


def check_settings(gate, resources):
    """The environment consists of settings that the gate has."""
    known = {"VERSIONGATE_" + flag.upper().replace("-", "_")
             for flag in re.findall(r"^\| `--([a-z-]+)`", succeed(gate, "settings"), re.MULTILINE)}
    _, container = gate_of(resources)
    if container["args"] != ["serve"]:
        raise Fault(f"the arguments are {container['args']}")
    if unknown := {entry["name"] for entry in container["env"]} - known:
        raise Fault(f"settings that the gate does not have: {', '.join(sorted(unknown))}")
    return {entry["name"]: entry["value"] for entry in container["env"]}


def secrets_in(folder):
    """Returns the contents of the Secrets that `ci` names, with a new certificate."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    succeed("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "90",
            "-subj", "/CN=gate", "-keyout", key, "-out", certificate)
    return {
        "versiongate-admin": {"token": "0123456789abcdef\n"}, "gate-tokens": {"tokens": "0123456789abcdef\n"},
        "gate-previews": {"secrets": "0123456789abcdef" * 4}, "backend-ca": {"ca.crt": certificate.read_text()},
        "versiongate-tls": {"tls.crt": certificate.read_text(), "tls.key": key.read_text()},
    }


def mount(resources, secrets, folder):
    """Writes the contents of the volumes into a folder, and returns the folder of each path in the container."""
    pod, container = gate_of(resources)
    config_maps = {d["metadata"]["name"]: d["data"] for d in of_kind(resources, "ConfigMap")}
    config_maps.setdefault("shop-rules", {"shop.yaml": "rules: []\n"})
    volumes, paths = {volume["name"]: volume for volume in pod["volumes"]}, {}
    for entry in container["volumeMounts"]:
        volume = volumes[entry["name"]]
        files = {}
        if "configMap" in volume:
            files = config_maps[volume["configMap"]["name"]]
        elif "secret" in volume:
            files = secrets[volume["secret"]["secretName"]]
        paths[entry["mountPath"]] = folder / entry["name"]
        paths[entry["mountPath"]].mkdir()
        for name, content in files.items():
            (folder / entry["name"] / name).write_text(content)
    return paths


def on_this_machine(environment, paths):
    """Returns the environment with loopback addresses and the folders of `mount`."""
    result = {}
    for name, value in environment.items():
        for path, folder in paths.items():
            value = re.sub(rf"^{re.escape(path)}(?=/|$)", str(folder), value)
        result[name] = "127.0.0.1:0" if name in PORTS else value
    if "VERSIONGATE_DRAIN_DELAY" in result:
        result["VERSIONGATE_DRAIN_DELAY"] = "0.1"
    return result


def check_rules(gate, environment, paths):
    names = re.findall(r"(?:^|,)([\w-]+)=", environment.get("VERSIONGATE_UPSTREAM_NAMED", ""))
    backends = [option for name in names for option in ("--backend", name)]
    succeed(gate, "check", "--strict", *backends, paths[environment["VERSIONGATE_RULES"]])


def check_running(gate, resources, environment, paths):
    """A gate with this environment responds to the probes on their ports, and stops."""
    _, container = gate_of(resources)
    process = subprocess.Popen([gate, *container["args"]], env=on_this_machine(environment, paths), text=True,
                               stderr=subprocess.PIPE)
    timer = threading.Timer(SECONDS, process.kill)
    timer.start()
    lines = []
    try:
        for line in process.stderr:
            lines.append(line.strip())
            if '"listening"' in line:
                break
        else:
            raise Fault(f"the gate does not start: {' '.join(lines)}")
        if warnings := [line for line in lines if "not a setting" in line]:
            raise Fault(warnings[0])
        listening = json.loads(lines[-1])
        for probe in "startupProbe", "readinessProbe", "livenessProbe":
            if probe in container:
                request(container, environment, listening, container[probe]["httpGet"])
        process.send_signal(signal.SIGTERM)
        _, rest = process.communicate(timeout=SECONDS)
        if process.returncode:
            raise Fault(f"the gate exits with {process.returncode}: {rest}")
    finally:
        timer.cancel()
        process.kill()
        process.communicate()


def request(container, environment, listening, probe):
    number = {port["name"]: port["containerPort"] for port in container["ports"]}[probe["port"]]
    setting = next((name for name in PORTS if environment.get(name, "").endswith(f":{number}")), None)
    if setting is None:
        raise Fault(f"no listener has the port {number} of {probe['path']}")
    url = f"{probe.get('scheme', 'HTTP').lower()}://{listening[PORTS[setting]]}{probe['path']}"
    context = ssl._create_unverified_context() if url.startswith("https:") else None
    try:
        with urllib.request.urlopen(url, timeout=SECONDS, context=context) as response:
            if response.status != 200:
                raise Fault(f"{probe['path']}: {response.status}")
    except OSError as error:
        raise Fault(f"{url}: {error}") from error


def check_value_sets(chart, gate):
    value_sets = sorted((chart.folder / "ci").glob("*.yaml"))
    with tempfile.TemporaryDirectory() as name:
        folder, rendered = Path(name), {}
        for values in value_sets:
            succeed(chart.helm, "lint", "--strict", "--quiet", chart.folder, "--values", values)
            rendered[values] = chart.resources("--values", values)
            (folder / values.name).write_text(yaml.safe_dump_all(rendered[values].values()))
        print(succeed(sys.executable, "-B", ROOT / "dev" / "check-kubernetes.py", *folder.glob("*.yaml")), end="")
        secrets = secrets_in(folder)
        for values, resources in rendered.items():
            mounted = folder / values.stem
            mounted.mkdir()
            try:
                environment = check_settings(gate, resources)
                paths = mount(resources, secrets, mounted)
                check_rules(gate, environment, paths)
                check_running(gate, resources, environment, paths)
            except Fault as fault:
                raise Fault(f"{values.name}: {fault}") from fault
    return len(value_sets)


def main():
    parser = argparse.ArgumentParser(prog="dev/check-helm.py", description=__doc__.splitlines()[0])
    parser.add_argument("--helm", type=Path, required=True, help="the helm binary")
    parser.add_argument("--gate", type=Path, required=True, help="the versiongate binary")
    parser.add_argument("--chart", type=Path, default=ROOT / "deploy" / "helm" / "versiongate", help="the chart's folder")
    given = parser.parse_args()
    chart = Chart(given.helm.resolve(), given.chart.resolve())
    try:
        succeed(chart.helm, "lint", "--strict", chart.folder)
        check_defaults(chart)
        check_refusals(chart)
        check_rules_do_not_restart_pods(chart)
        count = check_value_sets(chart, given.gate.resolve())
    except Fault as fault:
        sys.exit(f"deploy/helm/versiongate: {fault}")
    print(f"{count} value sets are valid and start a gate, the defaults match deploy/kubernetes/gate, "
          f"and {len(REFUSED)} mistakes are refused")


if __name__ == "__main__":
    main()
