#include "collectives/guideline.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/collective.hpp"
#include "harness/failure.hpp"
#include "mpi/check.hpp"

namespace goodsyard {

namespace {

/// What an operation leaves behind, whichever way it is done.
enum class Outcome : int {
    bcast,
    reduce,
    allreduce,
    gather,
    allgather,
    alltoall,
    scatter,
    reduce_scatter_block,
    scan,
    exscan
};

/// Elements of a buffer: a rank's message, the same rounded up to a multiple of the ranks, its part of one
/// rank, or a message for each rank.
enum class Extent : int { none, message, padded, part, every };

/// Buffers and counts of one rank.
struct Buffers {
    MPI_Comm comm;
    int ranks;
    int rank;
    int count; ///< Elements of a rank's message.
    int part;  ///< Of its part of one rank, rounded up.
    Buffer sent;
    Buffer received;
    Buffer scratch;
    std::vector<int> counts;        ///< `count` for each rank.
    std::vector<int> displacements; ///< Of messages one behind the other.
    std::vector<int> of_root;       ///< `count` for rank 0, nothing for others.

    [[nodiscard]] std::ptrdiff_t own() const { return static_cast<std::ptrdiff_t>(rank) * count; }
};

void bcast(Buffers& b, double* data, int count) {
    check(MPI_Bcast(data, count, MPI_DOUBLE, 0, b.comm), "MPI_Bcast");
}

void reduce(Buffers& b, const double* from, double* to, int count) {
    check(MPI_Reduce(from, to, count, MPI_DOUBLE, MPI_SUM, 0, b.comm), "MPI_Reduce");
}

void allreduce(Buffers& b, const double* from, double* to, int count) {
    check(MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_SUM, b.comm), "MPI_Allreduce");
}

void gather(Buffers& b, const double* from, double* to, int count) {
    check(MPI_Gather(from, count, MPI_DOUBLE, to, count, MPI_DOUBLE, 0, b.comm), "MPI_Gather");
}

void allgather(Buffers& b, const double* from, double* to, int count) {
    check(MPI_Allgather(from, count, MPI_DOUBLE, to, count, MPI_DOUBLE, b.comm), "MPI_Allgather");
}

void scatter(Buffers& b, const double* from, double* to, int count) {
    check(MPI_Scatter(from, count, MPI_DOUBLE, to, count, MPI_DOUBLE, 0, b.comm), "MPI_Scatter");
}

void reduce_scatter_block(Buffers& b, const double* from, double* to, int count) {
    check(MPI_Reduce_scatter_block(from, to, count, MPI_DOUBLE, MPI_SUM, b.comm), "MPI_Reduce_scatter_block");
}

/// The rank's message in its place, zeros elsewhere, so that a sum is a concatenation.
void place_among_zeros(Buffers& b) {
    std::fill(b.scratch.begin(), b.scratch.end(), 0.0);
    std::copy(b.sent.begin(), b.sent.begin() + b.count, b.scratch.begin() + b.own());
}

/// The rank's message out of those of all.
void take_own(Buffers& b) {
    std::copy(b.scratch.begin() + b.own(), b.scratch.begin() + b.own() + b.count, b.received.begin());
}

struct Variant {
    const char* name;
    Outcome outcome;
    Extent sent;
    Extent received; ///< Of the root alone where the outcome is.
    Extent scratch;
    bool is_library_operation;
    void (*run)(Buffers&);
};

const std::array variants = {
    Variant{"scatter", Outcome::scatter, Extent::every, Extent::message, Extent::none, true,
            [](Buffers& b) { scatter(b, b.sent.data(), b.received.data(), b.count); }},
    Variant{"reduce_scatter_block", Outcome::reduce_scatter_block, Extent::every, Extent::message,
            Extent::none, true,
            [](Buffers& b) { reduce_scatter_block(b, b.sent.data(), b.received.data(), b.count); }},
    Variant{"scan", Outcome::scan, Extent::message, Extent::message, Extent::none, true,
            [](Buffers& b) {
                check(MPI_Scan(b.sent.data(), b.received.data(), b.count, MPI_DOUBLE, MPI_SUM, b.comm),
                      "MPI_Scan");
            }},
    Variant{"exscan", Outcome::exscan, Extent::message, Extent::message, Extent::none, true,
            [](Buffers& b) {
                check(MPI_Exscan(b.sent.data(), b.received.data(), b.count, MPI_DOUBLE, MPI_SUM, b.comm),
                      "MPI_Exscan");
            }},
    Variant{"bcast_by_scatter_and_allgather", Outcome::bcast, Extent::padded, Extent::padded, Extent::part,
            false,
            [](Buffers& b) {
                scatter(b, b.sent.data(), b.scratch.data(), b.part);
                allgather(b, b.scratch.data(), b.received.data(), b.part);
            }},
    Variant{"bcast_by_allgatherv", Outcome::bcast, Extent::message, Extent::message, Extent::none, false,
            [](Buffers& b) {
                check(MPI_Allgatherv(b.sent.data(), b.of_root[static_cast<std::size_t>(b.rank)], MPI_DOUBLE,
                                     b.received.data(), b.of_root.data(), b.displacements.data(), MPI_DOUBLE,
                                     b.comm),
                      "MPI_Allgatherv");
            }},
    Variant{"reduce_by_allreduce", Outcome::reduce, Extent::message, Extent::message, Extent::message, false,
            [](Buffers& b) {
                Buffer& to = b.rank == 0 ? b.received : b.scratch;
                allreduce(b, b.sent.data(), to.data(), b.count);
            }},
    Variant{"reduce_by_reduce_scatter_block_and_gather", Outcome::reduce, Extent::padded, Extent::padded,
            Extent::part, false,
            [](Buffers& b) {
                reduce_scatter_block(b, b.sent.data(), b.scratch.data(), b.part);
                gather(b, b.scratch.data(), b.received.data(), b.part);
            }},
    Variant{"allreduce_by_reduce_and_bcast", Outcome::allreduce, Extent::message, Extent::message,
            Extent::none, false,
            [](Buffers& b) {
                reduce(b, b.sent.data(), b.received.data(), b.count);
                bcast(b, b.received.data(), b.count);
            }},
    Variant{"allreduce_by_reduce_scatter_block_and_allgather", Outcome::allreduce, Extent::padded,
            Extent::padded, Extent::part, false,
            [](Buffers& b) {
                reduce_scatter_block(b, b.sent.data(), b.scratch.data(), b.part);
                allgather(b, b.scratch.data(), b.received.data(), b.part);
            }},
    Variant{"gather_by_allgather", Outcome::gather, Extent::message, Extent::every, Extent::every, false,
            [](Buffers& b) {
                Buffer& to = b.rank == 0 ? b.received : b.scratch;
                allgather(b, b.sent.data(), to.data(), b.count);
            }},
    Variant{"gather_by_reduce", Outcome::gather, Extent::message, Extent::every, Extent::every, false,
            [](Buffers& b) {
                place_among_zeros(b);
                reduce(b, b.scratch.data(), b.received.data(), b.ranks * b.count);
            }},
    Variant{"gather_by_gatherv", Outcome::gather, Extent::message, Extent::every, Extent::none, false,
            [](Buffers& b) {
                check(MPI_Gatherv(b.sent.data(), b.count, MPI_DOUBLE, b.received.data(), b.counts.data(),
                                  b.displacements.data(), MPI_DOUBLE, 0, b.comm),
                      "MPI_Gatherv");
            }},
    Variant{"allgather_by_gather_and_bcast", Outcome::allgather, Extent::message, Extent::every, Extent::none,
            false,
            [](Buffers& b) {
                gather(b, b.sent.data(), b.received.data(), b.count);
                bcast(b, b.received.data(), b.ranks * b.count);
            }},
    Variant{"allgather_by_alltoall", Outcome::allgather, Extent::message, Extent::every, Extent::every, false,
            [](Buffers& b) {
                for (int to = 0; to < b.ranks; ++to) {
                    std::copy(b.sent.begin(), b.sent.end(),
                              b.scratch.begin() + static_cast<std::ptrdiff_t>(to) * b.count);
                }
                check(MPI_Alltoall(b.scratch.data(), b.count, MPI_DOUBLE, b.received.data(), b.count,
                                   MPI_DOUBLE, b.comm),
                      "MPI_Alltoall");
            }},
    Variant{"allgather_by_allreduce", Outcome::allgather, Extent::message, Extent::every, Extent::every,
            false,
            [](Buffers& b) {
                place_among_zeros(b);
                allreduce(b, b.scratch.data(), b.received.data(), b.ranks * b.count);
            }},
    Variant{"allgather_by_allgatherv", Outcome::allgather, Extent::message, Extent::every, Extent::none,
            false,
            [](Buffers& b) {
                check(MPI_Allgatherv(b.sent.data(), b.count, MPI_DOUBLE, b.received.data(), b.counts.data(),
                                     b.displacements.data(), MPI_DOUBLE, b.comm),
                      "MPI_Allgatherv");
            }},
    Variant{"alltoall_by_alltoallv", Outcome::alltoall, Extent::every, Extent::every, Extent::none, false,
            [](Buffers& b) {
                check(MPI_Alltoallv(b.sent.data(), b.counts.data(), b.displacements.data(), MPI_DOUBLE,
                                    b.received.data(), b.counts.data(), b.displacements.data(), MPI_DOUBLE,
                                    b.comm),
                      "MPI_Alltoallv");
            }},
    Variant{"scatter_by_bcast", Outcome::scatter, Extent::every, Extent::message, Extent::every, false,
            [](Buffers& b) {
                if (b.rank == 0) {
                    std::copy(b.sent.begin(), b.sent.end(), b.scratch.begin());
                }
                bcast(b, b.scratch.data(), b.ranks * b.count);
                take_own(b);
            }},
    Variant{"scatter_by_scatterv", Outcome::scatter, Extent::every, Extent::message, Extent::none, false,
            [](Buffers& b) {
                check(MPI_Scatterv(b.sent.data(), b.counts.data(), b.displacements.data(), MPI_DOUBLE,
                                   b.received.data(), b.count, MPI_DOUBLE, 0, b.comm),
                      "MPI_Scatterv");
            }},
    Variant{"reduce_scatter_block_by_reduce_and_scatter", Outcome::reduce_scatter_block, Extent::every,
            Extent::message, Extent::every, false,
            [](Buffers& b) {
                reduce(b, b.sent.data(), b.scratch.data(), b.ranks * b.count);
                scatter(b, b.scratch.data(), b.received.data(), b.count);
            }},
    Variant{"reduce_scatter_block_by_allreduce", Outcome::reduce_scatter_block, Extent::every,
            Extent::message, Extent::every, false,
            [](Buffers& b) {
                allreduce(b, b.sent.data(), b.scratch.data(), b.ranks * b.count);
                take_own(b);
            }},
    Variant{"reduce_scatter_block_by_reduce_scatter", Outcome::reduce_scatter_block, Extent::every,
            Extent::message, Extent::none, false,
            [](Buffers& b) {
                check(MPI_Reduce_scatter(b.sent.data(), b.received.data(), b.counts.data(), MPI_DOUBLE,
                                         MPI_SUM, b.comm),
                      "MPI_Reduce_scatter");
            }},
    Variant{"scan_by_exscan_and_reduce_local", Outcome::scan, Extent::message, Extent::message, Extent::none,
            false,
            [](Buffers& b) {
                check(MPI_Exscan(b.sent.data(), b.received.data(), b.count, MPI_DOUBLE, MPI_SUM, b.comm),
                      "MPI_Exscan");
                if (b.rank == 0) {
                    std::copy(b.sent.begin(), b.sent.end(), b.received.begin());
                } else {
                    check(MPI_Reduce_local(b.sent.data(), b.received.data(), b.count, MPI_DOUBLE, MPI_SUM),
                          "MPI_Reduce_local");
                }
            }},
};

class Guideline final : public Collective {
  public:
    Guideline(const Variant& variant, const World& world, int bytes)
        : Collective(variant.name, world), variant_(variant), buffers_(made(variant, world, bytes)) {}

