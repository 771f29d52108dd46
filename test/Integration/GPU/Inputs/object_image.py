"""The image in a module's one gpu.object: object_image.py MODULE.mlir FILE"""

import re
import sys

with open(sys.argv[1]) as file:
    text = file.read()
strings = re.findall(r'"((?:[^"\\]|\\.)*)"', text[text.index("#gpu.object"):],
                     re.S)
plain = {b"n": b"\n", b"t": b"\t"}


def unescape(match):
    part = match.group(1)
    return bytes.fromhex(part.decode()) if len(part) == 2 else plain.get(part, part)


image = re.sub(rb"\\([0-9A-Fa-f]{2}|.)", unescape,
               max(strings, key=len).encode())
if image.startswith(b"//"):  # PTX, which is zero-terminated
    image = image.rstrip(b"\0")
with open(sys.argv[2], "wb") as file:
    file.write(image)
