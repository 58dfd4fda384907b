// The labels of a line: names and scalars, in the order in which they were given.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace goodsyard {

class Labels {
  public:
    using Value = std::variant<std::string, std::int64_t, double, bool>;
    using Label = std::pair<std::string, Value>;

    Labels() = default;
    Labels(std::initializer_list<Label> labels) {
        for (const Label& label : labels) {
            set(label.first, label.second);
        }
    }

    /// Add a label, or give it another value in its place.
    void set(const std::string& name, Value value) {
        const auto result = std::find_if(labels_.begin(), labels_.end(),
                                         [&](const Label& label) { return label.first == name; });
        if (result == labels_.end()) {
            labels_.emplace_back(name, std::move(value));
        } else {
            result->second = std::move(value);
        }
    }

    /// These labels, followed by the others'; where both have a name, the others' value counts.
    [[nodiscard]] Labels with(const Labels& rest) const {
        Labels both = *this;
        for (const Label& label : rest.labels_) {
            both.set(label.first, label.second);
        }
        return both;
    }

    [[nodiscard]] auto begin() const { return labels_.begin(); }
    [[nodiscard]] auto end() const { return labels_.end(); }

  private:
    std::vector<Label> labels_;
};

} // namespace goodsyard
