// A sort as the harness measures it: on a fresh copy of the input each time, with every outcome checked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mpi/entry.hpp"
#include "sorting/blocks.hpp"
#include "sorting/inputs.hpp"
#include "sorting/parameters.hpp"

namespace goodsyard::sorting {

/// What the command line of psort asks for.
struct Asked {
    Parameters parameters;
    Distribution distribution = Distribution::uniform;
    KeyType type = KeyType::u64;
    Blocks blocks = Blocks::even;
    std::uint64_t keys_per_rank = 1000;
    bool payload = false;
    std::string file;   ///< Numbers to be sorted instead of drawn keys; empty: none.
    std::string output; ///< File for the sorted keys; empty: none.
};

/// The sort that is asked for. Collective. Raises SharedFailure where it cannot sort that input.
std::unique_ptr<Operation> make_operation(const MpiContext& context, const Asked& request);

} // namespace goodsyard::sorting
