"""A caller's functions and our kernels in one module: join.py OURS.mlir USER.mlir"""

import re
import sys

ours, user = (open(name).read() for name in sys.argv[1:])
aliases = [line for line in ours.split("\n") if re.match(r"#\w+ = ", line)]
kernels = re.search(r"\n(  gpu\.module @.*?\n  \}\n)", ours, re.S).group(1)
print("\n".join(aliases))
print("module attributes {gpu.container_module} {")
print(user + kernels + "}")
