// The rows of vertices that are worked on soon, brought nearer.
#pragma once

#include "graph/csr.hpp"

namespace goodsyard::agm {

/// What most algorithms are to a machine before it works on an item: they read where the row of its vertex
/// begins, and then the row.
class PrefetchedRows {
  public:
    explicit PrefetchedRows(const graph::Csr& graph) : graph_(graph) {}

    template <class Item>
    [[gnu::always_inline]] void prefetch_begin(const Item& item) const {
        graph_.prefetch_begin(graph_.owners.local(item.vertex));
    }
    template <class Item>
    [[gnu::always_inline]] void prefetch_row(const Item& item) const {
        graph_.prefetch_neighbours(graph_.owners.local(item.vertex));
    }

  protected:
    const graph::Csr& graph_;
};

} // namespace goodsyard::agm
