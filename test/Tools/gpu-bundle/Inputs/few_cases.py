"""Leaves the cases of these names in a folder's cases.json."""

import json
import pathlib
import sys

file = pathlib.Path(sys.argv[1]) / "cases.json"
manifest = json.loads(file.read_text())
manifest["cases"] = [case for case in manifest["cases"]
                     if case["name"] in sys.argv[2:]]
file.write_text(json.dumps(manifest, indent=1))
