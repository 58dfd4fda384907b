// The entry for programs with ranks: options are parsed by rank 0 and sent to all, and whatever fails ends
// all ranks at once, with one line on stderr.
#pragma once

#include "harness/family.hpp"
#include "harness/program.hpp"
#include "mpi/session.hpp"

namespace goodsyard {

/// What an operation of ranks is made from.
struct MpiContext : Context {
    const World& world;
};

/// Run a program. Collective. Returns the exit code, as the entry without MPI does; an error of one rank
/// alone does not return: all ranks are aborted with exit code 1, since they may wait for this one for ever.
int run(const Session& session, int argc, const char* const* argv, const Program<World>& program);

/// Measure what the command line asks for. Collective. Every line has the labels `p`, `implementation`,
/// `sync`.
int run(const Session& session, int argc, const char* const* argv, Family<MpiContext> family);

} // namespace goodsyard
