// DEFINE: %{to-ptx} = astfe-opt %S/ptx.mlir --astfe-to-ptx
// DEFINE: %{check} = FileCheck %s
// RUN: %{to-ptx}="chip=sm_70 storage=packed deterministic" | %{check} -DCHIP=sm_70 -DPTX=6.0
// RUN: %if ptxas-sm_70 %{ %{to-ptx}="chip=sm_70 storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_70 %}
// RUN: %{to-ptx}="chip=sm_75 storage=packed deterministic" | %{check} -DCHIP=sm_75 -DPTX=6.3
// RUN: %if ptxas-sm_75 %{ %{to-ptx}="chip=sm_75 storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_75 %}
// RUN: %{to-ptx}="chip=sm_80 storage=packed deterministic" | %{check} -DCHIP=sm_80 -DPTX=7.0
// RUN: %if ptxas-sm_80 %{ %{to-ptx}="chip=sm_80 storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_80 %}
// RUN: %{to-ptx}="chip=sm_86 storage=packed deterministic" | %{check} -DCHIP=sm_86 -DPTX=7.1
// RUN: %if ptxas-sm_86 %{ %{to-ptx}="chip=sm_86 storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_86 %}
// RUN: %{to-ptx}="chip=sm_87 storage=packed deterministic" | %{check} -DCHIP=sm_87 -DPTX=7.4
// RUN: %if ptxas-sm_87 %{ %{to-ptx}="chip=sm_87 storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_87 %}
// RUN: %{to-ptx}="chip=sm_88 storage=packed deterministic" | %{check} -DCHIP=sm_88 -DPTX=9.0
// RUN: %if ptxas-sm_88 %{ %{to-ptx}="chip=sm_88 storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_88 %}
// RUN: %{to-ptx}="chip=sm_89 storage=packed deterministic" | %{check} -DCHIP=sm_89 -DPTX=7.8
// RUN: %if ptxas-sm_89 %{ %{to-ptx}="chip=sm_89 storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_89 %}
// RUN: %{to-ptx}="chip=sm_90 storage=packed deterministic" | %{check} -DCHIP=sm_90 -DPTX=7.8
// RUN: %if ptxas-sm_90 %{ %{to-ptx}="chip=sm_90 storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_90 %}
// RUN: %{to-ptx}="chip=sm_90a storage=packed deterministic" | %{check} -DCHIP=sm_90a -DPTX=8.0
// RUN: %if ptxas-sm_90a %{ %{to-ptx}="chip=sm_90a storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_90a %}
// RUN: %{to-ptx}="chip=sm_100 storage=packed deterministic" | %{check} -DCHIP=sm_100 -DPTX=8.6
// RUN: %if ptxas-sm_100 %{ %{to-ptx}="chip=sm_100 storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_100 %}
// RUN: %{to-ptx}="chip=sm_100f storage=packed deterministic" | %{check} -DCHIP=sm_100f -DPTX=8.8
// RUN: %if ptxas-sm_100f %{ %{to-ptx}="chip=sm_100f storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_100f %}
// RUN: %{to-ptx}="chip=sm_103 storage=packed deterministic" | %{check} -DCHIP=sm_103 -DPTX=8.8
// RUN: %if ptxas-sm_103 %{ %{to-ptx}="chip=sm_103 storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_103 %}
// RUN: %{to-ptx}="chip=sm_110 storage=packed deterministic" | %{check} -DCHIP=sm_110 -DPTX=9.0
// RUN: %if ptxas-sm_110 %{ %{to-ptx}="chip=sm_110 storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_110 %}
// RUN: %{to-ptx}="chip=sm_120 storage=packed deterministic" | %{check} -DCHIP=sm_120 -DPTX=8.7
// RUN: %if ptxas-sm_120 %{ %{to-ptx}="chip=sm_120 storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_120 %}
// RUN: %{to-ptx}="chip=sm_121 storage=packed deterministic" | %{check} -DCHIP=sm_121 -DPTX=8.8
// RUN: %if ptxas-sm_121 %{ %{to-ptx}="chip=sm_121 storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_121 %}
// RUN: %{to-ptx}="chip=sm_121a storage=packed deterministic" | %{check} -DCHIP=sm_121a -DPTX=8.8
// RUN: %if ptxas-sm_121a %{ %{to-ptx}="chip=sm_121a storage=packed format=binary" | %{check} --check-prefix=CUBIN -DCHIP=sm_121a %}

// Every chip compiles in the oldest version of PTX that has it, and ptxas takes
// what its version knows.

// CHECK: .version [[PTX]]
// CHECK: .target [[CHIP]]{{$|,|\\0A}}
// CHECK: .entry tile128(
// CUBIN: chip = "[[CHIP]]"
