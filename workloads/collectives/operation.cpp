#include "collectives/operation.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "collectives/litmus.hpp"
#include "mpi/check.hpp"

namespace workloads {

namespace {

using Buffer = std::vector<double>;

/// Element i of what `sender` sends to `receiver`: different for neighbours, and exact in sums over 2^20
/// ranks.
double element(int sender, int receiver, std::size_t i) {
    return sender + 3.0 * (receiver % 1021) + static_cast<double>(i % 127) * 8192;
}

/// The sum of element(s, 0, i) over all senders.
double element_sum(int ranks, std::size_t i) {
    return ranks * (ranks - 1.0) / 2 + ranks * static_cast<double>(i % 127) * 8192;
}

std::optional<std::string> differs(const Buffer& buffer, std::size_t at, double wanted) {
    if (buffer[at] == wanted)
        return std::nullopt;
    return "element " + std::to_string(at) + " is " + std::to_string(buffer[at]) + " and should be " +
           std::to_string(wanted);
}

void spoil_buffer(Buffer& buffer) {
    buffer.assign(buffer.size(), std::numeric_limits<double>::quiet_NaN());
}

class Barrier final : public Operation {
  public:
    explicit Barrier(const World& world) : world_(world) {}
    void run() override { check(MPI_Barrier(world_.handle()), "MPI_Barrier"); }
    void spoil() override {}
    // A barrier leaves nothing behind; `verify` lets one rank come late instead.
    [[nodiscard]] std::optional<std::string> wrong() const override { return std::nullopt; }
    [[nodiscard]] int bytes() const override { return 0; }

  private:
    const World& world_;
};

/// One rank's buffer ends up with all.
class Broadcast final : public Operation {
  public:
    Broadcast(const World& world, int bytes, bool litmus)
        : world_(world), litmus_(litmus), buffer_(static_cast<std::size_t>(bytes) / sizeof(double)) {
        fill();
    }
    void run() override {
        const auto count = static_cast<int>(buffer_.size());
        if (litmus_)
            broadcast_along_binomial_tree(buffer_.data(), count, world_);
        else
            check(MPI_Bcast(buffer_.data(), count, MPI_DOUBLE, 0, world_.handle()), "MPI_Bcast");
    }
    void spoil() override {
        if (!world_.is_root())
            spoil_buffer(buffer_);
    }
    [[nodiscard]] std::optional<std::string> wrong() const override {
        for (std::size_t i = 0; i < buffer_.size(); i++)
            if (auto found = differs(buffer_, i, element(0, 0, i)))
                return found;
        return std::nullopt;
    }
    [[nodiscard]] int bytes() const override { return static_cast<int>(buffer_.size() * sizeof(double)); }

  private:
    void fill() {
        for (std::size_t i = 0; i < buffer_.size(); i++)
            buffer_[i] = element(0, 0, i);
    }
    const World& world_;
    bool litmus_;
    Buffer buffer_;
};

/// Sums over ranks, on rank 0 or on all.
class Reduction final : public Operation {
  public:
    Reduction(const World& world, int bytes, bool to_all)
        : world_(world), to_all_(to_all), sent_(static_cast<std::size_t>(bytes) / sizeof(double)),
          received_(sent_.size()) {
        for (std::size_t i = 0; i < sent_.size(); i++)
            sent_[i] = element(world.rank(), 0, i);
    }
    void run() override {
        const auto count = static_cast<int>(sent_.size());
        if (to_all_)
            check(MPI_Allreduce(sent_.data(), received_.data(), count, MPI_DOUBLE, MPI_SUM, world_.handle()),
                  "MPI_Allreduce");
        else
            check(MPI_Reduce(sent_.data(), received_.data(), count, MPI_DOUBLE, MPI_SUM, 0, world_.handle()),
                  "MPI_Reduce");
    }
    void spoil() override { spoil_buffer(received_); }
    [[nodiscard]] std::optional<std::string> wrong() const override {
        if (!to_all_ && !world_.is_root())
            return std::nullopt;
        for (std::size_t i = 0; i < received_.size(); i++)
            if (auto found = differs(received_, i, element_sum(world_.size(), i)))
                return found;
        return std::nullopt;
    }
    [[nodiscard]] int bytes() const override { return static_cast<int>(sent_.size() * sizeof(double)); }

  private:
    const World& world_;
    bool to_all_;
    Buffer sent_;
    Buffer received_;
};

/// A block from each rank: gathered on rank 0, on all, or another one for each (alltoall).
class Gathering final : public Operation {
  public:
    Gathering(const World& world, int bytes, Op op)
        : world_(world), op_(op), block_(static_cast<std::size_t>(bytes) / sizeof(double)),
          sent_(op == Op::alltoall ? block_ * static_cast<std::size_t>(world.size()) : block_),
          received_(op == Op::gather && !world.is_root() ? 0
                                                         : block_ * static_cast<std::size_t>(world.size())) {
        for (std::size_t i = 0; i < sent_.size(); i++)
            sent_[i] = element(world.rank(), static_cast<int>(i / block_), i % block_);
    }
    void run() override {
        const auto count = static_cast<int>(block_);
        if (op_ == Op::gather)
            check(MPI_Gather(sent_.data(), count, MPI_DOUBLE, received_.data(), count, MPI_DOUBLE, 0,
                             world_.handle()),
                  "MPI_Gather");
        else if (op_ == Op::allgather)
            check(MPI_Allgather(sent_.data(), count, MPI_DOUBLE, received_.data(), count, MPI_DOUBLE,
                                world_.handle()),
                  "MPI_Allgather");
        else
            check(MPI_Alltoall(sent_.data(), count, MPI_DOUBLE, received_.data(), count, MPI_DOUBLE,
                               world_.handle()),
                  "MPI_Alltoall");
    }
    void spoil() override { spoil_buffer(received_); }
    [[nodiscard]] std::optional<std::string> wrong() const override {
        const int receiver = op_ == Op::alltoall ? world_.rank() : 0;
        for (std::size_t i = 0; i < received_.size(); i++)
            if (auto found =
                    differs(received_, i, element(static_cast<int>(i / block_), receiver, i % block_)))
                return found;
        return std::nullopt;
    }
    [[nodiscard]] int bytes() const override { return static_cast<int>(block_ * sizeof(double)); }

  private:
    const World& world_;
    Op op_;
    std::size_t block_;
    Buffer sent_;
    Buffer received_;
};

} // namespace

std::unique_ptr<Operation> make_operation(Op op, const World& world, int bytes) {
    switch (op) {
    case Op::barrier:
        return std::make_unique<Barrier>(world);
    case Op::bcast:
    case Op::litmus:
        return std::make_unique<Broadcast>(world, bytes, op == Op::litmus);
    case Op::reduce:
    case Op::allreduce:
        return std::make_unique<Reduction>(world, bytes, op == Op::allreduce);
    case Op::gather:
    case Op::allgather:
    case Op::alltoall:
        return std::make_unique<Gathering>(world, bytes, op);
    }
    throw std::invalid_argument("no such operation");
}

} // namespace workloads
