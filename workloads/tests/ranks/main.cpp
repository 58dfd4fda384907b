// Asserts with real ranks what tests on threads cannot, and fails in all the ways in which programs fail:
// - the members of World do what those of any Team do;
// - handles can be moved and assigned, and give back what they own;
// - with --fail, the last rank, every rank, or all ranks together raise an error.

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/checksum.hpp"
#include "harness/failure.hpp"
#include "harness/order.hpp"
#include "harness/share.hpp"
#include "mpi/check.hpp"
#include "mpi/entry.hpp"
#include "mpi/handles.hpp"
#include "protocol/lines.hpp"

namespace goodsyard {
namespace {

constexpr int tag = 5;

void require(bool holds, const std::string& subject) {
    if (!holds) {
        throw std::runtime_error(subject);
    }
}

void check_team(const World& world) {
    const int p = world.size();
    require(world.all(Fold::sum, world.rank()) == p * (p - 1) / 2, "sum of int");
    require(world.all(Fold::max, static_cast<double>(world.rank())) == p - 1, "maximum of double");
    require(world.all(Fold::min, std::int64_t{-1} - world.rank()) == -p, "minimum of int64");
    const std::uint64_t bit = std::uint64_t{1} << (world.rank() % 64);
    require((world.all(Fold::exclusive_or, bit) & 1) == static_cast<std::uint64_t>((p + 63) / 64 % 2),
            "exclusive or");
    std::string text = world.rank() == p - 1 ? "from the last" : "";
    world.broadcast(text, p - 1);
    require(text == "from the last", "broadcast of text");
    const std::vector<int> all = world.gathered(std::vector<int>{world.rank(), -world.rank()});
    require(all.size() == (world.is_root() ? 2 * static_cast<std::size_t>(p) : 0), "gathered size");
    for (std::size_t i = 0; i < all.size(); i += 2) {
        require(all[i] == static_cast<int>(i / 2) && all[i + 1] == -all[i], "gathered values");
    }
    const std::vector<int> squares = world.of_each(world.rank() * world.rank());
    require(squares.size() == static_cast<std::size_t>(p), "size of what each has");
    for (int rank = 0; rank < p; ++rank) {
        require(squares[static_cast<std::size_t>(rank)] == rank * rank, "what each has");
    }
    require(world.ranks_of_host() >= 1 && world.ranks_of_host() <= p, "ranks of the host");
}

/// Written by rank 0 only: the same at every number of ranks.
void write_inputs(const World& world, const Lines& lines) {
    constexpr std::uint64_t total = 1000;
    const Random random(1);
    const Share share = share_of(total, world);
    Checksum local;
    std::vector<std::uint64_t> sorted;
    for (std::uint64_t i = 0; i < share.count; ++i) {
        local.add(random.bits(share.first + i));
        sorted.push_back(share.first + i);
    }
    const Checksum folded = of_all(world, local);
    fail_together(world, "order", disorder(world, std::span<const std::uint64_t>(sorted)));
    if (world.is_root()) {
        lines.write("checksum", "", {},
                    {static_cast<double>(folded.count), static_cast<double>(folded.sum),
                     static_cast<double>(folded.exclusive_or), static_cast<double>(folded.mixed)});
    }
}

OwnedDatatype pair_of_doubles() {
    OwnedDatatype created;
    check(MPI_Type_contiguous(2, MPI_DOUBLE, created.out()), "MPI_Type_contiguous");
    MPI_Datatype type = created.get();
    check(MPI_Type_commit(&type), "MPI_Type_commit");
    return created;
}

void add_pairs(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
    const auto* from = static_cast<const double*>(in);
    auto* to = static_cast<double*>(inout);
    for (int i = 0; i < 2 * *count; ++i) {
        to[i] += from[i];
    }
}

/// A reduction of an own datatype by an own operation, on an own communicator, all of which were moved.
void check_handles(const World& world) {
    OwnedComm first;
    check(MPI_Comm_dup(comm_of(world), first.out()), "MPI_Comm_dup");
    OwnedComm comm;
    check(MPI_Comm_dup(comm_of(world), comm.out()), "MPI_Comm_dup");
    comm = std::move(first); // Gives the second one back.
    OwnedDatatype created = pair_of_doubles();
    const OwnedDatatype pairs = std::move(created);
    OwnedOp op;
    constexpr int commutes = 1;
    check(MPI_Op_create(add_pairs, commutes, op.out()), "MPI_Op_create");
    const std::array<double, 2> local = {1.0, static_cast<double>(world.rank())};
    std::array<double, 2> sum = {};
    check(MPI_Allreduce(local.data(), sum.data(), 1, pairs.get(), op.get(), comm.get()), "MPI_Allreduce");
    require(sum[0] == world.size() && sum[1] == world.size() * (world.size() - 1) / 2.0, "sums of pairs");
}

void check_requests(const World& world) {
    const int next = (world.rank() + 1) % world.size();
    const int previous = (world.rank() + world.size() - 1) % world.size();
    int received = -1;
    const int sent = world.rank();
    std::vector<OwnedRequest> requests(2);
    check(MPI_Irecv(&received, 1, MPI_INT, previous, tag, comm_of(world), requests[0].out()), "MPI_Irecv");
    check(MPI_Isend(&sent, 1, MPI_INT, next, tag, comm_of(world), requests[1].out()), "MPI_Isend");
    requests.reserve(100); // Moves them.
    for (OwnedRequest& request : requests) {
        request.wait();
        require(!request, "a request that is complete is none");
    }
    require(received == previous, "message around the ring");
    // Nobody sends this one: it is given up when it goes out of scope.
    OwnedRequest never;
    check(MPI_Irecv(&received, 1, MPI_INT, previous, tag + 1, comm_of(world), never.out()), "MPI_Irecv");
}

enum class Fail : int { none, one, every, together, usage, call };

void fail(const World& world, Fail how) {
    const bool is_last = world.rank() == world.size() - 1;
    if (how == Fail::usage) {
        throw UsageError("--fail usage is refused");
    }
    if (how == Fail::every || (how == Fail::one && is_last)) {
        throw std::runtime_error("planted\nin two lines");
    }
    if (how == Fail::call && is_last) {
        check(MPI_Send(&how, 1, MPI_INT, world.size(), tag, comm_of(world)), "MPI_Send");
    }
    fail_together(world, "planted",
                  how == Fail::together && is_last ? std::optional<std::string>("here") : std::nullopt);
    // The others wait for the one that failed.
    world.barrier();
}

} // namespace
} // namespace goodsyard

int main(int argc, char** argv) {
    using namespace goodsyard;
    const Session session(argc, argv);
    Fail how = Fail::none;
    const auto declare = [&](Options& options) {
        options.add("--fail", how, "In which way",
                    {{"none", Fail::none},
                     {"one", Fail::one},
                     {"every", Fail::every},
                     {"together", Fail::together},
                     {"usage", Fail::usage},
                     {"call", Fail::call}});
    };
    const auto body = [&](const World& world) {
        fail(world, how);
        check_team(world);
        check_handles(world);
        check_requests(world);
        write_inputs(world, Lines({}));
    };
    return run(session, argc, argv,
               Program<World>{"ranks_check", "Checks the harness with ranks.", declare, body});
}
