#!/bin/sh
# A network namespace for each rank and one for the relay, joined by veth pairs: namespaces.sh up RANKS RATE | down
#
# Rank I has 10.78.I.2, its gateway in the hub 10.78.I.1. What a rank sends is held to RATE (as tc writes it: 8mbit) by tbf.
# Their names begin with the variable SPACES, or steyard. Needs CAP_SYS_ADMIN and CAP_NET_ADMIN.
set -eu
spaces=${SPACES-steyard}
down() {
    for name in $(ip netns list | awk -v spaces="^$spaces-" '$1 ~ spaces { print $1 }'); do
        ip netns delete "$name"
    done
}
case ${1-} in
up)
    down
    ip netns add "$spaces-hub"
    ip -n "$spaces-hub" link set lo up
    rank=0
    while [ "$rank" -lt "$2" ]; do
        ip netns add "$spaces-$rank"
        ip -n "$spaces-hub" link add "hub$rank" type veth peer name eth0 netns "$spaces-$rank"
        ip -n "$spaces-hub" address add "10.78.$rank.1/30" dev "hub$rank"
        ip -n "$spaces-hub" link set "hub$rank" up
        ip -n "$spaces-$rank" address add "10.78.$rank.2/30" dev eth0
        ip -n "$spaces-$rank" link set eth0 up
        ip netns exec "$spaces-$rank" tc qdisc add dev eth0 root tbf rate "$3" burst 4kb latency 4s
        rank=$((rank + 1))
    done
    ;;
down) down ;;
*)
    echo "usage: namespaces.sh up RANKS RATE | down" >&2
    exit 2
    ;;
esac
