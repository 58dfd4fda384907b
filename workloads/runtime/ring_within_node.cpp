#include "runtime/ring_within_node.hpp"

#include <cstddef>
#include <utility>

#include "mpi/check.hpp"

namespace goodsyard::runtime {

namespace {

std::vector<int> ranks_of_world(MPI_Comm world, MPI_Comm node) {
    int rank = 0;
    int size = 0;
    check(MPI_Comm_rank(world, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(node, &size), "MPI_Comm_size");
    std::vector<int> ranks(static_cast<std::size_t>(size));
    check(MPI_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, node), "MPI_Allgather");
    return ranks;
}

} // namespace

RingWithinNode::RingWithinNode(MPI_Comm world, OwnedComm node, const Parameters& parameters,
                               int ranks_of_node)
    : Transport(capacity_bytes(parameters)), ranks_of_world_(ranks_of_world(world, node.get())),
      within_(std::move(node), parameters, owner_), between_(world, parameters, ranks_of_node, owner_) {
    note_is_of_process();
    ranks_of_own_node_.assign(static_cast<std::size_t>(size()), elsewhere);
    for (std::size_t local = 0; local < ranks_of_world_.size(); ++local) {
        ranks_of_own_node_[static_cast<std::size_t>(ranks_of_world_[local])] = static_cast<int>(local);
    }
}

bool RingWithinNode::send(Buffer& buffer) {
    const int to = buffer.rank;
    const int local = ranks_of_own_node_[static_cast<std::size_t>(to)];
    if (local == elsewhere) {
        return between_.send(buffer);
    }
    buffer.rank = local;
    if (within_.send(buffer)) {
        return true;
    }
    buffer.rank = to;
    return false;
}

bool RingWithinNode::receive(Buffer& buffer) {
    begins_within_ = !begins_within_;
    return begins_within_ ? receive_within(buffer) || between_.receive(buffer)
                          : between_.receive(buffer) || receive_within(buffer);
}

bool RingWithinNode::receive_within(Buffer& buffer) {
    if (!within_.receive(buffer)) {
        return false;
    }
    buffer.rank = ranks_of_world_[static_cast<std::size_t>(buffer.rank)];
    return true;
}

} // namespace goodsyard::runtime
