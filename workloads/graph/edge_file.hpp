// Edges from a file: text with `source target [weight]` a line, or a Matrix Market matrix of coordinates.
#pragma once

#include <string>
#include <vector>

#include "graph/edge.hpp"
#include "harness/team.hpp"

namespace goodsyard::graph {

/// Every rank has read its part of the file, by bytes; no rank has read all of it.
class FileEdges final : public Edges {
  public:
    /// Read the file. Collective. Raises SharedFailure, with file and line, where it cannot be read, a line
    /// is no edge, a vertex is too large, or a weight is negative, not finite or such that distances
    /// overflow.
    ///
    /// Of text, vertices count from 0 and lines that begin with # or % are passed over; a matrix counts from
    /// 1, and says itself how many vertices there are. An edge without weight has weight 1.
    FileEdges(const Team& team, const std::string& path);

    [[nodiscard]] std::uint64_t vertices() const override { return vertices_; }
    [[nodiscard]] std::uint64_t own() const override { return edges_.size(); }
    void read(std::uint64_t first, std::span<Edge> out) const override;
    [[nodiscard]] bool is_symmetric() const override { return is_symmetric_; }
    /// Of a matrix that is general, and of text whose first comments say "directed graph" (SNAP) or "% asym"
    /// (KONECT).
    [[nodiscard]] bool is_directed() const override { return is_directed_; }

  private:
    std::vector<Edge> edges_;
    std::uint64_t vertices_ = 0;
    bool is_symmetric_ = false;
    bool is_directed_ = false;
};

} // namespace goodsyard::graph
