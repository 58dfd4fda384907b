#!/bin/sh
# The source of libquantum, from wherever this machine's apt has its packages, configured: libquantum.sh DIRECTORY
set -eu
directory=$(mkdir -p "$1" && cd "$1" && pwd)
apt="$directory/apt"
mkdir -p "$apt/sources" "$apt/lists/partial"
# The machine's own sources, of sources instead of packages; the machine's lists stay as they are.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$list" ] && sed -n 's/^deb /deb-src /p' "$list" > "$apt/sources/$(basename "$list" .list).list"
done
for list in /etc/apt/sources.list.d/*.sources; do
    [ -f "$list" ] && sed 's/^Types:.*/Types: deb-src/' "$list" > "$apt/sources/$(basename "$list")"
done
cd "$directory"
own="-qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$apt/sources -o Dir::State::lists=$apt/lists"
# shellcheck disable=SC2086 -- words
apt-get $own update
# shellcheck disable=SC2086 -- words
apt-get $own source --download-only libquantum
tar -xf libquantum_*.orig.tar.* --strip-components=1
./configure --quiet --without-lapack
rm -r "$apt"
