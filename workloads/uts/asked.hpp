// What the command line of `uts` asks for.
#pragma once

#include <cstdint>
#include <string>

#include "harness/computation.hpp"
#include "harness/options.hpp"
#include "runtime/parameters.hpp"
#include "uts/tree.hpp"

namespace goodsyard::uts {

struct Asked {
    std::string tree;          ///< A name; empty: the parameters.
    TreeParameters parameters; ///< Those of the named tree, once the command line is parsed.
    Sha sha = Sha::automatic;
    bool memory = false;                        ///< UTS-mem: build the tree first, and measure its traversal.
    int list_piece = 7;                         ///< UTS-mem: children of a list that are read at once.
    std::uint64_t seed = 1;                     ///< Of the victims.
    std::uint64_t most_nodes = 10'000'000'000U; ///< Of a rank.
    int repetitions = 1;
    ComputeMode compute = ComputeMode::off;
    std::string rates;
    double compute_times = 1; ///< So many times as long does every operation take.
    runtime::Parameters runtime;
};

/// Declare an option for each; `asked` must outlive `options`.
void declare(Options& options, Asked& request);

} // namespace goodsyard::uts
