// What is wrong with data or options, and its cure.
#pragma once

#include <stdexcept>
#include <string>

namespace workloads::mafia {

class InputError : public std::runtime_error {
  public:
    InputError(const std::string& what, std::string hint)
        : std::runtime_error(what), hint_(std::move(hint)) {}
    [[nodiscard]] const std::string& hint() const { return hint_; }

  private:
    std::string hint_;
};

} // namespace workloads::mafia
