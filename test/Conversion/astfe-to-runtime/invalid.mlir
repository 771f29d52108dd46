// RUN: astfe-opt %s --convert-astfe-to-scf --allow-unregistered-dialect \
// RUN:   --split-input-file --verify-diagnostics

// expected-error @below {{expected handles to stay in structured control flow but got one as an argument of a block}}
func.func @blocks(%g: !astfe.graph<8x8>, %k: !astfe.graph<8x8>, %c: i1)
    -> !astfe.graph<8x8> {
  cf.cond_br %c, ^bb1(%g : !astfe.graph<8x8>), ^bb1(%k : !astfe.graph<8x8>)
^bb1(%q: !astfe.graph<8x8>):
  return %q : !astfe.graph<8x8>
}

// -----

func.func @unknown() -> !astfe.graph<8x8> {
  // expected-error @below {{expected handles to be made by astfe ops, calls and structured control flow}}
  %g = "test.graph"() : () -> !astfe.graph<8x8>
  return %g : !astfe.graph<8x8>
}
