#!/bin/sh
# The study's own programs: build.sh OPTIMISATION SOURCES DEMONSTRATORS DIRECTORY [OPTION]
set -eu
for program in gaussian buckets relax; do
    cc -std=c11 "-$1" ${5:+"$5"} "$2/$program.c" -lm -o "$4/$program"
done
cc -std=c11 "-$1" "$3/stack_split.c" -o "$4/stack_split"
