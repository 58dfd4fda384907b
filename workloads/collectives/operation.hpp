// What is measured: one collective operation on its own buffers, and a check of what it did.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mpi/session.hpp"

namespace workloads {

enum class Op : int { barrier, bcast, reduce, allreduce, gather, allgather, alltoall, litmus };

inline constexpr std::array<std::string_view, 8> op_names = {"barrier", "bcast",     "reduce",   "allreduce",
                                                             "gather",  "allgather", "alltoall", "litmus"};

inline std::string name_of(Op op) {
    return std::string(op_names[static_cast<std::size_t>(op)]);
}

class Operation {
  public:
    virtual ~Operation() = default;

    /// The operation itself, and nothing else: this is timed. Collective.
    virtual void run() = 0;

    /// Spoil what an earlier run has left in the buffers that are written.
    virtual void spoil() = 0;

    /// What is wrong with the outcome of the last run on this rank. Not collective.
    [[nodiscard]] virtual std::optional<std::string> wrong() const = 0;

    /// Bytes of a rank's message; 0 where there is none.
    [[nodiscard]] virtual int bytes() const = 0;
};

/// `bytes` is a multiple of 8: messages are doubles, so that reductions have a meaning.
std::unique_ptr<Operation> make_operation(Op op, const World& world, int bytes);

} // namespace workloads
