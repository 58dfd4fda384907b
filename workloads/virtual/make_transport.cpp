#include "runtime/make_transport.hpp"

#include "harness/failure.hpp"
#include "runtime/agreement.hpp"
#include "virtual/machine.hpp"
#include "virtual/virtual_transport.hpp"

namespace goodsyard::runtime {

std::unique_ptr<Transport> make_transport(const World& world, const Parameters& parameters, Place place) {
    compare_products(world, "a transport of " + text_of_common(parameters), place);
    if (parameters.node_ranks != 0) {
        throw UsageError(
            "--node-ranks: in virtual time the file of --network says how many ranks a node has");
    }
    return std::make_unique<virtual_time::VirtualTransport>(*virtual_time::machine, parameters);
}

} // namespace goodsyard::runtime
