// ping: what the aggregation of small messages is worth. README.md of runtime/ says what is printed.

#include <bit>

#include "harness/failure.hpp"
#include "ping/ping.hpp"

int main(int argc, char** argv) {
    using namespace goodsyard;
    const Session session(argc, argv);
    ping::Asked request;
    // What plain MPI is laid beside goes by it too, with as many messages on their way.
    request.runtime.transport = runtime::TransportKind::point_to_point;
    request.runtime.sends = ping::window;
    request.runtime.receives = ping::window;
    Family<MpiContext> family;
    family.name = "ping";
    family.description =
        "Messages one way: aggregated, one by one, and by plain MPI; writes Steelyard's line "
        "protocol.";
    family.computes = true;
    family.declare = [&](Options& options) {
        options.add("--payload", request.payload_bytes,
                    "Bytes of a message, a power of 2; above 4096 by plain MPI alone", {8, 1 << 16});
        options.add("--count", request.count, "Messages of each sender, rounded up to a multiple of 64",
                    {1, 1U << 30U});
        runtime::declare(options, request.runtime);
        options.check([&] {
            if (!std::has_single_bit(static_cast<unsigned>(request.payload_bytes))) {
                throw UsageError("--payload " + std::to_string(request.payload_bytes) +
                                 " is not a power of 2");
            }
        });
    };
    family.operations = {
        {"aggregated", [&](const MpiContext& c) { return ping::make_aggregated(c, request); }},
        {"raw", [&](const MpiContext& c) { return ping::make_raw(c, request); }},
        {"mpi", [&](const MpiContext& c) { return ping::make_plain(c, request); }}};
    return run(session, argc, argv, std::move(family));
}
