// A table of results as a file: text, or NumPy's format where its name ends with .npy.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "harness/team.hpp"

namespace goodsyard {

/// A cell of a table is a word of 64 bits, which its column reads as one of these.
enum class CellKind : int { u64, i64, f64 };

struct Column {
    std::string name;
    CellKind kind;
};

template <std::integral T>
constexpr std::uint64_t cell_of(T value) {
    return static_cast<std::uint64_t>(value);
}
constexpr std::uint64_t cell_of(double value) {
    return std::bit_cast<std::uint64_t>(value);
}

/// Text has a row a line, cells between blanks, numbers that read back to the same ones, and where there are
/// several columns a first line with their names behind `#`. NumPy's format (version 1.0, little-endian) has
/// one axis: an array of numbers, or of records where there are several columns.
class TableFile {
  public:
    /// Collective. Only the root writes. Raises SharedFailure where the file cannot be written.
    TableFile(const Team& team, std::string path, std::vector<Column> columns, std::uint64_t rows);
    TableFile(const TableFile&) = delete;
    TableFile& operator=(const TableFile&) = delete;
    ~TableFile();

    /// Append rows, cell by cell; on the root.
    void append(std::span<const std::uint64_t> cells);
    /// Collective. Raises SharedFailure unless everything has been written.
    void close();

  private:
    [[nodiscard]] std::string head(std::uint64_t rows) const;
    [[nodiscard]] std::string line(std::span<const std::uint64_t> row) const;
    void write(const void* bytes, std::size_t count);

    const Team& team_;
    const std::string path_;
    const std::vector<Column> columns_;
    const bool is_binary_;
    std::FILE* file_ = nullptr;
    bool has_failed_ = false;
};

} // namespace goodsyard
