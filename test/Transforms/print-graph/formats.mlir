// RUN: astfe-opt %s --astfe-print-graph="intensities edges" -o %t | FileCheck %s --check-prefix=TABLE
// RUN: astfe-opt %s --astfe-print-graph="format=dot boxes intensities edges" -o %t | FileCheck %s --check-prefix=DOT
// RUN: astfe-opt %s --astfe-print-graph="format=json" -o %t | %python -m json.tool | FileCheck %s --check-prefix=JSON
// RUN: astfe-opt %s --astfe-print-graph="format=svg output=%t.svg" -o %t
// RUN: FileCheck %s --check-prefix=SVG --input-file=%t.svg
// RUN: astfe-opt %s --astfe-print-graph="format=svg edges" -o %t | FileCheck %s --check-prefix=SVG-EDGES

// M is the lower median of 8, 1, 2, 1.

// TABLE:      block  group  prefix  nonzeros         C  C/(C+M)
// TABLE-NEXT:     0      0  00             8         8    0.889
// TABLE-NEXT:     1      1  01             1         1    0.500
// TABLE:     edge 0 -- 1 axis 1, {{[0-9]+}} bytes
// TABLE:     edge 0 -- 3 axis 0, {{[0-9]+}} bytes

// DOT:      graph astfe {
// DOT:        subgraph cluster_2 {
// DOT-NEXT:     label="group 2";
// DOT-NEXT:     b2 [label="10\n2 nonzeros\nC 2\n[4, 8) x [4, 8)"];
// DOT-NEXT:     b3 [label="11\n1 nonzeros\nC 1\n[4, 8) x [0, 4)"];
// DOT:        b0 -- b3

// JSON: "order": "hilbert"
// JSON: "groups": [

// The curve runs through the middles of the four boxes.

// SVG: <svg xmlns="http://www.w3.org/2000/svg" width="800" height="872">
// SVG: <rect x="400.00" y="400.00" width="400.00" height="400.00" {{.*}}<title>10: 2 nonzeros, group 2</title>
// SVG: points="200.00,200.00 600.00,200.00 600.00,600.00 200.00,600.00 "
// SVG: >4 blocks, a colour for each of 3 groups</text>
// SVG: >nonzeros in a cell: 1e-5 and fewer to 1</text>
// SVG: stroke="black"{{.*}}>the curve, from block to block</text>
// SVG-NOT: common face
// SVG-EDGES: stroke="gray"{{.*}}>blocks with a common face</text>

func.func @f() -> !astfe.graph<8x8> {
  %g = astfe.graph hilbert [8, 8] { b00 : 8  b01 : 1  b10 : 2  b11 : 1 }
    groups [0, 1, 2, 4] {astfe.profile = #astfe.profile<hilbert [8, 8] {
      b0000 : 5  b0001 : 1  b0010 : 2  b01 : 1  b10 : 2  b11 : 1 }>}
    : !astfe.graph<8x8>
  return %g : !astfe.graph<8x8>
}
