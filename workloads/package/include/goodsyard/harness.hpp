// Component harness: options, the measuring loop, phases, checksums, seeded draws, a program without ranks.
#pragma once

#include "goodsyard/version.hpp"
#include "harness/checksum.hpp"
#include "harness/entry.hpp"
#include "harness/program.hpp"
#include "harness/random.hpp"
