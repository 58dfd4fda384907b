// The transports on MPI.
#pragma once

#include <memory>

#include "mpi/session.hpp"
#include "runtime/parameters.hpp"
#include "runtime/place.hpp"
#include "runtime/transport.hpp"

namespace goodsyard::runtime {

/// The one that is asked for; `parameters` are settled. Collective, as is its destruction, which comes when
/// all messages have arrived. Raises UsageError where items are to go by nodes, and these have not equally
/// many consecutive ranks. Ends the program where ranks have different parameters that concern all.
std::unique_ptr<Transport> make_transport(const World& world, const Parameters& parameters,
                                          Place place = Place::current());

} // namespace goodsyard::runtime
