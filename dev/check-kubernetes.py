#!/usr/bin/env python3
"""Checks the manifests in deploy/kubernetes, and that each kustomization is complete; or the manifests in the files given.

All of them must match the Kubernetes schemas. A gate in a Deployment must run without privileges, have probes, see changed
rules, and have the time to drain. This requires PyYAML and kubernetes-validate, which dev/check-kubernetes.sh installs.
"""

import sys
from pathlib import Path

import kubernetes_validate
import yaml

FOLDER = Path(__file__).resolve().parent.parent / "deploy" / "kubernetes"
VERSIONS = ["1.30", "1.33"]
# The security context of a gate, in its container or its pod.
CONTEXT = {
    "runAsNonRoot": True,
    "runAsUser": 65532,
    "runAsGroup": 65532,
    "seccompProfile": {"type": "RuntimeDefault"},
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}
DRAIN_TIMEOUT = 30


def merged(base, patch):
    """Returns the result of kustomize's strategic merge, for patches that only add lists."""
    if isinstance(base, dict) and isinstance(patch, dict):
        return {key: merged(base[key], patch[key]) if key in base and key in patch else base.get(key, patch.get(key))
                for key in {**base, **patch}}
    return patch


def kustomized(kustomization):
    """Returns the resources of a kustomization."""
    folder, said = kustomization.parent, yaml.safe_load(kustomization.read_text())
    resources = [d for name in said["resources"] for d in yaml.safe_load_all((folder / name).read_text())]
    for patch in said.get("patches", []):
        change, target = yaml.safe_load((folder / patch["path"]).read_text()), patch["target"]
        fitting = [i for i, r in enumerate(resources)
                   if r["kind"] == target["kind"] and r["metadata"]["name"] == target["name"]]
        if len(fitting) != 1:
            raise SystemExit(f"{folder.name}: {patch['path']} has {len(fitting)} targets")
        resources[fitting[0]] = merged(resources[fitting[0]], change)
    named = {*said["resources"], "kustomization.yaml", *(p["path"] for p in said.get("patches", []))}
    unnamed = {path.name for path in folder.glob("*.yaml")} - named
    if unnamed:
        raise SystemExit(f"{folder.name}: not in the kustomization: {', '.join(sorted(unnamed))}")
    return resources


def faults(resource):
    """Yields what is wrong with a resource."""
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(resource, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            yield f"{'.'.join(str(step) for step in error.path)} ({version}): {error.message}"
    if resource["kind"] == "Deployment":
        pod = resource["spec"]["template"]["spec"]
        for container in pod.get("initContainers", []) + pod["containers"]:
            if container["name"] == "versiongate":
                yield from gate_faults(pod, container)


def gate_faults(pod, gate):
    context = pod.get("securityContext", {}) | gate.get("securityContext", {})
    for key, value in CONTEXT.items():
        if context.get(key) != value:
            yield f"the gate's securityContext.{key} is not {value}"
    for probe in "readinessProbe", "startupProbe":
        if probe not in gate:
            yield f"the gate has no {probe}"
    if "memory" not in gate.get("resources", {}).get("limits", {}):
        yield "the gate has no memory limit"
    for mount in gate["volumeMounts"]:
        if "subPath" in mount:
            yield f"{mount['mountPath']} is mounted with subPath, and would never be updated"
    if gate in pod["containers"] and pod.get("automountServiceAccountToken", True):
        yield "the gate's pod has a token for the API of Kubernetes"
    settings = {entry["name"]: entry.get("value") for entry in gate["env"]}
    drain = sum(float(settings.get(f"VERSIONGATE_DRAIN_{name}", default))
                for name, default in (("DELAY", 0), ("TIMEOUT", DRAIN_TIMEOUT)))
    if gate in pod["containers"] and pod.get("terminationGracePeriodSeconds", 30) <= drain:
        yield f"terminationGracePeriodSeconds is not more than the {drain:g} s in which the gate drains"


def main() -> None:
    if sys.argv[1:]:
        sources = {Path(name).stem: [r for r in yaml.safe_load_all(Path(name).read_text()) if r] for name in sys.argv[1:]}
    else:
        sources = {path.parent.name: kustomized(path) for path in sorted(FOLDER.glob("*/kustomization.yaml"))}
    checked = 0
    for source, resources in sources.items():
        for resource in resources:
            for fault in faults(resource):
                sys.exit(f"{source}: {resource['kind']} {fault}")
            checked += 1
    print(f"{checked} manifests are valid for Kubernetes {' and '.join(VERSIONS)}")


if __name__ == "__main__":
    main()
