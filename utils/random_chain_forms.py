"""Random chains over one sparse matrix, as functions in linalg:
utils/random_chains.py runs them.

    pattern = Pattern(rng, "f32")
    print(pattern.encoding() + Chain(rng, pattern).module())
"""

from random_chain_steps import Steps


class Chain(Steps):
    """A function of one of the forms that models have, or of any steps."""

    # What integers have, too, comes last.
    FORMS = ("attention", "attention", "masked", "graph_attention", "gradients",
             "norm", "layers", "sampled", "layer", "semiring", "two_products", "any",
             "any", "any")
    WHOLE_FORMS = FORMS[-7:]

    def __init__(self, rng, pattern, form=None):
        super().__init__(rng, pattern)
        forms = self.WHOLE_FORMS if self.is_whole() else self.FORMS
        self.form = form if form in forms else rng.choice(forms)
        getattr(self, self.form)()

    def some_unary(self, value, share=0.5):
        return self.unary(value) if self.chance(share) else value

    # Forms.

    def softmax(self, scores):
        """Weights, or exponentials and the sums that are to divide them."""
        scores = self.limited(scores, 1 if self.is_rounded() else 5)
        shifted = scores
        if self.chance(0.85):
            most = self.reduce(scores, "max")
            guard = self.chance(0.2)
            shifted = self.binary(
                scores, most, "sub", lambda b, x, y: b.op(
                    "arith.subf", x, b.op("arith.maximumf", y, b.constant(-1e4))
                    if guard else y))
            if self.chance(0.15):
                self.returns(most)
        weights = self.unary(shifted, "exp")
        # Differences to the maximum are as large as two numbers, and below 0.
        weights.size = min(weights.size, 1 if shifted is not scores else 200)
        sums = self.total([weights])
        if self.chance(0.15):
            self.returns(sums)
        if self.chance(0.5):
            return weights, sums
        divided = self.binary(weights, sums, "div",
                              lambda b, x, y: b.op("arith.divf", x, y))
        divided.size = 1
        return self.some_unary(divided, 0.1), None

    def weigh(self, weights, sums):
        """The product with V, and what follows it."""
        made = self.product(weights, divisor=sums)
        made.size = max(1, weights.size)
        if self.chance(0.3):
            made = self.epilogue(made)
        self.returns(made)
        if self.chance(0.15):
            self.returns(self.product(weights, divisor=sums))

    def attention(self):
        scores = self.sample()
        self.returns_some(scores)
        if self.chance(0.3):
            scores = self.binary(scores, self.outer(), "add")
        if self.chance(0.3):
            scores = self.binary(scores, self.stored, self.rng.choice(
                ("add", "mul")))
        if self.chance(0.2):
            scores = self.unary(scores, "leaky")
        self.weigh(*self.softmax(scores))

    def masked(self):
        """Entries that -inf hides, and rows of these alone, which are NaN."""
        self.pattern.hidden = self.rng.choice((0.1, 0.5, 0.95))
        scores = self.limited(self.sample(kind="pattern"),
                              1 if self.is_rounded() else 4)
        self.weigh(*self.softmax(self.binary(scores, self.stored, "add")))

    def graph_attention(self):
        scores = self.binary(self.stored, self.operand(self.key), "add")
        scores = self.binary(scores, self.operand(self.other), "add")
        self.weigh(*self.softmax(self.unary(scores, "leaky")))

    def gradients(self):
        scores = self.limited(self.sample(), 1 if self.is_rounded() else 4)
        weights = self.unary(self.binary(scores, self.operand(self.key), "sub"),
                             "exp")
        slopes = self.limited(self.sample(), 4)
        sums = self.total([weights, slopes])
        apart = self.binary(slopes, sums, "sub")
        made = self.binary(weights, apart, "mul")
        if self.chance(0.5):
            made = self.binary(made, self.stored, "mul")
        self.returns(self.product(made))
        if self.chance(0.4):
            self.returns(self.product(weights))

    def sampled(self):
        made = self.sample()
        for _ in range(self.rng.choice((0, 1, 1, 2))):
            made = self.any_step(made)
        product = self.product(made)
        self.returns(self.epilogue(product) if self.chance(0.4) else product)
        if self.chance(0.2):
            self.returns(self.reduce(made))
        self.returns_some(made)

    def returns_some(self, value):
        """A sparse result, where astfe-run knows its pattern."""
        if value.plain and value is not self.stored and self.chance(0.4):
            self.returns(value)

    def layer(self):
        made, factors = self.stored, []
        if self.chance(0.4):
            made = self.any_step(made)
        if self.chance(0.3):
            factors = [self.total([self.stored])]
        if self.chance(0.2):
            sums = self.reduce(made)
            self.returns(self.epilogue_of_sums(sums))
            return
        made = self.epilogue(self.product(made), factors)
        self.returns(self.epilogue(made) if self.chance(0.3) else made)

    def epilogue_of_sums(self, sums):
        made = self.epilogue(sums)
        return self.epilogue(made) if self.chance(0.3) else made

    def norm(self):
        """Rows divided by their lengths."""
        made = self.sample() if self.chance(0.5) else self.stored
        made = self.limited(made, 8)
        squares = self.total([self.unary(made, "square")])
        write = (lambda b, x, y: b.op("arith.divf", x, b.op(
            "math.sqrt", b.op("arith.addf", y, b.constant(1.0)))))
        made = self.binary(made, squares, "div", write)
        self.returns(self.product(self.some_unary(made)))
        if self.chance(0.2):
            self.returns(squares)

    def semiring(self):
        made = self.any_step(self.stored)
        kind = self.rng.choice(("max", "min"))
        self.returns(self.product(self.some_unary(made), kind=kind))
        if self.chance(0.3):
            self.returns(self.reduce(made, "min"))

    def two_products(self):
        made = self.any_step(self.sample() if self.chance(0.5) else self.stored)
        self.returns(self.product(made))
        self.returns(self.product(self.some_unary(made, 0.3)))
        if self.chance(0.3):
            self.returns(self.product(made))
        self.returns_some(made)

    def layers(self):
        """Two in a row, the second of which may read what the first makes."""
        self.graph_attention() if self.chance(0.5) else self.layer()
        self.attention() if self.chance(0.5) else self.sampled()

    def any(self):
        """Steps of any kind that read any others, and something at the end."""
        made, keys = [self.stored], []
        for _ in range(self.rng.randint(1, 6)):
            value = self.rng.choice(made[-2:])
            if self.chance(0.3):
                keys.append(self.reduce(value))
            elif keys and self.chance(0.3):
                made.append(self.binary(value, self.rng.choice(keys)))
            else:
                made.append(self.any_step(value, made))
        keys_of_rows = [k for k in keys if k.names == self.key]
        factors = [k for k in keys if self.chance(0.3)][:2]
        if self.chance(0.85) or not keys:
            product = self.product(made[-1], factors)
            self.returns(self.epilogue(product, [k for k in keys_of_rows
                                                 if self.chance(0.2)])
                         if self.chance(0.3) else product)
        for value in keys:
            if self.chance(0.25) or not self.results:
                self.returns(value)
        for value in made:
            self.returns_some(value)

    def any_step(self, value, others=()):
        kind = self.rng.random()
        if kind < 0.45:
            return self.unary(value)
        if kind < 0.75:
            return self.binary(value, self.outer())
        # Of a difference to itself canonicalisation leaves no sparse operand.
        others = [v for v in (*others, self.stored) if v is not value]
        if others and kind < 0.85:
            return self.binary(value, self.rng.choice(others))
        return self.sample(value)

    # Text.

    def module(self, name="run"):
        sizes = []
        for n in sorted(self.unknown):
            if n in "ij":
                sizes.append((n, "%A", "ij".index(n),
                              self.type("ij", self.element, True)))
                continue
            found = next(v for v in self.arguments.values()
                         if n in v[1])
            sizes.append((n, found[0], found[1].index(n), found[2]))
        lines = []
        for n, argument, at, kind in sizes:
            lines += [f"%at_{n} = arith.constant {at} : index",
                      f"%size_{n} = tensor.dim {argument}, %at_{n} : {kind}"]
        arguments = {"%A": self.type("ij", self.element, True)}
        arguments.update({k: v[2] for k, v in self.arguments.items()})
        types = ", ".join(t for _, t in self.results)
        return (f"func.func @{name}("
                + ", ".join(f"{a}: {t}" for a, t in arguments.items())
                + f") -> ({types}) {{\n  "
                + "\n  ".join(lines + self.lines)
                + f"\n  return {', '.join(v for v, _ in self.results)} : "
                f"{types}\n}}\n")
