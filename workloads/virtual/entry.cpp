// mpi/entry.hpp without MPI: options are parsed once, and every rank of the process runs the program.
#include "mpi/entry.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <unistd.h>

#include "harness/ending.hpp"
#include "harness/failure.hpp"
#include "harness/last_words.hpp"
#include "virtual/machine.hpp"

namespace goodsyard {

namespace {

/// The network and the ranks as the command line asks for them.
struct Asked {
    std::string network;
    int ranks = 2;
    int ranks_of_node = 0; ///< 0: as the file has it.
    double message_noise_s = 0;
    WorkNoise work_noise;
    std::uint64_t seed = 1;
};

void declare(Options& options, Asked& request) {
    options.add("--network", request.network,
                "virtual:FILE, the network that messages take (workloads/virtual)");
    options.add("--ranks", request.ranks, "Ranks, all of them in this process", {1, 1 << 16});
    options.add("--ranks-of-node", request.ranks_of_node, "Ranks of a node; 0: as the file has it",
                {0, 4096});
    options.add("--message-noise", request.message_noise_s,
                "Mean of what a message takes longer, in seconds, drawn for each", {0.0, 1.0});
    options.add("--work-noise", request.work_noise.of_piece,
                "Mean of what a piece of work takes longer, as a share of it, drawn for each", {0.0, 100.0});
    options.add("--rank-noise", request.work_noise.of_rank,
                "Mean of what all work of a rank takes longer, as a share, drawn for each rank",
                {0.0, 100.0});
    options.add("--noise-seed", request.seed, "Of what is drawn");
}

virtual_time::Network network_of(const Asked& request) {
    virtual_time::Network network = virtual_time::network_of_argument(request.network);
    if (request.ranks_of_node > 0) {
        network.ranks_of_node = request.ranks_of_node;
    }
    network.message_noise_s = request.message_noise_s;
    network.work_noise = request.work_noise;
    return network;
}

/// Without what the frames of suspended ranks would still do, some of which no exception may pass.
[[noreturn]] void end_all(const std::string& line, int code) {
    std::fflush(stdout);
    say_line(line);
    _exit(code);
}

/// On its own stack: what one rank raises ends all.
void run_rank(const Session& session, const Program<World>& program, int rank) {
    const std::string begin = program.name + ": rank " + std::to_string(rank) + ": ";
    try {
        program.body(World(session));
    } catch (const UsageError& error) {
        end_all(program.name + ": " + error.what(), 2);
    } catch (const SharedFailure& error) {
        end_all(program.name + ": " + text_of(error), 1);
    } catch (const std::exception& error) {
        end_all(begin + text_of(error), 1);
    } catch (const runtime::Unwinding&) {
        throw;
    } catch (...) {
        end_all(begin + "an exception that is no std::exception was not caught", 1);
    }
}

/// Of the rank that runs: others would be ended with it, and what they have to handle.
void end_with_process() {
    if (virtual_time::machine != nullptr && virtual_time::machine->running() >= 0) {
        end_program(
            virtual_time::machine->running(),
            "exit() is called while other ranks go on: return from the program's body on all ranks, or "
            "throw an exception");
    }
}

void run_ranks(const Session& session, const Asked& request, const Program<World>& program) {
    virtual_time::Ranks ranks(network_of(request), request.ranks, request.seed);
    virtual_time::machine = &ranks;
    static const bool is_registered =
        std::atexit(end_with_process) + std::at_quick_exit(end_with_process) == 0;
    static_cast<void>(is_registered);
    end_by_uncaught([](const std::exception_ptr&) {
        return virtual_time::machine == nullptr ? -1 : virtual_time::machine->running();
    });
    try {
        ranks.run([&](int rank) { run_rank(session, program, rank); });
    } catch (const std::exception& error) {
        end_all(program.name + ": " + text_of(error), 1);
    }
    virtual_time::machine = nullptr;
}

} // namespace

int run(const Session& session, int argc, const char* const* argv, const Program<World>& program) {
    Asked request;
    Options options;
    program.declare(options);
    declare(options, request);
    try {
        if (const int code = options.parse(program.name, program.description, argc, argv); code >= 0) {
            return code;
        }
        run_ranks(session, request, program);
        return 0;
    } catch (const UsageError& error) {
        end_all(program.name + ": " + error.what(), 2);
    } catch (const std::exception& error) {
        end_all(program.name + ": " + text_of(error), 1);
    }
}

} // namespace goodsyard
