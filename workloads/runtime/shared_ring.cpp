#include "runtime/shared_ring.hpp"

#include <cstring>
#include <memory>
#include <new>
#include <sched.h>
#include <utility>

#include "mpi/check.hpp"

namespace goodsyard::runtime {

namespace {

constexpr std::size_t line_bytes = 64;

} // namespace

SharedRing::SharedRing(OwnedComm node, const Parameters& parameters, std::shared_ptr<BufferPool> pool)
    : Transport(std::move(pool)), comm_(std::move(node)), idle_(parameters.idle),
      slots_(static_cast<std::uint64_t>(parameters.ring_slots)), slot_bytes_(slot_bytes(parameters)) {
    note_is_of_process();
    check(MPI_Comm_rank(comm_.get(), &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_.get(), &size_), "MPI_Comm_size");
    // A rank's part of the window has its number and the rings that it reads.
    const auto ranks = static_cast<std::size_t>(size_);
    const std::size_t ring_bytes = sizeof(Ring) + slots_ * slot_bytes_;
    std::byte* local = nullptr;
    check(MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes_of_rank(size_, parameters)), 1, MPI_INFO_NULL,
                                  comm_.get(), static_cast<void*>(&local), window_.out()),
          "MPI_Win_allocate_shared");
    const auto number_of = [&](std::byte* part) {
        void* aligned = part;
        std::size_t space = bytes_of_rank(size_, parameters);
        return static_cast<std::byte*>(
            std::align(line_bytes, sizeof(Count) + ranks * ring_bytes, aligned, space));
    };
    const auto end_of = [&](std::byte* part, std::size_t from) {
        std::byte* ring = number_of(part) + sizeof(Count) + from * ring_bytes;
        return End{reinterpret_cast<Ring*>(ring), ring + sizeof(Ring), 0, 0};
    };
    numbers_.number = &(new (number_of(local)) Count{})->value;
    for (std::size_t second = 0; second < ranks; ++second) {
        in_.push_back(end_of(local, second));
        new (in_.back().ring) Ring{};
        MPI_Aint bytes = 0;
        int unit = 0;
        std::byte* part = nullptr;
        check(MPI_Win_shared_query(window_.get(), static_cast<int>(second), &bytes, &unit,
                                   static_cast<void*>(&part)),
              "MPI_Win_shared_query");
        out_.push_back(end_of(part, static_cast<std::size_t>(rank_)));
        numbers_.all.push_back(&reinterpret_cast<Count*>(number_of(part))->value);
    }
    check(MPI_Barrier(comm_.get()), "MPI_Barrier");
}

std::size_t SharedRing::slot_bytes(const Parameters& parameters) {
    return (sizeof(Head) + capacity_bytes(parameters) + line_bytes - 1) / line_bytes * line_bytes;
}

std::size_t SharedRing::bytes_of_rank(int ranks, const Parameters& parameters) {
    const auto slots = static_cast<std::size_t>(parameters.ring_slots);
    return static_cast<std::size_t>(ranks) * (sizeof(Ring) + slots * slot_bytes(parameters)) + sizeof(Count) +
           line_bytes;
}

bool SharedRing::send(Buffer& buffer) {
    End& end = out_[static_cast<std::size_t>(buffer.rank)];
    if (end.own - end.other == slots_) {
        end.other = end.ring->read.value.load(std::memory_order_acquire);
        if (end.own - end.other == slots_) {
            return false;
        }
    }
    std::byte* place = slot(end);
    new (place) Head{buffer.size, buffer.channel};
    std::memcpy(place + sizeof(Head), buffer.data(), buffer.size);
    end.ring->written.value.store(++end.own, std::memory_order_release);
    pool_.give_back(std::move(buffer));
    return true;
}

bool SharedRing::receive(Buffer& buffer) {
    for (std::size_t looked = 0; looked < in_.size(); ++looked) {
        const std::size_t from = next_in_;
        End& end = in_[from];
        next_in_ = from + 1 == in_.size() ? 0 : from + 1;
        if (end.own == end.other) {
            end.other = end.ring->written.value.load(std::memory_order_acquire);
            if (end.own == end.other) {
                continue;
            }
        }
        const std::byte* place = slot(end);
        const Head* head = reinterpret_cast<const Head*>(place);
        buffer = pool_.take();
        buffer.size = head->size;
        buffer.channel = head->channel;
        buffer.rank = static_cast<std::int32_t>(from);
        std::memcpy(buffer.data(), place + sizeof(Head), buffer.size);
        end.ring->read.value.store(++end.own, std::memory_order_release);
        return true;
    }
    return false;
}

void SharedRing::idle() {
    if (idle_ != Idle::spin) {
        sched_yield();
    }
}

} // namespace goodsyard::runtime
