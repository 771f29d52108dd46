"""A program: its text, a matrix and blocks to call it with, and a clock.

@main shows the result of one call of @f, then the least time of `rounds` rounds
of `trips` calls.
"""

FORMATS = {
    "CSR": "(i, j) -> (i : dense, j : compressed)",
    "CSC": "(i, j) -> (j : dense, i : compressed)",
    "DCSR": "(i, j) -> (i : compressed, j : compressed)",
    "COO": "(i, j) -> (i : compressed(nonunique), j : singleton)",
}
WIDTHS = ", posWidth = 32, crdWidth = 32"


class Program:
    """The text of @f and of a @main that calls it."""

    def __init__(self, name, form, dynamic, size=24, columns=8, rounds=0):
        self.name, self.form, self.dynamic = name, form, dynamic
        self.size, self.columns = size, columns
        self.rounds, self.trips = rounds, 20
        self.functions, self.body, self.count = [], [], 0
        extent = "?" if dynamic else str(size)
        self.sparse = f"tensor<{extent}x{extent}xf64, #F>"
        self.dense = f"tensor<{extent}x{columns}xf64>"

    def new(self):
        self.count += 1
        return f"%v{self.count}"

    def line(self, text):
        self.body.append(text)

    def product(self, matrix, right, out):
        """out + matrix * right."""
        result = self.new()
        self.line(f"{result} = linalg.matmul ins({matrix}, {right} : "
                  f"{self.sparse}, {self.dense}) outs({out} : {self.dense}) "
                  f"-> {self.dense}")
        return result

    def empty(self):
        result = self.new()
        size = "(%n)" if self.dynamic else "()"
        self.line(f"{result} = tensor.empty{size} : {self.dense}")
        return result

    def zeros(self):
        empty, result = self.empty(), self.new()
        self.line(f"{result} = linalg.fill ins(%zero : f64) outs({empty} : "
                  f"{self.dense}) -> {self.dense}")
        return result

    def text(self):
        arguments = (f"%A: {self.sparse}, %A2: {self.sparse}, "
                     f"%B: {self.dense}, %C: {self.dense}, %n: index, "
                     "%go: i1")
        body = "\n  ".join(
            ["%zero = arith.constant 0.0 : f64",
             "%one = arith.constant 1.0 : f64",
             "%c0 = arith.constant 0 : index",
             "%c1 = arith.constant 1 : index",
             "%c2 = arith.constant 2 : index",
             "%c3 = arith.constant 3 : index"] + self.body)
        functions = "\n".join(self.functions)
        return f"""#F = #sparse_tensor.encoding<{{
  map = {FORMATS[self.form]}{WIDTHS}
}}>
{functions}
func.func @f({arguments}) -> {self.dense} {{
  {body}
  return {self.result} : {self.dense}
}}
{self.main()}"""

    def main(self):
        size, columns = self.size, self.columns
        full = f"tensor<{size}x{size}xf64>"
        block = f"tensor<{size}x{columns}xf64>"
        cast_matrix = (f"tensor.cast %d : {full} to tensor<?x?xf64>"
                       if self.dynamic else f"tensor.cast %d : {full} to {full}")
        unsparse = ("tensor<?x?xf64>" if self.dynamic else full)
        block_cast = (f"{block} to {self.dense}")
        return f"""
func.func private @rtclock() -> f64
func.func @matrix(%shift: index) -> {self.sparse} {{
  %zero = arith.constant 0.0 : f64
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %d = tensor.generate {{
  ^bb0(%i: index, %j: index):
    %a = arith.muli %i, %c7 : index
    %b = arith.muli %j, %c5 : index
    %c = arith.addi %a, %b : index
    %e = arith.addi %c, %shift : index
    %r = arith.remui %e, %c11 : index
    %keep = arith.cmpi ult, %r, %c3 : index
    %s = arith.addi %i, %j : index
    %m = arith.remui %s, %c3 : index
    %k = arith.index_cast %m : index to i32
    %f = arith.sitofp %k : i32 to f64
    %v = arith.select %keep, %f, %zero : f64
    tensor.yield %v : f64
  }} : {full}
  %t = {cast_matrix}
  %A = sparse_tensor.convert %t : {unsparse} to {self.sparse}
  return %A : {self.sparse}
}}
func.func @block(%shift: index) -> {self.dense} {{
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %d = tensor.generate {{
  ^bb0(%i: index, %j: index):
    %a = arith.muli %i, %c3 : index
    %b = arith.addi %a, %j : index
    %c = arith.addi %b, %shift : index
    %r = arith.remui %c, %c5 : index
    %k = arith.index_cast %r : index to i32
    %f = arith.sitofp %k : i32 to f64
    tensor.yield %f : f64
  }} : {block}
  %t = tensor.cast %d : {block_cast}
  return %t : {self.dense}
}}
func.func @show(%t: {self.dense}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {size} : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %n step %c1 {{
    %v = vector.transfer_read %t[%i, %c0], %zero
      : {self.dense}, vector<{columns}xf64>
    vector.print %v : vector<{columns}xf64>
  }}
  return
}}
func.func @main() -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant {size} : index
  %rounds = arith.constant {self.rounds} : index
  %trips = arith.constant {self.trips} : index
  %go = arith.constant true
  %A = call @matrix(%c0) : (index) -> {self.sparse}
  %A2 = call @matrix(%c4) : (index) -> {self.sparse}
  %B = call @block(%c0) : (index) -> {self.dense}
  %C = call @block(%c1) : (index) -> {self.dense}
  %r = call @f(%A, %A2, %B, %C, %n, %go) : ({self.sparse}, {self.sparse},
    {self.dense}, {self.dense}, index, i1) -> {self.dense}
  call @show(%r) : ({self.dense}) -> ()
  call @show(%B) : ({self.dense}) -> ()
  %hour = arith.constant 3600.0 : f64
  %t = scf.for %round = %c0 to %rounds step %c1 iter_args(%least = %hour)
      -> f64 {{
    %t0 = func.call @rtclock() : () -> f64
    scf.for %i = %c0 to %trips step %c1 {{
      %s = func.call @f(%A, %A2, %B, %C, %n, %go) : ({self.sparse},
        {self.sparse}, {self.dense}, {self.dense}, index, i1) -> {self.dense}
    }}
    %t1 = func.call @rtclock() : () -> f64
    %taken = arith.subf %t1, %t0 : f64
    %new = arith.minimumf %least, %taken : f64
    scf.yield %new : f64
  }}
  vector.print str "seconds "
  vector.print %t : f64
  %ok = arith.constant 0 : i32
  return %ok : i32
}}
"""
