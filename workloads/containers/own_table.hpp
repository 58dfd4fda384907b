// A rank's part of a container, for loops of its program.
#pragma once

#include <cstddef>

#include "runtime/runtime.hpp"

namespace goodsyard::containers {

/// What `own()` of a container returns: a view of `table`, which outlives it. While it is there, functions
/// `async_…` handle nothing that has arrived, so that no other rank changes the table in the middle of a
/// loop.
template <class Table>
class OwnTable {
  public:
    OwnTable(const Table& table, runtime::Runtime& runtime) : table_(table), hold_(runtime) {}

    [[nodiscard]] auto begin() const { return table_.begin(); }
    [[nodiscard]] auto end() const { return table_.end(); }
    [[nodiscard]] std::size_t size() const { return table_.size(); }
    [[nodiscard]] bool empty() const { return table_.empty(); }
    template <class Key>
    [[nodiscard]] auto find(const Key& key) const {
        return table_.find(key);
    }
    template <class Key>
    [[nodiscard]] bool contains(const Key& key) const {
        return table_.contains(key);
    }
    /// Raises std::out_of_range where there is no such key.
    template <class Key>
    [[nodiscard]] const auto& at(const Key& key) const {
        return table_.at(key);
    }

  private:
    const Table& table_;
    runtime::Runtime::Hold hold_;
};

} // namespace goodsyard::containers
