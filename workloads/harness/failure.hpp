// Errors, of one rank and of all.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "harness/team.hpp"

namespace goodsyard {

/// Something that the command line asks for and that cannot be had: exit code 2. Every rank raises it.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// An error that every rank has, with the same text: they end together, and rank 0 says so.
class SharedFailure : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Raise SharedFailure on every rank if any of them has found something. Collective.
///
/// The text is `what`, the first rank that found something, and what it found.
inline void fail_together(const Team& team, const std::string& subject,
                          const std::optional<std::string>& local) {
    const int first = team.all(Fold::min, local ? team.rank() : team.size());
    if (first == team.size()) {
        return;
    }
    std::string result = local.value_or("");
    team.broadcast(result, first);
    throw SharedFailure(subject + " on rank " + std::to_string(first) + ": " + result);
}

} // namespace goodsyard
