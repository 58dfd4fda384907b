// Operations and ranks that are made up, for tests of what measures them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/operation.hpp"

namespace goodsyard {

/// Counts what is done with it, and is wrong from its `wrong_from`th run on.
class Counting : public Operation {
  public:
    void prepare() override { prepared++; }
    void run() override { ran++; }
    void spoil() override { spoilt++; }
    std::optional<std::string> wrong() override {
        ++looked;
        return ran >= wrong_from ? std::optional<std::string>("7 is not 8") : std::nullopt;
    }
    [[nodiscard]] bool checks_each() const override { return each; }

    int prepared = 0;
    int ran = 0;
    int spoilt = 0;
    int looked = 0;
    int wrong_from = 1 << 30;
    bool each = false;
};

} // namespace goodsyard
