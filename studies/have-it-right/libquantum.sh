#!/bin/sh
# The source of libquantum, configured: libquantum.sh DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
"$here/source.sh" libquantum "$1"
cd "$1"
tar -xf libquantum_*.orig.tar.* --strip-components=1
./configure --quiet --without-lapack
