#!/bin/sh
# The demonstrators, fit to the first-level data cache of this machine: build.sh SOURCES DIRECTORY
set -eu
for index in /sys/devices/system/cpu/cpu0/cache/index*; do
    if [ "$(cat "$index/level")" = 1 ] && [ "$(cat "$index/type")" = Data ]; then
        ways=$(cat "$index/ways_of_associativity")
        line=$(cat "$index/coherency_line_size")
        span=$(($(cat "$index/number_of_sets") * line))
    fi
done
cc -std=c11 -O2 "$1/stack_split.c" -o "$2/stack_split"
cc -std=c11 -O2 "-DWAYS=$ways" "-DSPAN=$span" "-DLINE=$line" "$1/set_conflict.c" -o "$2/set_conflict"
