// The runtime on real ranks, where it is misused and where it is not: --how says in which way, and
// tests/programs/test_runtime_misuse.py what comes of it.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "containers/map.hpp"
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

/// Keys are counted outside of epochs: each rank keeps a small part of the messages.
void insert_outside(Runtime& runtime, const World& world) {
    constexpr std::uint64_t insertions = 200'000, keys = 1000;
    global::Messages messages(runtime);
    containers::Map<std::uint64_t, std::uint64_t> counts(world, messages);
    for (std::uint64_t i = 0; i < insertions; ++i) {
        counts.async_visit(i % keys, [](std::uint64_t, std::uint64_t& count) { ++count; });
    }
    const runtime::Counters& counters = runtime.counters();
    const bool is_short = counters.longest_backlog < (counters.messages + counters.messages_to_self) / 8;
    std::uint64_t wrong = counts.size() == keys ? 0 : 1;
    counts.for_all([&](std::uint64_t, std::uint64_t count) {
        wrong += count == insertions / keys * static_cast<std::uint64_t>(world.size()) ? 0 : 1;
    });
    fail_together(world, "keys that were counted wrongly",
                  wrong == 0 ? std::nullopt : std::optional(std::to_string(wrong)));
    fail_together(world, "messages that waited at once",
                  is_short ? std::nullopt : std::optional(std::to_string(counters.longest_backlog)));
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

/// Items of the last rank go to one that is not there.
void send_beyond(Runtime& runtime, const World& world) {
    Channel<std::uint64_t> numbers(runtime);
    numbers.on_receipt([](std::uint64_t) {});
    if (world.rank() == world.size() - 1) {
        numbers.send(world.size(), 1);
    }
    runtime.epoch();
}

/// Items come to a channel without a handler.
void leave_out_handler(Runtime& runtime, const World& world) {
    Channel<std::uint64_t> numbers(runtime);
    if (world.is_root()) {
        numbers.send(world.size() - 1, 1);
    }
    runtime.epoch();
}

/// A channel on the first rank alone.
void make_one_channel(Runtime& runtime, const World& world) {
    std::optional<Channel<std::uint64_t>> numbers;
    if (world.is_root()) {
        numbers.emplace(runtime).send(world.size() - 1, 1);
    }
    runtime.epoch();
}

/// A function on the last rank alone, as of a library that this one has loaded.
void enrol_on_last(Runtime& runtime, const World& world) {
    if (world.rank() == world.size() - 1) {
        runtime::functions.enrol([] {}, "plug-in");
    }
    global::Messages messages(runtime);
    messages.async(0, [] {});
    runtime.epoch();
}

/// What the last rank does for an item, or in a task.
void do_on_last(Runtime& runtime, const World& world, bool in_task, const std::function<void()>& work) {
    Channel<std::uint64_t> numbers(runtime);
    numbers.on_receipt([&](std::uint64_t) {
        if (in_task) {
            runtime.tasks().spawn([&work] { work(); });
        } else {
            work();
        }
    });
    if (world.is_root()) {
        numbers.send(world.size() - 1, 1);
    }
    runtime.epoch();
}

void use_thread(Runtime& runtime, const World& world) {
    do_on_last(runtime, world, false, [&] { std::thread([&] { runtime.epoch(); }).join(); });
}

/// Frame by frame.
[[gnu::noinline]] std::size_t use_stack(std::size_t bytes) {
    std::array<volatile char, 1024> frame{};
    frame[0] = 1;
    return bytes < frame.size() ? frame[0] : use_stack(bytes - frame.size()) + frame[0];
}

/// The answer of the first rank comes when the future of the last is gone.
void drop_future(Runtime& runtime, const World& world) {
    global::Delegates delegates(runtime);
    const global::GlobalArray<std::uint64_t> numbers(world, static_cast<std::uint64_t>(world.size()));
    if (world.rank() == world.size() - 1) {
        runtime::Future<std::uint64_t> answer(runtime.tasks());
        delegates.read(numbers[0], answer);
    }
    runtime.epoch();
}

/// The last rank begins one epoch more, where the first ends its runtime.
void add_epoch(Runtime& runtime, const World& world) {
    runtime.epoch();
    if (world.rank() == world.size() - 1) {
        runtime.epoch();
    }
}

void make_other_array(Runtime& /*runtime*/, const World& world) {
    const global::GlobalArray<int> array(world, world.rank() == world.size() - 1 ? 20 : 10);
}

/// Other ranks would wait for it in the epoch.
void meet_in_handler(Runtime& runtime, const World& world) {
    do_on_last(runtime, world, false, [&] { world.barrier(); });
}

/// On the last rank.
void raise_number(Runtime& runtime, const World& world) {
    // NOLINTNEXTLINE(bugprone-std-exception-baseclass): of no class of ours, as a library of others may.
    do_on_last(runtime, world, false, [] { throw 5; });
}

/// What no `catch` can catch.
void raise_in_destructor(Runtime& runtime, const World& world) {
    struct Raising {
        std::function<void()> raise;
        ~Raising() { raise(); } // NOLINT(bugprone-exception-escape): that it does is what is tested.
    };
    do_on_last(runtime, world, false,
               [] { const Raising raising{[] { throw std::runtime_error("planted"); }}; });
}

/// Of the last rank, while the first waits for it.
void leave_by_exit(Runtime& /*runtime*/, const World& world) {
    if (world.rank() == world.size() - 1) {
        std::exit(0);
    }
    world.barrier();
}

void leave_by_quick_exit(Runtime& /*runtime*/, const World& world) {
    if (world.rank() == world.size() - 1) {
        std::quick_exit(0);
    }
    world.barrier();
}

using Way = std::function<void(Runtime&, const World&)>;
const std::map<std::string, Way>& ways() {
    static const std::map<std::string, Way> all{
        {"wait-in-catch", wait_in_catch},
        {"insert-outside", insert_outside},
        {"send-too-late", send_too_late},
        {"catch-around-epoch", catch_around_epoch},
        {"raise-in-handler", raise_in_handler},
        {"send-beyond", send_beyond},
        {"leave-out-handler", leave_out_handler},
        {"make-one-channel", make_one_channel},
        {"enrol-on-last", enrol_on_last},
        {"epoch-in-handler",
         [](Runtime& runtime, const World& world) {
             do_on_last(runtime, world, false, [&] { runtime.epoch(); });
         }},
        {"epoch-in-task",
         [](Runtime& runtime, const World& world) {
             do_on_last(runtime, world, true, [&] { runtime.epoch(); });
         }},
        {"yield-in-handler",
         [](Runtime& runtime, const World& world) {
             do_on_last(runtime, world, false, [&] { runtime.tasks().yield(); });
         }},
        {"use-thread", use_thread},
        {"drop-future", drop_future},
        {"add-epoch", add_epoch},
        {"make-other-array", make_other_array},
        {"meet-in-handler", meet_in_handler},
        {"raise-number", raise_number},
        {"raise-in-destructor", raise_in_destructor},
        {"overrun-stack",
         [](Runtime& runtime, const World& world) {
             do_on_last(runtime, world, true, [] { use_stack(std::size_t{1} << 20U); });
         }},
        {"exit-in-handler",
         [](Runtime& runtime, const World& world) {
             do_on_last(runtime, world, false, [] { std::exit(0); });
         }},
        {"exit-in-task", [](Runtime& runtime,
                            const World& world) { do_on_last(runtime, world, true, [] { std::exit(0); }); }},
        {"exit", leave_by_exit},
        {"quick-exit", leave_by_quick_exit},
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
