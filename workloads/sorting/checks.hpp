// Whether a sort has done what it promises: order, nothing lost, loads, stability. Every check is collective.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/checksum.hpp"
#include "harness/order.hpp"
#include "harness/team.hpp"
#include "sorting/blocks.hpp"
#include "sorting/item.hpp"
#include "sorting/parameters.hpp"

namespace goodsyard::sorting {

inline std::uint64_t fingerprint(Key item) {
    return item;
}
inline std::uint64_t fingerprint(const Record& item) {
    return mix64(item.key) + item.payload;
}

/// Of all ranks' items, on all ranks.
template <class Item>
Checksum checksum_of(const Team& team, const std::vector<Item>& block) {
    Checksum own;
    for (const Item& item : block) {
        own.add(fingerprint(item));
    }
    return of_all(team, own);
}

/// Items of a rank after the sort, at most, if n of them were in equal blocks before or `were_even` is false.
inline std::optional<std::uint64_t> largest_promised(const Parameters& parameters, std::uint64_t total,
                                                     int ranks, bool were_even) {
    const double value = static_cast<double>(total) / ranks;
    switch (parameters.algorithm) {
    case Algorithm::histogram: // Both ends of a block may be off by ε n / 2p.
        return static_cast<std::uint64_t>(std::ceil((1 + parameters.epsilon) * value));
    case Algorithm::sample:
        return were_even ? std::optional(static_cast<std::uint64_t>(std::ceil(2 * value)) + 1) : std::nullopt;
    default:
        return std::nullopt; // Exactly equal blocks: see unexpected_load.
    }
}

/// What is wrong with the number of items of this rank, if anything is.
inline std::optional<std::string> unexpected_load(const Parameters& parameters, const Team& team,
                                                  std::uint64_t local, std::uint64_t total, bool were_even) {
    const auto ranks = static_cast<std::uint64_t>(team.size());
    const auto rank = static_cast<std::uint64_t>(team.rank());
    if (parameters.algorithm == Algorithm::sample || parameters.algorithm == Algorithm::histogram) {
        const auto most = largest_promised(parameters, total, team.size(), were_even);
        if (most && local > *most) {
            return std::to_string(local) + " items, more than " + std::to_string(*most);
        }
        return std::nullopt;
    }
    const std::uint64_t exact = first_of_block(rank + 1, total, ranks) - first_of_block(rank, total, ranks);
    if (local != exact) {
        return std::to_string(local) + " items, not " + std::to_string(exact);
    }
    return std::nullopt;
}

/// Whether equal keys keep their order: those of radix and mini sort always, others' with a stable local
/// sort.
constexpr bool is_stable(const Parameters& parameters) {
    return parameters.algorithm == Algorithm::radix || parameters.algorithm == Algorithm::mini ||
           parameters.local == LocalSort::std;
}

/// Where items are out of order; equal ones, too, if the sort is stable.
inline std::optional<std::string> out_of_order(const Team& team, const Parameters&,
                                               const std::vector<Key>& block) {
    return disorder(team, std::span<const Key>(block));
}
inline std::optional<std::string> out_of_order(const Team& team, const Parameters& parameters,
                                               const std::vector<Record>& block) {
    if (!is_stable(parameters)) {
        return disorder(team, std::span<const Record>(block), LessKey());
    }
    return disorder(team, std::span<const Record>(block), [](const Record& a, const Record& b) {
        return a.key != b.key ? a.key < b.key : a.payload < b.payload;
    });
}

} // namespace goodsyard::sorting
