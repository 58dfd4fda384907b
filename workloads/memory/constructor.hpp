// What makes a communicator or a window, and keeps it: MPI's constructors whose memory is asked for.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "mpi/handles.hpp"
#include "mpi/session.hpp"

namespace goodsyard {

enum class Constructor : int { comm_create, comm_dup, win_create, cart_create };

inline constexpr std::array<std::string_view, 4> constructor_names = {"comm_create", "comm_dup", "win_create",
                                                                      "cart_create"};

using Constructed = std::variant<OwnedComm, OwnedWindow>;

/// Over all ranks of the world. Collective. `shared` is the memory that a window opens, 8 bytes.
Constructed construct(Constructor subject, const World& world, double& shared);

} // namespace goodsyard
