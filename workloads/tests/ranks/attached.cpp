// A program that has initialised MPI by itself, and lets runtimes work on halves of its ranks beside messages
// and collectives of its own: for tests/programs/test_attached.py, which says by --how what it does wrong.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "containers/map.hpp"
#include "mpi/check.hpp"
#include "runtime/channel.hpp"
#include "runtime/make_transport.hpp"

namespace {

using namespace goodsyard;

constexpr std::uint64_t hops = 60;

struct Hop {
    std::uint64_t rest;
};

/// Items that go from rank to rank, in as many epochs: the sum over the ranks of `world` of those handled.
std::uint64_t count_hops(const World& world, const runtime::Parameters& parameters, int epochs) {
    const auto transport = runtime::make_transport(world, parameters);
    runtime::Runtime runtime(*transport, parameters);
    runtime::Channel<Hop> channel(runtime);
    std::uint64_t handled = 0;
    channel.on_receipt([&](const Hop& hop) {
        ++handled;
        if (hop.rest > 0) {
            channel.send(static_cast<int>(hop.rest % static_cast<std::uint64_t>(runtime.size())),
                         {hop.rest - 1});
        }
    });
    for (int epoch = 0; epoch < epochs; ++epoch) {
        channel.send((runtime.rank() + 1) % runtime.size(), {hops - 1});
        runtime.epoch();
    }
    return world.all(Fold::sum, handled);
}

/// Keys of a map over the ranks of `world`.
std::uint64_t count_keys(const World& world, const runtime::Parameters& parameters) {
    const auto transport = runtime::make_transport(world, parameters);
    runtime::Runtime runtime(*transport, parameters);
    global::Messages messages(runtime);
    containers::Map<int, int> map(world, messages);
    for (int key = 0; key < 1000; ++key) {
        map.async_visit(key + world.rank(), [](int, int& count) { ++count; });
    }
    return map.size();
}

void expect(bool holds, const char* text) {
    if (!holds) {
        std::fprintf(stderr, "attached_check: %s\n", text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int level_of(const std::string& name) {
    return name == "multiple"     ? MPI_THREAD_MULTIPLE
           : name == "serialized" ? MPI_THREAD_SERIALIZED
           : name == "funneled"   ? MPI_THREAD_FUNNELED
                                  : MPI_THREAD_SINGLE;
}

/// The text of what `work` raises.
template <class Error, class Work>
std::string raised(Work&& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing";
}

void work_on_halves(const runtime::Parameters& parameters, MPI_Comm half, int color, bool misuses) {
    const Session session = Session::attach();
    const World world(session, half);
    int ranks = 0;
    MPI_Comm_size(half, &ranks);
    const auto p = static_cast<std::uint64_t>(ranks);
    const int epochs = color == 0 ? 3 : 7;
    expect(count_hops(world, parameters, epochs) == p * hops * static_cast<std::uint64_t>(epochs),
           "a half counts wrongly");
    expect(count_keys(world, parameters) == 1000 + p - 1, "a half has other keys");
    if (misuses && color == 1) {
        const auto transport = runtime::make_transport(world, parameters);
        runtime::Runtime runtime(*transport, parameters);
        runtime::Channel<Hop> channel(runtime);
        channel.send(ranks, {1});
    }
    expect(raised<std::invalid_argument>([&] {
               const World none(session, MPI_COMM_NULL);
           }).find("MPI_COMM_NULL has no ranks") != std::string::npos,
           "a World of no ranks");
}

} // namespace

int main(int argc, char** argv) {
    const std::string level = argc > 1 ? argv[1] : "single";
    const std::string how = argc > 2 ? argv[2] : "well";
    runtime::Parameters request;
    request.transport = argc > 3 && std::strcmp(argv[3], "point-to-point") == 0
                            ? runtime::TransportKind::point_to_point
                            : runtime::TransportKind::standard;
    const runtime::Parameters parameters = runtime::settled(request);
    if (how == "too-early") {
        std::printf("%s\n",
                    raised<std::logic_error>([] { const Session early = Session::attach(); }).c_str());
        return 0;
    }
    int provided = 0;
    MPI_Init_thread(&argc, &argv, level_of(level), &provided);
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (how == "thread") {
        std::string text;
        std::thread([&] {
            text = raised<std::logic_error>([] { const Session second = Session::attach(); });
        }).join();
        std::printf("%s\n", text.c_str());
        MPI_Finalize();
        return 0;
    }

    // The program's own receive takes messages of any rank and tag, while runtimes work.
    int received = -1;
    MPI_Request request_of_any = MPI_REQUEST_NULL;
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request_of_any);
    const int color = rank < (size + 1) / 2 ? 0 : 1;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, color, -rank, &half); // In the opposite order.
    work_on_halves(parameters, half, color, how == "misuse");
    work_on_halves(parameters, half, color, false); // A second session.
    if (how == "exit") {
        const Session session = Session::attach();
        const World world(session);
        if (rank == size - 1) {
            std::exit(0);
        }
        world.barrier();
    }
    if (how == "finalise") {
        const Session session = Session::attach();
        MPI_Finalize();
    }
    {
        const Session session = Session::attach();
        const World world(session);
        expect(count_hops(world, parameters, 2) == static_cast<std::uint64_t>(size) * hops * 2,
               "all ranks count wrongly");
    }
    int is_there = 0;
    MPI_Test(&request_of_any, &is_there, MPI_STATUS_IGNORE);
    expect(is_there == 0, "the program's receive has taken a message of a runtime");
    MPI_Barrier(MPI_COMM_WORLD); // All ranks have looked.
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
    MPI_Wait(&request_of_any, MPI_STATUS_IGNORE);
    expect(received == (rank + size - 1) % size, "a message of the program is lost");
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    expect(handler == MPI_ERRORS_ARE_FATAL, "the program has another error handler");
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&half);
    int ranks = 1;
    int sum = 0;
    MPI_Allreduce(&ranks, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0) {
        std::printf("%d ranks have worked\n", sum);
    }
    return how == "too-late" ? (std::printf("%s\n", raised<std::logic_error>([] {
                                                        const Session late = Session::attach();
                                                    }).c_str()),
                                0)
                             : 0;
}
