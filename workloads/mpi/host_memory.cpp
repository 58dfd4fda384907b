#include "mpi/host_memory.hpp"

#include <cstdint>
#include <optional>
#include <unistd.h>

#include "harness/failure.hpp"
#include "harness/simulated.hpp"

namespace goodsyard {

namespace {

double memory_of_host() {
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// All ranks of a simulation are on one.
int ranks_of_host(const World& world) {
    return simulated ? world.size() : world.ranks_of_host();
}

} // namespace

double memory_of_rank(const World& world) {
    return memory_of_host() / ranks_of_host(world);
}

void require_memory(const World& world, double bytes_of_rank, const std::string& what_does,
                    const std::string& cure) {
    constexpr double gib = 1024.0 * 1024 * 1024;
    const double needed = bytes_of_rank * ranks_of_host(world);
    const double place = memory_of_host();
    std::optional<std::string> lacking;
    if (needed > place) {
        lacking = std::to_string(static_cast<std::uint64_t>(needed / gib) + 1) +
                  " GiB are needed on this host, which has " +
                  std::to_string(static_cast<std::uint64_t>(place / gib)) + "; " + cure;
    }
    fail_together(world, what_does + " not fit in memory", lacking);
}

} // namespace goodsyard
