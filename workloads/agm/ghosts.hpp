// Copies of what remote neighbours have, so that a rank reads all neighbours of its vertices in its own
// memory.
//
// A rank keeps one value for each distinct remote neighbour. An exchange sends the value of each vertex at
// the boundary once to each rank that has a neighbour of it: values alone, in the order of the vertices,
// which sender and receiver have agreed on before.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "graph/csr.hpp"
#include "harness/team.hpp"
#include "runtime/record_channel.hpp"

namespace goodsyard::agm {

/// Vertices of all ranks that are marked, numbered by owner and then by place. A bit for each vertex of the
/// graph, and 4 bytes for each 64 of them.
class NumberedVertices {
  public:
    explicit NumberedVertices(const graph::Owners& owners) : owners_(owners) {
        first_word_.resize(owners.ranks() + 1);
        for (std::size_t rank = 0; rank < owners.ranks(); ++rank) {
            first_word_[rank + 1] = first_word_[rank] + (owners.count(rank) + word - 1) / word;
        }
        words_.resize(first_word_.back());
    }

    void mark(graph::Vertex vertex) {
        words_[word_of(vertex)] |= std::uint64_t{1} << (owners_.local(vertex) % word);
    }
    /// After the last mark.
    void enumerate() {
        before_.resize(words_.size());
        std::uint32_t count = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            before_[i] = count;
            count += static_cast<std::uint32_t>(std::popcount(words_[i]));
        }
    }
    /// Of a marked vertex.
    [[nodiscard]] std::size_t number(graph::Vertex vertex) const {
        const std::size_t i = word_of(vertex);
        const std::uint64_t below = (std::uint64_t{1} << (owners_.local(vertex) % word)) - 1;
        return before_[i] + static_cast<std::size_t>(std::popcount(words_[i] & below));
    }
    /// The marked vertices of a rank, by place.
    [[nodiscard]] std::vector<graph::Vertex> of_rank(std::size_t rank) const {
        std::vector<graph::Vertex> vertices;
        for (std::size_t i = first_word_[rank]; i < first_word_[rank + 1]; ++i) {
            for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
                const auto bit = static_cast<std::size_t>(std::countr_zero(rest));
                vertices.push_back(owners_.at(rank, (i - first_word_[rank]) * word + bit));
            }
        }
        return vertices;
    }

  private:
    static constexpr std::size_t word = 64;
    [[nodiscard]] std::size_t word_of(graph::Vertex vertex) const {
        return first_word_[owners_.owner(vertex)] + owners_.local(vertex) / word;
    }

    const graph::Owners owners_;
    std::vector<std::size_t> first_word_; ///< Of each rank, and the end of the last.
    std::vector<std::uint64_t> words_;
    std::vector<std::uint32_t> before_; ///< Marks in front of each word.
};

/// A table of values has those of own vertices, by place, and behind them the copies.
template <class Value>
class Ghosts {
    static_assert(std::is_trivially_copyable_v<Value>);

  public:
    /// Everything passed must outlive this; rows are as they are now. Collective: ranks make it in the same
    /// order as channels.
    Ghosts(const Team& team, const graph::Csr& graph, runtime::Runtime& runtime)
        : runtime_(runtime), own_(graph.count()), places_(graph.targets),
          records_(
              runtime, [this](std::span<const std::byte> record, int from) { take(record, from); },
              "values of boundary vertices") {
        const std::size_t capacity = runtime.engine().pool().capacity_bytes();
        values_of_record_ = capacity > header_bytes ? (capacity - header_bytes) / sizeof(Value) : 0;
        values_of_record_ = std::max<std::size_t>(values_of_record_, 1);
        if (graph.owners.ranks() > 1) {
            find_copies(team, graph);
        }
    }

    /// Values of a table.
    [[nodiscard]] std::size_t size() const { return own_ + copies_; }
    [[nodiscard]] std::size_t copies() const { return copies_; }
    /// In the table, of the target of each arc of this rank.
    [[nodiscard]] std::span<const graph::Vertex> places() const { return places_; }

    /// Bring all copies of all ranks to the values of their owners. Collective.
    void exchange(std::vector<Value>& table) {
        if (first_copy_.empty()) {
            return;
        }
        table_ = &table;
        for (std::size_t rank = 0; rank < sent_.size(); ++rank) {
            send(rank, table);
        }
        runtime_.epoch();
    }

  private:
    using First = std::uint32_t; ///< Of the values that a rank sends another, the first of a record.
    static constexpr std::size_t header_bytes = 2 * sizeof(First); ///< The other is the record's length.

    void find_copies(const Team& team, const graph::Csr& graph) {
        NumberedVertices remote(graph.owners);
        for (const graph::Vertex target : graph.targets) {
            if (!graph.owns(target)) {
                remote.mark(target);
            }
        }
        remote.enumerate();
        std::vector<std::vector<graph::Vertex>> targets(graph.owners.ranks());
        for (std::size_t rank = 0; rank < targets.size(); ++rank) {
            targets[rank] = remote.of_rank(rank);
            first_copy_.push_back(own_ + copies_);
            copies_ += targets[rank].size();
        }
        sent_ = team.exchanged(targets);
        for (std::vector<graph::Vertex>& vertices : sent_) {
            for (graph::Vertex& vertex : vertices) {
                vertex = static_cast<graph::Vertex>(graph.owners.local(vertex));
            }
        }
        translated_.reserve(graph.targets.size());
        for (const graph::Vertex target : graph.targets) {
            const std::size_t place =
                graph.owns(target) ? graph.owners.local(target) : own_ + remote.number(target);
            translated_.push_back(static_cast<graph::Vertex>(place));
        }
        places_ = translated_;
    }
    void send(std::size_t rank, const std::vector<Value>& table) {
        const std::vector<graph::Vertex>& vertices = sent_[rank];
        for (std::size_t first = 0; first < vertices.size(); first += values_of_record_) {
            const std::size_t count = std::min(values_of_record_, vertices.size() - first);
            record_.resize(sizeof(First) + count * sizeof(Value));
            const auto header = static_cast<First>(first);
            std::memcpy(record_.data(), &header, sizeof header);
            for (std::size_t i = 0; i < count; ++i) {
                std::memcpy(record_.data() + sizeof header + i * sizeof(Value), &table[vertices[first + i]],
                            sizeof(Value));
            }
            records_.send(static_cast<int>(rank), record_);
        }
    }
    void take(std::span<const std::byte> record, int from) {
        First first = 0;
        std::memcpy(&first, record.data(), sizeof first);
        Value* const copies = table_->data() + first_copy_[static_cast<std::size_t>(from)] + first;
        std::memcpy(copies, record.data() + sizeof first, record.size() - sizeof first);
    }

    runtime::Runtime& runtime_;
    std::size_t own_;
    std::size_t copies_ = 0;
    std::vector<std::size_t> first_copy_;          ///< Of each rank; none where there is one rank.
    std::vector<std::vector<graph::Vertex>> sent_; ///< Places of own vertices, for each rank.
    std::vector<graph::Vertex> translated_;
    std::span<const graph::Vertex> places_; ///< On one rank a vertex is its place.
    std::vector<Value>* table_ = nullptr;
    std::size_t values_of_record_ = 0;
    std::vector<std::byte> record_;
    runtime::RecordChannel records_;
};

} // namespace goodsyard::agm