    void run() override { variant_.run(buffers_); }
    void spoil() override {
        spoil_buffer(buffers_.received);
        spoil_buffer(buffers_.scratch);
    }
    [[nodiscard]] std::optional<std::string> wrong() override {
        const bool only_on_root = variant_.outcome == Outcome::reduce || variant_.outcome == Outcome::gather;
        if (only_on_root && !world().is_root()) {
            return std::nullopt;
        }
        if (variant_.outcome == Outcome::exscan && world().is_root()) {
            return std::nullopt; // Undefined there.
        }
        Buffer outcome = buffers_.received;
        if (variant_.received == Extent::padded) {
            outcome.resize(static_cast<std::size_t>(buffers_.count));
        }
        return first_difference(outcome, [this](std::size_t i) { return wanted(i); });
    }

  protected:
    [[nodiscard]] int bytes() const override { return buffers_.count * static_cast<int>(sizeof(double)); }
    [[nodiscard]] std::string algorithm() const override {
        return variant_.is_library_operation ? Collective::algorithm() : "mock-up";
    }

  private:
    static Buffers made(const Variant& variant, const World& world, int bytes) {
        const int count = bytes / static_cast<int>(sizeof(double));
        const int ranks = world.size();
        const int part = (count + ranks - 1) / ranks;
        const auto length = [&](Extent extent) -> std::size_t {
            const auto wide = static_cast<std::size_t>(ranks);
            switch (extent) {
            case Extent::none:
                return 0;
            case Extent::message:
                return static_cast<std::size_t>(count);
            case Extent::padded:
                return wide * static_cast<std::size_t>(part);
            case Extent::part:
                return static_cast<std::size_t>(part);
            case Extent::every:
                return wide * static_cast<std::size_t>(count);
            }
            return 0;
        };
        Buffers b{comm_of(world), ranks, world.rank(), count, part, {}, {}, {}, {}, {}, {}};
        b.sent.resize(length(variant.sent));
        b.received.resize(length(variant.received));
        b.scratch.resize(length(variant.scratch));
        const auto message = static_cast<std::size_t>(count);
        for (std::size_t i = 0; i < b.sent.size(); ++i) {
            const bool is_padding = variant.sent == Extent::padded && i >= message;
            b.sent[i] = is_padding ? 0 : element(b.rank, static_cast<int>(i / message), i % message);
        }
        for (int rank = 0; rank < ranks; ++rank) {
            b.counts.push_back(count);
            b.displacements.push_back(rank * count);
            b.of_root.push_back(rank == 0 ? count : 0);
        }
        return b;
    }

