#include "graph/edge_file.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "harness/failure.hpp"
#include "harness/input_file.hpp"
#include "harness/share.hpp"

namespace goodsyard::graph {

namespace {

constexpr std::uint64_t most_vertices = std::uint64_t{1} << 31U;

/// What the first lines say of the rest.
struct Layout {
    std::uint64_t begin = 0;    ///< Byte of the first line that may be an edge.
    std::uint64_t end = 0;      ///< Bytes of the file.
    std::uint64_t base = 0;     ///< Number of the first vertex.
    std::uint64_t vertices = 0; ///< 0: not said.
    std::uint64_t edges = 0;    ///< 0 where `vertices` is.
    bool is_symmetric = false;
    bool is_directed = false;
};

/// What is wrong at a place of the file.
class BadLine : public std::runtime_error {
  public:
    BadLine(std::uint64_t byte, const std::string& subject) : std::runtime_error(subject), byte_(byte) {}
    [[nodiscard]] std::uint64_t byte() const { return byte_; }

  private:
    std::uint64_t byte_;
};

/// The number of the line that has a byte, counted when something is wrong there.
std::uint64_t line_of(const std::string& path, std::uint64_t byte) {
    std::ifstream file(path, std::ios::binary);
    std::uint64_t line = 1;
    char character = 0;
    for (std::uint64_t i = 0; i < byte && file.get(character); ++i) {
        line += character == '\n' ? 1 : 0;
    }
    return line;
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

/// Cuts the next word off a line.
std::string_view word(std::string_view& line) {
    const auto begin = std::find_if_not(line.begin(), line.end(), is_blank);
    const auto end = std::find_if(begin, line.end(), is_blank);
    const std::string_view result(begin, end);
    line.remove_prefix(static_cast<std::size_t>(end - line.begin()));
    return result;
}

template <class T>
std::optional<T> number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The edge of a line, or nothing where the line is blank or a comment.
std::optional<Edge> edge_of(std::string_view line, const Layout& layout, std::uint64_t byte) {
    std::string_view rest = line;
    const std::string_view first = word(rest);
    if (first.empty() || first.front() == '#' || first.front() == '%') {
        return std::nullopt;
    }
    const auto source = number<std::uint64_t>(first);
    const auto target = number<std::uint64_t>(word(rest));
    const std::string_view last = word(rest);
    const auto weight = last.empty() ? std::optional(1.0F) : number<float>(last);
    if (!weight && number<double>(last)) {
        throw BadLine(byte, "weight '" + std::string(last) +
                                "' is outside of the range of single precision, " +
                                std::to_string(std::numeric_limits<float>::digits10) +
                                " digits from 1.2e-38 to 3.4e38");
    }
    if (!source || !target || !weight || !word(rest).empty()) {
        throw BadLine(byte, "'" + std::string(line) + "' is not an edge: source target [weight]");
    }
    const std::uint64_t end = layout.base + (layout.vertices != 0 ? layout.vertices : most_vertices);
    for (const std::uint64_t vertex : {*source, *target}) {
        if (vertex < layout.base || vertex >= end) {
            throw BadLine(byte, "vertex " + std::to_string(vertex) + " is not in " +
                                    std::to_string(layout.base) + " … " + std::to_string(end - 1));
        }
    }
    if (!std::isfinite(*weight) || *weight < 0) {
        throw BadLine(byte, "weight '" + std::string(last) + "' is negative or not finite");
    }
    return Edge{*source - layout.base, *target - layout.base, *weight};
}

Layout market_layout(std::ifstream& file, std::string line, Layout layout) {
    std::istringstream head(line);
    std::string mark, object, format, field, symmetry;
    head >> mark >> object >> format >> field >> symmetry;
    const bool entry = object == "matrix" && format == "coordinate" &&
                       (field == "real" || field == "integer" || field == "pattern") &&
                       (symmetry == "general" || symmetry == "symmetric");
    if (!entry) {
        throw BadLine(0, "'" + line +
                             "': of Matrix Market, 'matrix coordinate real|integer|pattern "
                             "general|symmetric' is read");
    }
    std::uint64_t at = layout.begin;
    do {
        at = layout.begin;
        if (!std::getline(file, line)) {
            throw BadLine(at, "the line with rows, columns and entries is missing");
        }
        layout.begin += line.size() + 1;
    } while (line.empty() || line.front() == '%');
    std::string_view rest = line;
    const auto rows = number<std::uint64_t>(word(rest));
    const auto columns = number<std::uint64_t>(word(rest));
    const auto entries = number<std::uint64_t>(word(rest));
    if (!rows || !columns || !entries || !word(rest).empty()) {
        throw BadLine(at, "'" + line + "' is not: rows columns entries");
    }
    layout.base = 1;
    layout.is_symmetric = symmetry == "symmetric";
    layout.is_directed = !layout.is_symmetric;
    layout.vertices = std::max(*rows, *columns);
    layout.edges = *entries;
    if (layout.vertices == 0 || layout.vertices > most_vertices) {
        throw BadLine(at, std::to_string(layout.vertices) + " vertices; 1 to 2^31 are read");
    }
    return layout;
}

/// Whether the comments before the first edge say that edges have a direction: as SNAP's "# Directed graph"
/// and KONECT's "% asym" do.
bool says_directed(std::ifstream& file, std::string line) {
    const auto is_comment = [&] { return line.starts_with('#') || line.starts_with('%'); };
    for (; is_comment(); std::getline(file, line)) {
        std::transform(line.begin(), line.end(), line.begin(),
                       [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
        const std::size_t place = line.find("directed graph");
        const bool is_undirected =
            place != std::string::npos && place >= 2 && line.substr(place - 2, 2) == "un";
        if ((place != std::string::npos && !is_undirected) || line.starts_with("% asym")) {
            return true;
        }
        if (!file) {
            break;
        }
    }
    return false;
}

Layout layout_of(const std::string& path) {
    if (const auto reason = unreadable(path)) {
        throw std::runtime_error(*reason);
    }
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    Layout layout;
    layout.end = static_cast<std::uint64_t>(file.tellg());
    file.seekg(0);
    std::string line;
    std::getline(file, line);
    if (!line.starts_with("%%MatrixMarket")) {
        layout.is_directed = says_directed(file, line);
        return layout;
    }
    layout.begin = line.size() + 1;
    return market_layout(file, std::move(line), layout);
}

/// The edges of the lines that begin in a part of the file.
std::vector<Edge> edges_of(const std::string& path, const Layout& layout, Share part) {
    std::vector<Edge> edges;
    std::ifstream file(path, std::ios::binary);
    std::uint64_t at = layout.begin + part.first;
    const std::uint64_t end = at + part.count;
    std::string line;
    if (part.first > 0) {
        file.seekg(static_cast<std::streamoff>(
            at - 1)); // A line that begins at `at` has its predecessor's end here.
        std::getline(file, line);
        at += line.size();
    } else {
        file.seekg(static_cast<std::streamoff>(at));
    }
    while (at < end && std::getline(file, line)) {
        if (const std::optional<Edge> edge = edge_of(line, layout, at)) {
            edges.push_back(*edge);
        }
        at += line.size() + 1;
    }
    return edges;
}

template <class Body>
std::optional<std::string> wrong_in(const std::string& path, Body body) {
    try {
        body();
    } catch (const BadLine& error) {
        return path + ":" + std::to_string(line_of(path, error.byte())) + ": " + error.what();
    } catch (const std::exception& error) {
        return path + " " + error.what();
    }
    return std::nullopt;
}

} // namespace

FileEdges::FileEdges(const Team& team, const std::string& path) {
    Layout layout;
    fail_together(team, "bad input", wrong_in(path, [&] {
                      if (team.is_root()) {
                          layout = layout_of(path);
                      }
                  }));
    team.broadcast(layout);
    fail_together(team, "bad input", wrong_in(path, [&] {
                      const std::uint64_t bytes = layout.end - std::min(layout.begin, layout.end);
                      edges_ = edges_of(path, layout, share_of(bytes, team));
                  }));
    std::uint64_t above = 0;
    double heaviest = 0;
    for (const Edge& edge : edges_) {
        above = std::max({above, edge.source + 1, edge.target + 1});
        heaviest = std::max(heaviest, static_cast<double>(edge.weight));
    }
    const std::uint64_t outcome = team.all(Fold::sum, std::uint64_t{edges_.size()});
    vertices_ = layout.vertices != 0 ? layout.vertices : team.all(Fold::max, above);
    is_symmetric_ = layout.is_symmetric;
    is_directed_ = layout.is_directed;
    heaviest = team.all(Fold::max, heaviest);
    std::optional<std::string> wrong;
    if (vertices_ == 0) {
        wrong = path + " has no edges";
    } else if (layout.vertices != 0 && outcome != layout.edges) {
        wrong =
            path + " has " + std::to_string(outcome) + " entries, and says " + std::to_string(layout.edges);
    } else if (heaviest * static_cast<double>(vertices_) > std::numeric_limits<float>::max()) {
        wrong = path + ": distances overflow with a weight of " + std::to_string(heaviest) + " and " +
                std::to_string(vertices_) + " vertices";
    }
    fail_together(team, "bad input", wrong);
}

void FileEdges::read(std::uint64_t first, std::span<Edge> out) const {
    std::copy_n(edges_.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
}

} // namespace goodsyard::graph
