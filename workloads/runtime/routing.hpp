// Which rank an item goes to next on its way: ranks that send to few others fill their buffers sooner.
//
// By grid: F. M. Maley, J. G. DeVinney: Conveyors for streaming many-to-many communication, IA3 2019,
// DOI 10.1109/IA349570.2019.00007 (two hops over rows and columns). By node: B. W. Priest, T. Steil,
// G. Sanders, R. Pearce: You've got mail (YGM): building missing asynchronous communication primitives, GrAPL
// 2019, DOI 10.1109/IPDPSW.2019.00045 (node local, node remote: what goes to a node is put together first).
#pragma once

#include <cmath>

namespace goodsyard::runtime {

/// How items reach their ranks.
enum class Route : int {
    direct, ///< By one message.
    grid,   ///< By two: along a row of ranks, then along a column.
    node,   ///< By three: to the rank of this node that sends to the other one, to a rank there, to its own.
};

class Routing {
  public:
    /// `ranks_of_node` consecutive ranks, positive, are a node; the last may have fewer.
    Routing(Route route, int rank, int size, int ranks_of_node)
        : route_(route), rank_(rank), size_(size),
          width_(route == Route::grid ? static_cast<int>(std::ceil(std::sqrt(size))) : ranks_of_node) {}

    /// The rank that an item for rank `to`, which is not this one, is sent to. Every item arrives.
    [[nodiscard]] int next(int to) const {
        switch (route_) {
        case Route::direct:
            break;
        case Route::grid:
            return next_of_grid(to);
        case Route::node:
            return next_of_nodes(to);
        }
        return to;
    }

  private:
    [[nodiscard]] int next_of_grid(int to) const {
        const int own_column = rank_ % width_;
        if (to % width_ == own_column) {
            return to;
        }
        const int in_row = rank_ - own_column + to % width_;
        // The last row may be short; the row that the item goes to is then whole.
        return in_row < size_ ? in_row : to - to % width_ + own_column;
    }
    [[nodiscard]] int next_of_nodes(int to) const {
        const int own_node = rank_ / width_;
        const int node = to / width_;
        if (node == own_node) {
            return to;
        }
        const int sender = own_node * width_ + node % width_;
        if (sender != rank_ && sender < size_) {
            return sender;
        }
        const int receiver = node * width_ + own_node % width_;
        return receiver < size_ ? receiver : to;
    }

    Route route_;
    int rank_;
    int size_;
    int width_; ///< Of a row, or of a node.
};

} // namespace goodsyard::runtime