    /// Element i of what is received.
    [[nodiscard]] double wanted(std::size_t i) const {
        const auto message = static_cast<std::size_t>(buffers_.count);
        const auto sender = static_cast<int>(i / message);
        switch (variant_.outcome) {
        case Outcome::bcast:
            return element(0, 0, i);
        case Outcome::reduce:
        case Outcome::allreduce:
            return element_sum(buffers_.ranks, i);
        case Outcome::gather:
        case Outcome::allgather:
            return element(sender, 0, i % message);
        case Outcome::alltoall:
            return element(sender, buffers_.rank, i % message);
        case Outcome::scatter:
            return element(0, buffers_.rank, i);
        case Outcome::reduce_scatter_block:
            return element_sum(buffers_.ranks, i) + buffers_.ranks * element(0, buffers_.rank, 0);
        case Outcome::scan:
            return element_sum(buffers_.rank + 1, i);
        case Outcome::exscan:
            return element_sum(buffers_.rank, i);
        }
        return 0;
    }

    const Variant& variant_;
    Buffers buffers_;
};

/// Of a message for each rank, so that its elements are counted by an int.
constexpr std::int64_t most_bytes = std::int64_t{8} * 2147483647;

/// Whether a buffer grows with the ranks.
bool is_wide(const Variant& variant) {
    return variant.sent == Extent::every || variant.received == Extent::every ||
           variant.scratch == Extent::every;
}

} // namespace

std::vector<Family<MpiContext>::Entry> guideline_operations(const CollectiveOptions& options) {
    std::vector<Family<MpiContext>::Entry> every;
    for (const Variant& variant : variants) {
        every.push_back(
            {variant.name, [&variant, &options](const MpiContext& context) -> std::unique_ptr<Operation> {
                 if (is_wide(variant) && options.most_ranks > 0 &&
                     context.world.size() > options.most_ranks) {
                     return nullptr;
                 }
                 if (is_wide(variant) && context.world.size() > most_bytes / options.bytes) {
                     throw UsageError("--bytes " + std::to_string(options.bytes) + ": " + variant.name +
                                      " sends more elements than an int counts at " +
                                      std::to_string(context.world.size()) + " ranks");
                 }
                 return std::make_unique<Guideline>(variant, context.world, options.bytes);
             }});
    }
    return every;
}

} // namespace goodsyard
