#include "runtime/point_to_point.hpp"

#include <exception>
#include <sched.h>
#include <utility>

#include "harness/simulated.hpp"
#include "mpi/check.hpp"
#include "mpi/session.hpp"

namespace goodsyard::runtime {

namespace {

/// No channel has this number.
constexpr int farewell = 32'767;

/// A library lets small messages go before anybody receives them, as many as it has room for. A simulated one
/// has room for any number and searches all of them for each further message; there, only those that are
/// received have been sent.
const auto begin_send = simulated ? MPI_Issend : MPI_Isend;

} // namespace

PointToPoint::PointToPoint(MPI_Comm world, const Parameters& parameters, int ranks_of_node,
                           std::shared_ptr<BufferPool> pool)
    : Transport(std::move(pool)), comm_(duplicate(world)), ranks_of_node_(ranks_of_node),
      idle_(parameters.idle), receives_(static_cast<std::size_t>(parameters.receives)),
      sends_(static_cast<std::size_t>(parameters.sends)), requests_(receives_ + sends_, MPI_REQUEST_NULL),
      buffers_(receives_ + sends_) {
    note_is_of_process();
    check(MPI_Comm_rank(comm_.get(), &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_.get(), &size_), "MPI_Comm_size");
    for (std::size_t place = 0; place < receives_; ++place) {
        buffers_[place] = pool_.take();
        post_receive(place);
    }
}

PointToPoint::~PointToPoint() {
    if (std::uncaught_exceptions() > 0) {
        return; // The program ends.
    }
    // Each posted receive gets a message of the rank to itself: not every library cancels well.
    for (std::size_t place = 0; place < receives_; ++place) {
        MPI_Send(nullptr, 0, MPI_BYTE, rank_, farewell, comm_.get());
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

bool PointToPoint::send(Buffer& buffer) {
    if (!find_free_send()) {
        return false;
    }
    const std::size_t request = receives_ + next_send_;
    if (buffers_[request]) {
        pool_.give_back(std::move(buffers_[request]));
    }
    check(begin_send(buffer.data(), static_cast<int>(buffer.size), MPI_BYTE, buffer.rank, buffer.channel,
                     comm_.get(), &requests_[request]),
          "MPI_Isend");
    buffers_[request] = std::move(buffer);
    next_send_ = (next_send_ + 1) % sends_;
    return true;
}

bool PointToPoint::find_free_send() {
    if (idle_ != Idle::wait) {
        return test(receives_ + next_send_, MPI_STATUS_IGNORE); // The oldest.
    }
    // MPI_Waitany tells which are done, to a rank that has no room.
    for (std::size_t i = 0; i < sends_; ++i) {
        if (requests_[receives_ + next_send_] == MPI_REQUEST_NULL) {
            return true;
        }
        next_send_ = (next_send_ + 1) % sends_;
    }
    return false;
}

bool PointToPoint::receive(Buffer& buffer) {
    if (arrived_.empty()) {
        poll();
    }
    if (arrived_.empty()) {
        return false;
    }
    buffer = arrived_.pop();
    return true;
}

void PointToPoint::poll() {
    if (idle_ == Idle::wait) {
        return; // What MPI_Waitany has told is all that is known.
    }
    // Messages take receives in the order in which these were posted: only the oldest is looked at.
    MPI_Status status;
    if (test(oldest_receive_, &status)) {
        take_arrived(oldest_receive_, status);
        oldest_receive_ = (oldest_receive_ + 1) % receives_;
    }
}

void PointToPoint::idle() {
    switch (idle_) {
    case Idle::spin:
        return;
    case Idle::yield:
    case Idle::standard:
        if constexpr (!simulated) { // The ranks of a simulation are one thread.
            sched_yield();
        }
        return;
    case Idle::wait:
        break;
    }
    int index = 0;
    MPI_Status status;
    check(MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &index, &status), "MPI_Waitany");
    const auto request = static_cast<std::size_t>(index);
    if (request < receives_) {
        take_arrived(request, status);
    }
}

bool PointToPoint::test(std::size_t request, MPI_Status* status) {
    int done = 0;
    if (requests_[request] == MPI_REQUEST_NULL) {
        return true;
    }
    check(MPI_Test(&requests_[request], &done, status), "MPI_Test");
    return done != 0;
}

void PointToPoint::post_receive(std::size_t place) {
    check(MPI_Irecv(buffers_[place].data(), static_cast<int>(pool_.capacity_bytes()), MPI_BYTE,
                    MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.get(), &requests_[place]),
          "MPI_Irecv");
}

void PointToPoint::take_arrived(std::size_t place, const MPI_Status& status) {
    int bytes = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    Buffer message = std::move(buffers_[place]);
    message.size = static_cast<std::uint32_t>(bytes);
    message.rank = status.MPI_SOURCE;
    message.channel = status.MPI_TAG;
    arrived_.push(std::move(message));
    buffers_[place] = pool_.take();
    post_receive(place);
}

} // namespace goodsyard::runtime
