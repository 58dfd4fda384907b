#!/bin/sh
# The source of a package, from wherever this machine's apt has its packages: source.sh PACKAGE DIRECTORY
set -eu
package=$1
directory=$(mkdir -p "$2" && cd "$2" && pwd)
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
apt-get $own source --download-only "$package"
rm -r "$apt"
