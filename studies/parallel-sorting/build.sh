#!/bin/sh
# Builds psort with the compiler that is named into a directory: build.sh COMPILER DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# CMake tries the compiler on programs that are not for a simulator.
SMPI_PRETEND_CC=1 cmake -S "$here/../../workloads" -B "$2" -G Ninja -DCMAKE_CXX_COMPILER="$1"
cmake --build "$2" --target psort
