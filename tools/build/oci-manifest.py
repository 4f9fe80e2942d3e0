#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Add manifest.json to an OCI layout, as `docker save` does: Docker without containerd reads that.

usage: oci-manifest.py LAYOUT NAME
"""
import json
import pathlib
import sys


def main():
    layout, name = pathlib.Path(sys.argv[1]), sys.argv[2]

    def blob(descriptor):
        return f"blobs/{descriptor['digest'].replace(':', '/')}"

    index = json.loads((layout / "index.json").read_text())
    manifest = json.loads((layout / blob(index["manifests"][0])).read_text())
    entry = {"Config": blob(manifest["config"]), "RepoTags": [name],
             "Layers": [blob(layer) for layer in manifest["layers"]]}
    (layout / "manifest.json").write_text(json.dumps([entry]) + "\n")


if __name__ == "__main__":
    main()
