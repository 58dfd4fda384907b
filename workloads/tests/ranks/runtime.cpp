// The runtime on real ranks, where it is misused and where it is not: --how says in which way, and
// tests/programs/test_runtime_misuse.py what comes of it.

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "global/delegates.hpp"
#include "global/global_array.hpp"
#include "harness/failure.hpp"
#include "mpi/entry.hpp"
#include "runtime/make_transport.hpp"

namespace goodsyard {
namespace {

using runtime::Channel;
using runtime::Runtime;

/// Tasks catch an exception, wait for another rank inside of the `catch` block, and raise it again.
void wait_in_catch(Runtime& runtime, const World& world) {
    constexpr std::uint64_t tasks = 64;
    global::Delegates delegates(runtime);
    const global::GlobalArray<std::uint64_t> numbers(world, tasks * static_cast<std::uint64_t>(world.size()));
    std::uint64_t wrong = 0;
    for (std::uint64_t task = 0; task < tasks; ++task) {
        runtime.tasks().spawn([&delegates, &numbers, &wrong, task] {
            const std::string own = std::to_string(task);
            try {
                try {
                    throw std::runtime_error(own);
                } catch (const std::runtime_error&) {
                    for (std::uint64_t i = task; i < numbers.size(); i += tasks) {
                        static_cast<void>(delegates.read(numbers[i]));
                    }
                    throw;
                }
            } catch (const std::exception& error) {
                wrong += error.what() == own ? 0 : 1;
            }
        });
    }
    runtime.epoch();
    fail_together(world, "tasks that raised the exception of another one",
                  wrong == 0 ? std::nullopt : std::optional(std::to_string(wrong)));
}

/// Work that is sent on the last rank after the last epoch.
void send_too_late(Runtime& runtime, const World& world) {
    Channel<std::uint64_t> numbers(runtime);
    numbers.on_receipt([](std::uint64_t) {});
    runtime.epoch();
    for (std::uint64_t i = 0; world.rank() == world.size() - 1 && i < 1000; ++i) {
        numbers.send(0, i);
    }
}

/// A handler of the last rank raises what is caught around the epoch.
void catch_around_epoch(Runtime& runtime, const World& world) {
    Channel<std::uint64_t> numbers(runtime);
    numbers.on_receipt([&](std::uint64_t number) {
        if (number == 5 && world.rank() == world.size() - 1) {
            throw std::invalid_argument("five");
        }
    });
    for (std::uint64_t i = 0; i < 1000; ++i) {
        numbers.send(world.size() - 1, i);
    }
    try {
        runtime.epoch();
    } catch (const std::invalid_argument&) {
        runtime.epoch();
    }
}

/// The same, which nobody catches.
void raise_in_handler(Runtime& runtime, const World& world) {
    Channel<std::uint64_t> numbers(runtime);
    numbers.on_receipt([&](std::uint64_t) { throw std::invalid_argument("planted"); });
    if (world.is_root()) {
        numbers.send(world.size() - 1, 1);
    }
    runtime.epoch();
}

using Way = std::function<void(Runtime&, const World&)>;
const std::map<std::string, Way>& ways() {
    static const std::map<std::string, Way> all{
        {"wait-in-catch", wait_in_catch},
        {"send-too-late", send_too_late},
        {"catch-around-epoch", catch_around_epoch},
        {"raise-in-handler", raise_in_handler},
    };
    return all;
}

} // namespace
} // namespace goodsyard

int main(int argc, char** argv) {
    using namespace goodsyard;
    const Session session(argc, argv);
    runtime::Parameters parameters;
    std::string how;
    const auto declare = [&](Options& options) {
        runtime::declare(options, parameters);
        options.add("--how", how, "In which way");
    };
    const auto body = [&](const World& world) {
        const auto way = ways().find(how);
        if (way == ways().end()) {
            throw UsageError("no such --how: " + how);
        }
        const auto transport = runtime::make_transport(world, parameters);
        Runtime runtime(*transport, parameters);
        way->second(runtime, world);
    };
    return run(session, argc, argv,
               Program<World>{"runtime_check", "Uses and misuses the runtime.", declare, body});
}
