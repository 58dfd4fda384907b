#include "runtime/make_transport.hpp"

#include "virtual/machine.hpp"
#include "virtual/virtual_transport.hpp"

namespace goodsyard::runtime {

std::unique_ptr<Transport> make_transport(const World& /*world*/, const Parameters& parameters) {
    return std::make_unique<virtual_time::VirtualTransport>(*virtual_time::machine, parameters);
}

} // namespace goodsyard::runtime
