#include "mpi/session.hpp"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "harness/ending.hpp"
#include "harness/epoch_of_process.hpp"
#include "harness/last_words.hpp"
#include "harness/simulated.hpp"
#include "mpi/check.hpp"
#include "mpi/handles.hpp"

namespace goodsyard {

namespace {

MPI_Datatype datatype(Number kind) {
    switch (kind) {
    case Number::i32:
        return MPI_INT;
    case Number::i64:
        return MPI_INT64_T;
    case Number::u64:
        return MPI_UINT64_T;
    case Number::f64:
        return MPI_DOUBLE;
    }
    throw std::invalid_argument("no such number");
}

MPI_Op operation(Fold fold) {
    switch (fold) {
    case Fold::max:
        return MPI_MAX;
    case Fold::min:
        return MPI_MIN;
    case Fold::sum:
        return MPI_SUM;
    case Fold::exclusive_or:
        return MPI_BXOR;
    }
    throw std::invalid_argument("no such fold");
}

/// Raises std::logic_error where MPI is not up.
void check_is_up() {
    int has_begun = 0;
    int has_ended = 0;
    check(MPI_Initialized(&has_begun), "MPI_Initialized");
    check(MPI_Finalized(&has_ended), "MPI_Finalized");
    if (has_begun == 0 || has_ended != 0) {
        throw std::logic_error(std::string("Session::attach(): MPI is ") +
                               (has_ended != 0 ? "finalised" : "not initialised") +
                               ": call it between MPI_Init and MPI_Finalize, or let Session(argc, argv) call "
                               "both");
    }
}

/// Raises std::invalid_argument where a World is no place for its ranks.
void check_is_usable(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) {
        throw std::invalid_argument("World: MPI_COMM_NULL has no ranks: make it on those of the "
                                    "communicator alone");
    }
    int has_two_groups = 0;
    check(MPI_Comm_test_inter(comm, &has_two_groups), "MPI_Comm_test_inter");
    if (has_two_groups != 0) {
        throw std::invalid_argument("World: the communicator is one between two groups: merge them "
                                    "(MPI_Intercomm_merge)");
    }
}

/// Ends the program within an epoch, in which other ranks may wait for this one.
void check_is_outside(int rank) {
    if (epoch_of_process != nullptr) {
        const std::string_view file = epoch_of_process->file_name();
        end_program(rank, "what is collective is called of a World within the epoch at " +
                              std::string(file.substr(file.find_last_of('/') + 1)) + ":" +
                              std::to_string(epoch_of_process->line()) +
                              ", by a handler, a task or a step: call it before or after, on all ranks");
    }
}

/// One of the same ranks whose errors are returned, and which has none of the hints and attributes that the
/// program has set. Collective.
std::shared_ptr<const Communicator> own_communicator(MPI_Comm comm) {
    struct Holder {
        OwnedComm owner;
        Communicator communicator = MPI_COMM_NULL;
    };
    const auto holder = std::make_shared<Holder>();
    check(MPI_Comm_split(comm, 0, 0, holder->owner.out()), "MPI_Comm_split");
    check(MPI_Comm_set_errhandler(holder->owner.get(), MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    holder->communicator = holder->owner.get();
    return {holder, &holder->communicator};
}

#ifndef GOODSYARD_SIMULATED
/// What a rank leaves to the one that speaks.
constexpr unsigned time_to_speak_s = 2;

/// End every rank with exit code 1, and say why, once.
void end_all(const std::string& line) {
    if (has_last_word()) {
        say_line(line);
        usleep(1000U * time_to_forward_ms);
    } else {
        sleep(time_to_speak_s);
    }
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/// The rank of this process while a Session is open.
std::optional<int>& rank_of_session() {
    static std::optional<int> rank;
    return rank;
}

/// Sessions that there are.
int& open_sessions() {
    static int sessions = 0;
    return sessions;
}

/// Other ranks would wait for this one, and what it has to handle would be lost.
void end_with_process() {
    if (rank_of_session() && !is_ending()) {
        end_program(*rank_of_session(), "exit() is called while other ranks go on: return from main on all "
                                        "ranks, or throw an exception");
    }
}

/// What MPI_Finalize calls first (MPI 4.0, 11.2.4): the runtime would call what is no longer there.
int refuse_finalisation(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*state*/) {
    if (rank_of_session() && !is_ending()) {
        end_program(*rank_of_session(),
                    "MPI_Finalize is called while a Session is there: let it end first, and "
                    "what uses it");
    }
    return MPI_SUCCESS;
}

void watch_finalisation() {
    int key = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse_finalisation, &key, nullptr),
          "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
    check(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");
}

void begin_session() {
    if (open_sessions()++ > 0) {
        return;
    }
    static const bool is_watched = (watch_finalisation(), true);
    static_cast<void>(is_watched);
    set_ending(end_all);
    int rank = 0;
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    rank_of_session() = rank;
    static const bool is_registered =
        std::atexit(end_with_process) + std::at_quick_exit(end_with_process) == 0;
    static_cast<void>(is_registered);
}

void end_session() {
    if (--open_sessions() == 0) {
        set_ending(nullptr);
        rank_of_session().reset();
    }
}
#else
// There all ranks are one process, whose MPI_Abort would end it with exit code 0.
void begin_session() {}
void end_session() {
    set_ending(nullptr);
}
#endif

} // namespace

int mpi_count(std::size_t count) {
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw std::length_error(std::to_string(count) + " elements are too many for one message of MPI");
    }
    return static_cast<int>(count);
}

Session::Session(int& argc, char**& argv) {
    check(MPI_Init(&argc, &argv), "MPI_Init");
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    begin_session();
}

Session::Session() : is_attached_(true) {
    check_is_up();
    int level = MPI_THREAD_SINGLE;
    check(MPI_Query_thread(&level), "MPI_Query_thread");
    int is_main = 1;
    check(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
    if (is_main == 0 && level < MPI_THREAD_SERIALIZED) {
        throw std::logic_error("Session::attach(): only the thread that has initialised MPI may call it: "
                               "attach there, or ask MPI_Init_thread for MPI_THREAD_SERIALIZED");
    }
    begin_session();
}

Session Session::attach() {
    return {};
}

Session::~Session() {
    end_session();
    if (!is_attached_) {
        MPI_Finalize();
    }
}

World::World(const Session& session)
    : communicator_(session.is_attached() ? own_communicator(MPI_COMM_WORLD)
                                          : std::make_shared<const Communicator>(MPI_COMM_WORLD)) {
    check(MPI_Comm_rank(comm_of(*this), &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_of(*this), &size_), "MPI_Comm_size");
}

World::World(const Session& /*session*/, const Communicator& comm) {
    check_is_usable(comm.handle);
    communicator_ = own_communicator(comm.handle);
    check(MPI_Comm_rank(comm_of(*this), &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_of(*this), &size_), "MPI_Comm_size");
}

void World::barrier() const {
    check_is_outside(rank_);
    check(MPI_Barrier(comm_of(*this)), "MPI_Barrier");
}

void World::broadcast_bytes(void* data, std::size_t bytes, int root) const {
    check_is_outside(rank_);
    check(MPI_Bcast(data, mpi_count(bytes), MPI_BYTE, root, comm_of(*this)), "MPI_Bcast");
}

int World::ranks_of_host() const {
    OwnedComm host;
    check(MPI_Comm_split_type(comm_of(*this), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, host.out()),
          "MPI_Comm_split_type");
    int ranks = 1;
    check(MPI_Comm_size(host.get(), &ranks), "MPI_Comm_size");
    return ranks;
}

int World::first_of_host() const {
    OwnedComm host;
    check(MPI_Comm_split_type(comm_of(*this), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, host.out()),
          "MPI_Comm_split_type");
    int first = 0;
    check(MPI_Allreduce(&rank_, &first, 1, MPI_INT, MPI_MIN, host.get()), "MPI_Allreduce");
    return first;
}

bool World::is_oversubscribed() const {
    if constexpr (simulated) {
        return false;
    } else {
        return ranks_of_host() > sysconf(_SC_NPROCESSORS_ONLN);
    }
}

void World::exchange_bytes(const std::vector<std::span<const std::byte>>& sent, const Place& place) const {
    check_is_outside(rank_);
    const std::size_t ranks = sent.size();
    std::vector<int> out(ranks);
    std::vector<int> in(ranks);
    std::vector<int> out_begin(ranks);
    std::vector<int> in_begin(ranks);
    std::vector<std::byte> outgoing;
    for (std::size_t r = 0; r < ranks; ++r) {
        out[r] = mpi_count(sent[r].size());
        out_begin[r] = mpi_count(outgoing.size());
        outgoing.insert(outgoing.end(), sent[r].begin(), sent[r].end());
    }
    check(MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm_of(*this)), "MPI_Alltoall");
    std::size_t total = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
        in_begin[r] = mpi_count(total);
        total += static_cast<std::size_t>(in[r]);
    }
    std::vector<std::byte> arrived(total);
    check(MPI_Alltoallv(outgoing.data(), out.data(), out_begin.data(), MPI_BYTE, arrived.data(), in.data(),
                        in_begin.data(), MPI_BYTE, comm_of(*this)),
          "MPI_Alltoallv");
    for (std::size_t r = 0; r < ranks; ++r) {
        const auto bytes = static_cast<std::size_t>(in[r]);
        void* to = place(static_cast<int>(r), bytes);
        if (bytes > 0) {
            std::memcpy(to, arrived.data() + in_begin[r], bytes);
        }
    }
}

void World::fold_to_all(Fold fold, Number kind, const void* own, void* folded, std::size_t count) const {
    check_is_outside(rank_);
    check(MPI_Allreduce(own, folded, mpi_count(count), datatype(kind), operation(fold), comm_of(*this)),
          "MPI_Allreduce");
}

void World::fold_to_root(Fold fold, Number kind, const void* own, void* folded, std::size_t count) const {
    check_is_outside(rank_);
    check(MPI_Reduce(own, folded, mpi_count(count), datatype(kind), operation(fold), 0, comm_of(*this)),
          "MPI_Reduce");
}

void World::gather_bytes(const void* own, void* all, std::size_t bytes_of_one) const {
    check_is_outside(rank_);
    const int count = mpi_count(bytes_of_one);
    check(MPI_Gather(own, count, MPI_BYTE, all, count, MPI_BYTE, 0, comm_of(*this)), "MPI_Gather");
}

} // namespace goodsyard
