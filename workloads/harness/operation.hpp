// What is measured: an operation of all ranks on its own buffers, and a check of what it did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/phases.hpp"
#include "harness/starting.hpp"
#include "protocol/labels.hpp"

namespace goodsyard {

/// What an operation says of its last run beside times: how many rounds it took, how even its result is.
struct Fact {
    std::string metric;
    std::string unit;
    double value = 0;
    Labels labels = {}; ///< That tell it from others of its name.
};

class Operation {
  public:
    Operation() = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;
    virtual ~Operation() = default;

    /// What has to be done before each run and is not timed: fill the input that a run destroys. Collective.
    virtual void prepare() {}

    /// The operation itself, and nothing else: this is timed. Collective.
    virtual void run() = 0;

    /// Spoil what an earlier run has left in the buffers that are written.
    virtual void spoil() {}

    /// What is wrong with the outcome of the last run, told to the rank that finds it. Collective.
    [[nodiscard]] virtual std::optional<std::string> wrong() = 0;

    /// Whether the outcome of every repetition is looked at; otherwise that of a run before them, and of one
    /// after them, both on spoilt buffers.
    [[nodiscard]] virtual bool checks_each() const { return false; }

    /// Run once, untimed, and look at the outcome. Collective.
    [[nodiscard]] virtual std::optional<std::string> check([[maybe_unused]] const Starting& starting) {
        prepare();
        spoil();
        run();
        return wrong();
    }

    /// What tells this operation from others of its name: bytes, algorithm. Asked on the root only.
    [[nodiscard]] virtual Labels labels() const { return {}; }

    /// Further metrics, of the last run. Collective; what the root returns is reported.
    [[nodiscard]] virtual std::vector<Fact> facts() { return {}; }

    /// Its phases, if it has any.
    [[nodiscard]] virtual Phases* phases() { return nullptr; }
};

} // namespace goodsyard
