#include "mafia/points.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "harness/failure.hpp"
#include "harness/input_file.hpp"

namespace goodsyard::mafia {

namespace {

constexpr std::string_view blanks = " \t\r,;";
constexpr const char* cure = "; every coordinate must be known: leave such points out, or fill them in";

/// The numbers of a line. Raises UsageError; `where` is file and line.
void read_numbers(std::string_view line, const std::string& place, std::vector<double>& into) {
    into.clear();
    for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;
         at = line.find_first_not_of(blanks, at)) {
        const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
        const std::string_view word = line.substr(at, end - at);
        double value = 0;
        const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || stop != word.data() + word.size() || !std::isfinite(value)) {
            throw UsageError(place + ": '" + std::string(word) + "' is not a finite number" + cure);
        }
        into.push_back(value);
        at = end;
    }
}

/// A box from a note `# cluster 3:12.5:22.5 7:40:50`; nothing from any other note.
std::optional<Box> read_box(std::string_view note) {
    constexpr std::string_view head = "# cluster ";
    if (!note.starts_with(head)) {
        return std::nullopt;
    }
    Box box;
    const char* at = note.data() + head.size();
    const char* const end = note.data() + note.size();
    while (at < end) {
        int dimension = 0;
        double lower = 0;
        double upper = 0;
        const auto single = std::from_chars(at, end, dimension);
        if (single.ec != std::errc() || single.ptr == end || *single.ptr != ':') {
            return std::nullopt;
        }
        const auto two = std::from_chars(single.ptr + 1, end, lower);
        if (two.ec != std::errc() || two.ptr == end || *two.ptr != ':') {
            return std::nullopt;
        }
        const auto three = std::from_chars(two.ptr + 1, end, upper);
        if (three.ec != std::errc()) {
            return std::nullopt;
        }
        box.dimensions.push_back(dimension);
        box.lower.push_back(lower);
        box.upper.push_back(upper);
        at = three.ptr;
        while (at < end && blanks.find(*at) != std::string_view::npos) {
            ++at;
        }
    }
    return box.dimensions.empty() ? std::nullopt : std::optional(box);
}

/// Rows, point by point, as columns.
Points by_dimension(const std::vector<double>& rows, std::size_t dimensions) {
    Points points{rows.size() / dimensions, static_cast<int>(dimensions), {}};
    points.coordinates.resize(rows.size());
    for (std::size_t i = 0; i < points.count; ++i) {
        for (std::size_t j = 0; j < dimensions; ++j) {
            points.coordinates[j * points.count + i] = rows[i * dimensions + j];
        }
    }
    return points;
}

/// The shortest digits that are read as the same number.
void append(std::string& text, double value) {
    constexpr std::size_t longest = 32;
    std::array<char, longest> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text.append(digits.data(), end);
}

} // namespace

DataFile read_points(const std::string& path) {
    if (const auto reason = unreadable(path)) {
        throw UsageError(path + " " + *reason + "; `mafia generate --data " + path + "` makes such a file");
    }
    std::ifstream file(path);
    DataFile data;
    std::vector<double> rows;
    std::vector<double> row;
    std::size_t dimensions = 0;
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (line.starts_with('#')) {
            if (auto box = read_box(line)) {
                data.planted.push_back(std::move(*box));
            }
            continue;
        }
        const std::string place = path + ":" + std::to_string(number);
        read_numbers(line, place, row);
        if (row.empty()) {
            continue;
        }
        if (dimensions == 0) {
            dimensions = row.size();
        }
        if (row.size() != dimensions) {
            throw UsageError(place + ": " + std::to_string(row.size()) +
                             " numbers, where the first point has " + std::to_string(dimensions) + cure);
        }
        rows.insert(rows.end(), row.begin(), row.end());
    }
    if (rows.empty()) {
        throw UsageError(path +
                         " has no points; a point a line, its coordinates with blanks or commas between");
    }
    data.points = by_dimension(rows, dimensions);
    return data;
}

void write_points(const std::string& path, const Points& points, const std::vector<Box>& planted) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), std::fclose);
    if (!file) {
        throw UsageError(path + " cannot be written");
    }
    std::string text;
    const auto flush = [&] {
        if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) {
            throw std::runtime_error(path + ": writing failed");
        }
        text.clear();
    };
    for (const Box& box : planted) {
        text += "# cluster";
        for (std::size_t i = 0; i < box.dimensions.size(); ++i) {
            text += ' ' + std::to_string(box.dimensions[i]) + ':';
            append(text, box.lower[i]);
            text += ':';
            append(text, box.upper[i]);
        }
        text.push_back('\n');
    }
    for (std::size_t i = 0; i < points.count; ++i) {
        for (int j = 0; j < points.dimensions; ++j) {
            if (j > 0) {
                text += ' ';
            }
            append(text, points.dimension(j)[i]);
        }
        text.push_back('\n');
        if (text.size() > 1 << 20) {
            flush();
        }
    }
    flush();
    if (std::fflush(file.get()) != 0) {
        throw std::runtime_error(path + ": writing failed");
    }
}

} // namespace goodsyard::mafia
