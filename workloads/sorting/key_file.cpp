#include "sorting/key_file.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string_view>

#include "harness/failure.hpp"
#include "harness/input_file.hpp"

namespace goodsyard::sorting {

namespace {

template <class T>
std::optional<T> number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The key that a line holds; nothing where it holds none.
std::optional<Key> key(std::string_view text, KeyType type) {
    if (type == KeyType::f64) {
        const auto value = number<double>(text);
        return value && !std::isnan(*value) ? std::optional(ordered(*value)) : std::nullopt;
    }
    if (type == KeyType::i64) {
        const auto value = number<std::int64_t>(text);
        return value ? std::optional(ordered(*value)) : std::nullopt;
    }
    return number<Key>(text);
}

/// What is wrong with the file, if anything is; otherwise its keys are in `keys`.
std::optional<std::string> read(const std::string& name, KeyType type, std::vector<Key>& keys) {
    if (const auto reason = unreadable(name)) {
        return name + " " + *reason;
    }
    std::ifstream file(name);
    std::size_t line = 0;
    for (std::string text; std::getline(file, text);) {
        ++line;
        const std::optional<Key> result = key(text, type);
        if (!result) {
            return name + ":" + std::to_string(line) + ": '" + text + "' is not a number that can be sorted";
        }
        keys.push_back(*result);
    }
    return keys.empty() ? std::optional(name + " has no keys") : std::nullopt;
}

} // namespace

std::vector<Key> read_keys(const Team& team, const std::string& name, KeyType type) {
    std::vector<Key> keys;
    std::optional<std::string> wrong;
    if (team.is_root()) {
        wrong = read(name, type, keys);
    }
    fail_together(team, "bad input", wrong);
    std::uint64_t count = keys.size();
    team.broadcast(count);
    keys.resize(count);
    team.broadcast_bytes(keys.data(), count * sizeof(Key), 0);
    return keys;
}

} // namespace goodsyard::sorting
