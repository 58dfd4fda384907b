#include "harness/table_file.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "harness/failure.hpp"

namespace goodsyard {

namespace {

static_assert(std::endian::native == std::endian::little);

const char* type_of(CellKind kind) {
    switch (kind) {
    case CellKind::u64:
        return "<u8";
    case CellKind::i64:
        return "<i8";
    case CellKind::f64:
        break;
    }
    return "<f8";
}

std::string text_of(CellKind kind, std::uint64_t cell) {
    std::array<char, 32> text{};
    const auto write = [&](auto value) {
        return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
    };
    switch (kind) {
    case CellKind::u64:
        return write(cell);
    case CellKind::i64:
        return write(static_cast<std::int64_t>(cell));
    case CellKind::f64:
        break;
    }
    return write(std::bit_cast<double>(cell)); // The shortest that reads back to it.
}

} // namespace

TableFile::TableFile(const Team& team, std::string path, std::vector<Column> columns, std::uint64_t rows)
    : team_(team), path_(std::move(path)), columns_(std::move(columns)), is_binary_(path_.ends_with(".npy")) {
    std::optional<std::string> wrong;
    if (team.is_root()) {
        file_ = std::fopen(path_.c_str(), "wb");
        if (file_ == nullptr) {
            wrong = path_ + ": " + std::strerror(errno);
        } else {
            const std::string first = head(rows);
            write(first.data(), first.size());
        }
    }
    fail_together(team, "cannot write the result", wrong);
}

TableFile::~TableFile() {
    if (file_ != nullptr) {
        std::fclose(file_);
    }
}

std::string TableFile::head(std::uint64_t rows) const {
    std::string text;
    if (!is_binary_) {
        for (const Column& column : columns_) {
            text += (text.empty() ? "# " : " ") + column.name;
        }
        text += '\n';
        return columns_.size() > 1 ? text : "";
    }
    std::string type = std::string("'") + type_of(columns_.front().kind) + "'";
    if (columns_.size() > 1) {
        type.clear();
        for (const Column& column : columns_) {
            type += (type.empty() ? "[('" : ", ('") + column.name + "', '" + type_of(column.kind) + "')";
        }
        type += ']';
    }
    text = "{'descr': " + type + ", 'fortran_order': False, 'shape': (" + std::to_string(rows) + ",), }";
    // numpy.lib.format: magic, version and length of what follows, which ends with a line feed at a multiple
    // of 64.
    constexpr std::size_t before = 10;
    constexpr std::size_t aligned = 64;
    text.append(aligned - 1 - (before + text.size()) % aligned, ' ');
    text += '\n';
    std::string magic("\x93NUMPY\x01\x00", 8);
    magic += static_cast<char>(text.size() % 256);
    magic += static_cast<char>(text.size() / 256);
    return magic + text;
}

std::string TableFile::line(std::span<const std::uint64_t> row) const {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
        text += text_of(columns_[i].kind, row[i]);
        text += i + 1 < row.size() ? ' ' : '\n';
    }
    return text;
}

void TableFile::write(const void* bytes, std::size_t count) {
    has_failed_ = has_failed_ || std::fwrite(bytes, 1, count, file_) != count;
}

void TableFile::append(std::span<const std::uint64_t> cells) {
    if (is_binary_) {
        write(cells.data(), cells.size_bytes());
        return;
    }
    for (std::size_t first = 0; first < cells.size(); first += columns_.size()) {
        const std::string text = line(cells.subspan(first, columns_.size()));
        write(text.data(), text.size());
    }
}

void TableFile::close() {
    if (file_ != nullptr) {
        has_failed_ = std::fclose(std::exchange(file_, nullptr)) != 0 || has_failed_;
    }
    fail_together(team_, "cannot write the result",
                  has_failed_ ? std::optional(path_ + ": " + std::strerror(errno)) : std::nullopt);
}

} // namespace goodsyard
