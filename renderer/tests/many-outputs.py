#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print the assembly of a geometry shader with many outputs, each of which is a PointSize.

usage: many-outputs.py COUNT
"""
import sys

names = [f"%size{i}" for i in range(int(sys.argv[1]))]
print("OpCapability Geometry\nOpMemoryModel Logical GLSL450\nOpEntryPoint Geometry %main \"main\"\n"
      "OpExecutionMode %main InputPoints\nOpExecutionMode %main Invocations 32\n"
      "OpExecutionMode %main OutputPoints\nOpExecutionMode %main OutputVertices 256")
for name in names:
    print(f"OpDecorate {name} BuiltIn PointSize")
print("%void = OpTypeVoid\n%function = OpTypeFunction %void\n%float = OpTypeFloat 32\n"
      "%pointer = OpTypePointer Output %float")
for name in names:
    print(f"{name} = OpVariable %pointer Output")
print("%main = OpFunction %void None %function\n%start = OpLabel\nOpEmitVertex\nOpReturn\n"
      "OpFunctionEnd")
