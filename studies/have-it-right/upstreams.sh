#!/bin/sh
# What build-upstream.sh compiles, with the patches of Debian: upstreams.sh DIRECTORY
# Needs dpkg-dev, hmmer2 and libsquid-dev. perl, gcc, gnugo and xalan are run as Debian has built them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
for package in bzip2 hmmer2; do
    [ -d "$1/$package/tree" ] && continue
    "$here/source.sh" "$package" "$1/$package"
    dpkg-source --no-check -x "$1/$package/$package"_*.dsc "$1/$package/tree"
done
[ -f "$1/hmmer2/tree/src/config.h" ] || (cd "$1/hmmer2/tree" && ./configure --quiet --enable-threads=no)
[ -f "$1/libquantum/config.h" ] || "$here/libquantum.sh" "$1/libquantum"
