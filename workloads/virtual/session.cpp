// mpi/session.hpp without MPI: the ranks of a process in virtual time.
#include "mpi/session.hpp"

#include <bit>
#include <cstring>

#include "harness/ranks_of_a_process.hpp"
#include "virtual/machine.hpp"

namespace goodsyard {

namespace {

using virtual_time::machine;

/// Of a collective operation: a tree of messages without their contents.
double tree_s() {
    const virtual_time::Network& network = machine->network();
    const int levels = std::bit_width(static_cast<unsigned>(machine->size() - 1));
    const virtual_time::Link& link = network.node(machine->size() - 1) > 0 ? network.outside : network.inside;
    return levels * (link.flight(0, 1) + link.sending(0) + link.receiving(0));
}

/// The collective operations of a rank, each of which costs a tree once.
class OwnRank final : public RankOfProcess {
  public:
    explicit OwnRank(int rank) : RankOfProcess(machine->places(), rank) {}
    void barrier() const override {
        machine->meet(has_met_ ? 0 : tree_s());
        has_met_ = true;
    }
    using RankOfProcess::fold_to_all;
    using RankOfProcess::fold_to_root;
    using RankOfProcess::gather_bytes;

  private:
    mutable bool has_met_ = false;
};

} // namespace

int mpi_count(std::size_t count) {
    return static_cast<int>(count);
}

Session::Session(int& /*argc*/, char**& /*argv*/) {}
Session::Session() : is_attached_(true) {}
Session Session::attach() {
    return {};
}
Session::~Session() = default;

World::World(const Session& /*session*/) : rank_(machine->running()), size_(machine->size()) {}

void World::barrier() const {
    OwnRank(rank_).barrier();
}

void World::broadcast_bytes(void* data, std::size_t bytes, int root) const {
    OwnRank(rank_).broadcast_bytes(data, bytes, root);
}

int World::ranks_of_host() const {
    return machine->network().ranks_of_node;
}

int World::first_of_host() const {
    return rank_ - rank_ % ranks_of_host();
}

bool World::is_oversubscribed() const {
    return false;
}

void World::exchange_bytes(const std::vector<std::span<const std::byte>>& sent, const Place& place) const {
    Places& places = machine->places();
    places[static_cast<std::size_t>(rank_)] = &sent;
    const OwnRank local(rank_);
    local.barrier();
    double bytes = 0;
    for (int from = 0; from < size_; ++from) {
        const auto& theirs = *static_cast<const std::vector<std::span<const std::byte>>*>(
            places[static_cast<std::size_t>(from)]);
        const std::span<const std::byte> arrived = theirs[static_cast<std::size_t>(rank_)];
        void* const to = place(from, arrived.size());
        if (!arrived.empty()) {
            std::memcpy(to, arrived.data(), arrived.size());
        }
        bytes += static_cast<double>(arrived.size());
    }
    running_clock->advance(bytes * machine->network().outside.byte_s);
    local.barrier();
}

void World::fold_to_all(Fold fold, Number kind, const void* own, void* folded, std::size_t count) const {
    OwnRank(rank_).fold_to_all(fold, kind, own, folded, count);
}

void World::fold_to_root(Fold fold, Number kind, const void* own, void* folded, std::size_t count) const {
    OwnRank(rank_).fold_to_root(fold, kind, own, folded, count);
}

void World::gather_bytes(const void* own, void* all, std::size_t bytes_of_one) const {
    OwnRank(rank_).gather_bytes(own, all, bytes_of_one);
}

} // namespace goodsyard
