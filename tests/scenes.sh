#!/bin/bash
# SPDX-License-Identifier: MIT
# The names of glmark2's scenes, on one line.
glmark2 --list-scenes | sed -n 's/^\[Scene\] //p' | tr '\n' ' '
