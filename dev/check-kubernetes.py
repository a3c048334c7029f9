#!/usr/bin/env python3
"""Checks the manifests in deploy/kubernetes against the Kubernetes schemas, and that each kustomization is complete.

This requires PyYAML and kubernetes-validate, which dev/check-kubernetes.sh installs.
"""

import sys
from pathlib import Path

import kubernetes_validate
import yaml

FOLDER = Path(__file__).resolve().parent.parent / "deploy" / "kubernetes"
VERSIONS = ["1.30", "1.33"]


def merged(base, patch):
    """Returns the result of kustomize's strategic merge, for patches that only add lists."""
    if isinstance(base, dict) and isinstance(patch, dict):
        return {key: merged(base[key], patch[key]) if key in base and key in patch else base.get(key, patch.get(key))
                for key in {**base, **patch}}
    return patch


def main() -> None:
    checked = 0
    for kustomization in sorted(FOLDER.glob("*/kustomization.yaml")):
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
        for resource in resources:
            for version in VERSIONS:
                try:
                    kubernetes_validate.validate(resource, version, strict=True)
                except kubernetes_validate.ValidationError as error:
                    place = ".".join(str(step) for step in error.path)
                    sys.exit(f"{folder.name}: {resource['kind']} {place} ({version}): {error.message}")
            checked += 1
    print(f"{checked} manifests are valid for Kubernetes {' and '.join(VERSIONS)}")


if __name__ == "__main__":
    main()
