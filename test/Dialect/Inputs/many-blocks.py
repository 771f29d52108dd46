"""Prints a constant graph of 100,000 blocks along rows."""

BLOCKS = 100_000
cells = "\n".join(f"b{i:017b} : {i % 977 + 1}" for i in range(BLOCKS))
groups = ", ".join(str(i) for i in range(0, BLOCKS + 1, 10))
print(f"""func.func @f() -> !astfe.graph<131072x?> {{
  %g = astfe.graph rows [131072, 1] {{
{cells}
}} groups [{groups}] limit 5000 : !astfe.graph<131072x?>
  return %g : !astfe.graph<131072x?>
}}""")
