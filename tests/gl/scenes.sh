#!/bin/bash
# SPDX-License-Identifier: MIT
# Prints the names of glmark2's scenes on one line.
glmark2 --list-scenes | sed -n 's/^\[Scene\] //p' | tr '\n' ' '
