#!/bin/bash
# One of three upstreams of SPEC's programs, compiled from its sources, with counters of ours.
# build-upstream.sh PROGRAM OPTIMISATION ORDER COUNTERS FILES SEED TREES BUILD
#
# ORDER draws the order in which the objects are linked, 0 as written. COUNTERS are those of the kernel around all of
# the program. The functions of so many FILES count their calls; SEED draws which. Objects are kept beside the trees.
set -eu
program=$1 opt=$2 order=$3 counters=$4 files=$5 seed=$6 trees=$7 build=$8
here=$(cd "$(dirname "$0")" && pwd)
include="$here/../../src/steelyard/extensions/observe/include"
case $program in
bzip2)
    at="$trees/bzip2/tree" main=bzip2 options="-D_FILE_OFFSET_BITS=64" libraries=""
    objects="bzip2 blocksort huffman crctable randtable compress decompress bzlib"
    ;;
hmmer)
    at="$trees/hmmer2/tree/src" main=hmmsearch options="-iquote $trees/hmmer2/tree/src -I/usr/include/biosquid" libraries="-lsquid -lm"
    objects="hmmsearch alphabet core_algorithms debug display emit emulation fast_algorithms histogram hmmio masks
        mathsupport misc modelmakers plan7 plan9 postprob prior pvm threads tophits trace"
    ;;
libquantum)
    at="$trees/libquantum" main=libquantum options="-iquote $trees/libquantum" libraries="-lm"
    objects="libquantum classic complex decoherence density energy error expn gates matrix measure oaddn objcode omuln
        qec qft qtime qureg version"
    ;;
esac
[ -d "$at" ] || { echo "no sources in $at: studies/have-it-right/upstreams.sh makes them" >&2; exit 1; }

draw() { # lines of stdin in an order that a number draws
    shuf --random-source=<(yes "$1")
}
counted=" $(tr ' ' '\n' <<<"$(echo $objects)" | draw "$seed" | head -n "$files" | tr '\n' ' ')"
kept="$trees/objects/$program-$opt"
mkdir -p "$kept"
linked=()
for object in $objects; do
    source="$at/$object.c" more="" name=$object
    [ "$program $object" = "libquantum libquantum" ] && source="$here/libquantum.c"
    if [[ $counted == *" $object "* ]]; then
        more="-finstrument-functions" name="$name-counted"
    fi
    if [ "$object" = "$main" ]; then
        more="$more -I$include -DSTEELYARD_PROBES=$counters -DSTEELYARD_PROBE_SOFTWARE -include $here/around.h"
        name="$name-$counters"
    fi
    if [ ! -f "$kept/$name.o" ]; then
        # shellcheck disable=SC2086 -- words
        gcc -std=gnu11 -D_GNU_SOURCE "-$opt" -w $options $more -c "$source" -o "$build/$name.o"
        mv "$build/$name.o" "$kept/$name.o"
    fi
    linked+=("$kept/$name.o")
done
if [ "$order" != 0 ]; then
    mapfile -t linked < <(printf '%s\n' "${linked[@]}" | draw "$order")
fi
gcc -std=gnu11 "-$opt" -c "$here/entries.c" -o "$build/entries.o"
# shellcheck disable=SC2086 -- words
gcc "$build/entries.o" "${linked[@]}" $libraries -o "$build/prog"
rm "$build/entries.o"
"$here/inputs-upstreams.sh" "$build"
