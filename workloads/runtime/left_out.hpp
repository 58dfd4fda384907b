// An operation of a program that its options exclude.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/failure.hpp"
#include "harness/operation.hpp"
#include "harness/settings.hpp"

namespace goodsyard::runtime {

/// Nothing, so that the operation is passed over among others. Raises UsageError where it alone is asked for.
inline std::unique_ptr<Operation> left_out(const Settings& settings, const std::string& name,
                                           const std::string& needs) {
    if (settings.ops == std::vector<std::string>{name}) {
        throw UsageError("--ops " + name + " needs " + needs);
    }
    return nullptr;
}

} // namespace goodsyard::runtime
