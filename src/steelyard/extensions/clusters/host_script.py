"""What bash does on a host: one script, whose words are ours and hold nothing that a shell would expand."""

from __future__ import annotations

import shlex
from typing import Final

SCRIPT: Final = r"""
set -u
umask 077
verb=$1 name=$2
shift 2
place=${XDG_CACHE_HOME:-$HOME/.cache}/steelyard/jobs/$name
boot=$(cat /proc/sys/kernel/random/boot_id)
born() {
    local line fields
    { read -r line </proc/"$1"/stat; } 2>/dev/null || return 1
    fields=(${line##*) })
    [ "${fields[0]}" != Z ] && echo "${fields[19]}"
}
is_alive() {
    local was since
    { read -r was pid since <id; } 2>/dev/null || return 1
    [ "$was" = "$boot" ] && [ "$(born "$pid")" = "$since" ]
}
size() { if [ -f "$1" ] && [ ! -L "$1" ] && [ "$(stat -c %h "$1")" = 1 ]; then wc -c <"$1"; else echo 0; fi; }
fail() { echo "$2" >&2; cd /; rm -rf "$place"; exit "$1"; }
case $verb in
check)
    for each in tar setsid head tail wc mktemp stat; do
        command -v $each >/dev/null || fail 71 "$each is not installed there"
    done
    mkdir -p "$place" && printf x >"$place/probe" || exit 72
    rm -r "$place"
    echo "$(uname -m) $boot"
    ;;
start)
    [ "$(uname -m)" = "$2" ] || { uname -m >&2; exit 70; }
    mkdir -p "${place%/*}" && mkdir "$place" && cd "$place" || exit 72
    told=$(tar -xof - 2>&1) || fail 72 "$told"
    [ -f complete ] || fail 73 "the connection broke before all orders had arrived"
    ./steelyard-runner </dev/null >/dev/null 2>&1
    [ $? = 2 ] || fail 74 "$place"
    while IFS= read -r -d '' each; do
        told=$(mkdir -p "$each" 2>&1) || fail 72 "$told"
    done <folders
    if [ -f staged ]; then
        told=$(tar -xpof staged -C / 2>&1) || fail 72 "$told"
        rm staged
    fi
    mkdir started || exit 75
    STEELYARD_PLACE=$place STEELYARD_NODE=$1 setsid bash ./job.sh </dev/null >log 2>&1 &
    new=$(mktemp id.XXXXXX) && echo "$boot $! $(born $!)" >"$new" && mv -fT "$new" id && cat id
    ;;
find)
    mkdir -p "$place" && cd "$place" || exit 72
    if mkdir started 2>/dev/null; then : >never && exit 0 || exit 72; fi
    for each in {1..50}; do
        [ -f id ] && exec cat id
        [ -f never ] && exit 0
        sleep 0.1
    done
    exit 76
    ;;
look)
    cd "$place" 2>/dev/null || { echo gone 0 0 0 0; exit 0; }
    if [ -f end ]; then state=ended
    elif is_alive; then state=running
    elif [ -f end ]; then state=ended
    else
        was=
        { read -r was _ <id; } 2>/dev/null
        if [ "$was" = "$boot" ]; then state=died; else state=rebooted; fi
    fi
    end=$(size end) replies=$(size replies) log=$(size log) journal=$(size journal)
    [ "$log" -le 4096 ] || log=4096
    echo $state $end $replies $log $journal
    [ "$end" = 0 ] || head -c "$end" end
    [ "$replies" = 0 ] || head -c "$replies" replies
    [ "$log" = 0 ] || tail -c "$log" log
    [ "$journal" -le "$1" ] || tail -c +$(($1 + 1)) journal | head -c "$2"
    ;;
cancel)
    cd "$place" 2>/dev/null && is_alive && kill -TERM "$pid"
    ;;
forget)
    cd "$place" 2>/dev/null || exit 0
    is_alive && exit 0
    cd / && rm -rf "$place"
    ;;
esac
"""
"""Words: a verb, the name of the job, and for

- ``start``: name of the host, its architecture; standard input is the payload. A folder that is there
  already, or ``started``, ends it: whoever makes ``started`` first decides whether the job begins.
- ``find``: whoever made ``started`` here before the job was begun left ``never``; where neither that nor
  ``id`` appears, nobody knows whether it runs.
- ``look``: bytes of the journal that we have, and how many to send at most.
"""

ANOTHER_MACHINE: Final = 70
NO_SPACE: Final = 72
NO_RUNNER: Final = 74
NO_PROCESS: Final = 76
"""Exit codes of the script; on stderr: the architecture, words of tar and mkdir, the folder, nothing."""


def quote_command(*words: str) -> str:
    """Return the command that a login shell of a host is given; each word reaches the script as it is."""
    return shlex.join(["bash", "-c", SCRIPT, "steelyard", *words])
