// Ranks that misuse the runtime, and what the program ends with.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "simulated_ranks.hpp"

namespace goodsyard::runtime {

/// With 2 and 3 ranks, `body` ends the program with exit code 1 and one line, of a rank and `sentence`, a
/// regular expression.
inline void expect_end(const std::function<void(Runtime&, const Team&)>& body, const std::string& sentence,
                       const Parameters& parameters = {}) {
    for (const int ranks : {2, 3}) {
        EXPECT_EXIT(on_ranks({.ranks = ranks}, parameters, body), testing::ExitedWithCode(1),
                    "^[^\n]+: rank [0-2]: " + sentence + "\n$");
    }
}

} // namespace goodsyard::runtime
