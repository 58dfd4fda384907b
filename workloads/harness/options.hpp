// The options of a program: declared once, parsed once, sent to the other ranks as the values that they are.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace goodsyard {

/// Smallest and largest value that is allowed.
template <class T>
struct Range {
    T low = std::numeric_limits<T>::lowest();
    T high = std::numeric_limits<T>::max();
};

class Options {
  public:
    /// `name` is written as on the command line (`--bytes`); `value` holds the default, and must outlive
    /// this.
    void add(std::string name, int& value, std::string help, Range<int> range = {}) {
        declare(std::move(name), std::move(help), Bounded<int>{&value, range});
    }
    void add(std::string name, std::int64_t& value, std::string help, Range<std::int64_t> range = {}) {
        declare(std::move(name), std::move(help), Bounded<std::int64_t>{&value, range});
    }
    void add(std::string name, std::uint64_t& value, std::string help, Range<std::uint64_t> range = {}) {
        declare(std::move(name), std::move(help), Bounded<std::uint64_t>{&value, range});
    }
    void add(std::string name, double& value, std::string help, Range<double> range = {}) {
        declare(std::move(name), std::move(help), Bounded<double>{&value, range});
    }
    /// Text; one of `choices` unless there are none.
    void add(std::string name, std::string& value, std::string help, std::vector<std::string> choices = {}) {
        declare(std::move(name), std::move(help), Text{&value, std::move(choices)});
    }
    /// Several texts with commas between, each one of `choices` unless there are none.
    void add(std::string name, std::vector<std::string>& values, std::string help,
             std::vector<std::string> choices = {}) {
        declare(std::move(name), std::move(help), Texts{&values, std::move(choices)});
    }
    /// One of the named values of an enumeration.
    template <class Enum>
        requires std::is_enum_v<Enum>
    void add(std::string name, Enum& value, std::string help,
             const std::vector<std::pair<std::string, Enum>>& choices) {
        Choice choice{{},
                      {},
                      [&value] { return static_cast<std::int64_t>(value); },
                      [&value](std::int64_t chosen) { value = static_cast<Enum>(chosen); }};
        for (const auto& [word, meaning] : choices) {
            choice.words.push_back(word);
            choice.meanings.push_back(static_cast<std::int64_t>(meaning));
        }
        declare(std::move(name), std::move(help), std::move(choice));
    }
    /// Becomes true where the option is given.
    void flag(std::string name, bool& value, std::string help) {
        declare(std::move(name), std::move(help), Flag{&value, true});
    }
    /// Becomes false where the option is given.
    void negated(std::string name, bool& value, std::string help) {
        declare(std::move(name), std::move(help), Flag{&value, false});
    }

    /// What no range can say: called after parsing, raises UsageError.
    void check(std::function<void()> checked) { checks_.push_back(std::move(checked)); }

    /// Parse the command line; print help to stdout, or what is wrong to stderr as one line. Returns the exit
    /// code where the program is to end now, and -1 otherwise.
    int parse(const std::string& program, const std::string& description, int argc, const char* const* argv);

    /// All values as bytes, for a process with the same declarations and byte order.
    [[nodiscard]] std::string packed() const;

    /// Take the values of another process. Raises std::invalid_argument where the declarations differ.
    void unpack(const std::string& bytes);

  private:
    template <class T>
    struct Bounded {
        T* value;
        Range<T> range;
    };
    struct Text {
        std::string* value;
        std::vector<std::string> choices;
    };
    struct Texts {
        std::vector<std::string>* values;
        std::vector<std::string> choices;
    };
    struct Choice {
        std::vector<std::string> words;
        std::vector<std::int64_t> meanings;
        std::function<std::int64_t()> get;
        std::function<void(std::int64_t)> set;
    };
    struct Flag {
        bool* value;
        bool given; ///< What it becomes.
    };
    using Kind = std::variant<Bounded<int>, Bounded<std::int64_t>, Bounded<std::uint64_t>, Bounded<double>,
                              Text, Texts, Choice, Flag>;
    struct Declared {
        std::string name;
        std::string help;
        Kind kind;
    };
    struct Declaring;
    struct Packing;
    struct Unpacking;

    void declare(std::string name, std::string help, Kind kind) {
        declared_.push_back({std::move(name), std::move(help), std::move(kind)});
    }

    std::vector<Declared> declared_;
    std::vector<std::function<void()>> checks_;
};

} // namespace goodsyard
