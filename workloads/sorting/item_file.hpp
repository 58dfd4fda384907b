// Sorted items as a file, in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/table_file.hpp"
#include "sorting/inputs.hpp"

namespace goodsyard::sorting {

/// The number that a key stands for.
inline std::uint64_t cell_of_key(Key key, KeyType type) {
    switch (type) {
    case KeyType::i64:
        return cell_of(to_signed(key));
    case KeyType::f64:
        return cell_of(to_double(key));
    case KeyType::u64:
        break;
    }
    return key;
}

/// Write the blocks of all ranks, one behind the other; of records also the payloads. Collective. Raises
/// SharedFailure where that fails.
template <class Item>
void write_items(const Team& team, const std::vector<Item>& block, KeyType type, const std::string& path) {
    constexpr std::size_t piece = 1 << 16;
    const CellKind kind = type == KeyType::u64   ? CellKind::u64
                          : type == KeyType::i64 ? CellKind::i64
                                                 : CellKind::f64;
    std::vector<Column> columns = {{"key", kind}};
    if constexpr (std::is_same_v<Item, Record>) {
        columns.push_back({"payload", CellKind::u64});
    }
    const auto ranks = static_cast<std::size_t>(team.size());
    const std::vector<std::uint64_t> counts = team.of_each(std::uint64_t{block.size()});
    std::uint64_t rows = 0;
    for (const std::uint64_t count : counts) {
        rows += count;
    }
    TableFile file(team, path, std::move(columns), rows);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        for (std::size_t first = 0; first < counts[rank]; first += piece) {
            std::vector<std::vector<std::uint64_t>> outgoing(ranks);
            if (rank == static_cast<std::size_t>(team.rank())) {
                for (const Item& item :
                     std::span(block).subspan(first, std::min(piece, block.size() - first))) {
                    outgoing[0].push_back(cell_of_key(key_of(item), type));
                    if constexpr (std::is_same_v<Item, Record>) {
                        outgoing[0].push_back(item.payload);
                    }
                }
            }
            const std::vector<std::vector<std::uint64_t>> arrived = team.exchanged(outgoing);
            if (team.is_root()) {
                file.append(arrived[rank]);
            }
        }
    }
    file.close();
}

} // namespace goodsyard::sorting
