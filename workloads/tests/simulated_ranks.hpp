// A runtime on each rank of a simulated network.
#pragma once

#include <functional>

#include "runtime/channel.hpp"
#include "runtime/simulated_network.hpp"

namespace goodsyard::runtime {

inline void on_ranks(const NetworkSettings& network, const Parameters& request,
                     const std::function<void(Runtime&, const Team&)>& body) {
    const Parameters parameters = settled(request);
    NetworkSettings settings = network;
    settings.sends = parameters.sends;
    settings.buffer_bytes = capacity_bytes(parameters);
    const Computation computation(ComputeMode::off, "");
    SimulatedNetwork(settings).run([&](const Team& team, Transport& transport) {
        Runtime runtime(transport, parameters, computation);
        body(runtime, team);
    });
}

} // namespace goodsyard::runtime
