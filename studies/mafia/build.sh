#!/bin/sh
# Builds MAFIA alone into the directory that is named.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cmake -S "$here/../../workloads" -B "$1" -G Ninja -DWORKLOADS_MPI=OFF
cmake --build "$1" --target mafia
