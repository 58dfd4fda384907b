#!/bin/sh
# The NAS kernels of workloads/npb: build-npb.sh OPTIMISATION WORKLOADS DIRECTORY
set -eu
cmake -S "$2" -B "$3/tree" -DWORKLOADS_MPI=OFF -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-$1 -DNDEBUG"
cmake --build "$3/tree" --target npb --parallel 2
mv "$3/tree/bin/npb" "$3/npb"
rm -rf "$3/tree"
