#!/bin/sh
# build-libquantum.sh OPTIMISATION LIBQUANTUM DIRECTORY FILE...: the driver and libquantum, linked in this order
set -eu
opt=$1 tree=$2 to=$3
shift 3
if [ ! -f "$tree/config.h" ]; then
    echo "no configured libquantum in $tree: studies/have-it-right/libquantum.sh makes it" >&2
    exit 1
fi
# Not -I: complex.h of the library would hide that of the compiler, which it includes.
cc -std=gnu11 "-$opt" -iquote "$tree" "$@" -lm -o "$to/libquantum"
