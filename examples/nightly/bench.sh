#!/bin/sh
# bench.sh NODE: stands for a benchmark on a node; nid03 is slow from night 8 on, and a new library from night 12 on.
exec python3 - "$1" <<'P'
import os, random, sys
night, node = int(os.environ.get("NIGHT", "1")), sys.argv[1]
random.seed(f"{night} {node}")
old = night < 12
slow = 0.85 if node == "nid03" and night >= 8 else 1.0
print(f"Triad: {182000 * slow * random.gauss(1, 0.006):.1f} MB/s")
print(f"Rate: {1410 * slow * (1 if old else 0.95) * random.gauss(1, 0.008):.2f} GFLOP/s")
print(f"Start: {12.4 * random.gauss(1, 0.03):.3f} s")
if night == 5 and node == "nid02":
    sys.exit("nid02: connection refused")
print("PASSED")
P
