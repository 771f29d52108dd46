"""Random programs: products, sampled ones, sums, loops, branches and calls,
nested."""

from .program import Program
from .shapes import add, callee, double, loop, sample


def random_program(rng, number):
    p = Program(f"random{number}", rng.choice(["CSR", "CSR", "CSC", "COO"]),
                rng.random() < 0.5, rng.choice([5, 24, 33, 150]),
                rng.choice([2, 8, 16, 20]))
    values, matrices = ["%B", "%C"], ["%A", "%A2"]

    def matrix():
        return rng.choice(matrices)

    def step(depth, values):
        kind = rng.randrange(10)
        pick = lambda: rng.choice(values)
        if kind <= 2:
            return p.product(matrix(), pick(), pick())
        if kind == 3:
            return p.product(matrix(), pick(), p.zeros())
        if kind == 4:
            return add(p, pick(), pick())
        if kind == 5 and depth < 2:
            def body(carried):
                value, result = step(depth + 1, values + [carried]), p.new()
                p.line(f"{result} = bufferization.materialize_in_destination "
                       f"{value} in {carried} : ({p.dense}, {p.dense}) -> "
                       f"{p.dense}")
                return result
            return loop(p, body, pick(), rng.choice(["for", "while"]))
        if kind == 6 and depth < 2:
            result = p.new()
            p.line(f"{result} = scf.if %go -> ({p.dense}) {{")
            p.line(f"scf.yield {step(depth + 1, list(values))} : {p.dense}")
            p.line("} else {")
            p.line(f"scf.yield {step(depth + 1, list(values))} : {p.dense}")
            p.line("}")
            return result
        if kind == 7:
            name, result = callee(p, rng.choice(["private", "public"])), p.new()
            p.line(f"{result} = func.call {name}({matrix()}, {pick()}, "
                   f"{pick()}) : ({p.sparse}, {p.dense}, {p.dense}) -> "
                   f"{p.dense}")
            return result
        if kind == 8:
            value, result = pick(), p.new()
            p.line(f"{result} = bufferization.materialize_in_destination "
                   f"{value} in {p.empty()} : ({p.dense}, {p.dense}) -> "
                   f"{p.dense}")
            return result
        made = (sample(p, matrix(), pick(), pick()) if rng.random() < 0.7
                else double(p, matrix()))
        if depth == 0 and len(matrices) < 4:  # others are not to be seen there
            matrices.append(made)
        return p.product(made, pick(), pick())

    for _ in range(rng.randint(1, 5)):
        values.append(step(0, values))
    p.result = values[-1]
    return p
