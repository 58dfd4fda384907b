#!/bin/sh
# The NAS kernels of workloads/npb, by the compiler alone: build-npb.sh OPTIMISATION WORKLOADS DIRECTORY
set -eu
cd "$2"
c++ -std=c++20 "-$1" -DNDEBUG -fopenmp -I. npb/*.cpp harness/ending.cpp harness/last_words.cpp harness/options.cpp harness/program.cpp \
    protocol/lines.cpp timing/clock.cpp -o "$3/npb"
