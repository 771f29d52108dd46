"""Says of every case in a folder's cases.json that it has kernels of these names."""

import json
import pathlib
import sys

file = pathlib.Path(sys.argv[1]) / "cases.json"
manifest = json.loads(file.read_text())
for case in manifest["cases"]:
    case["kernels"] = {name: {} for name in sys.argv[2:]}
file.write_text(json.dumps(manifest, indent=1))
