#include "harness/options.hpp"

#ifdef exit
// SimGrid's headers, which smpicxx includes, make it a macro of one argument: that would rewrite CLI11's
// member function of three.
#undef exit
#endif

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <stdexcept>
#include <type_traits>

#include "harness/failure.hpp"
#include "harness/last_words.hpp"

namespace goodsyard {

/// Tells CLI11 of one option.
struct Options::Declaring {
    CLI::App& app;
    const std::string& name;
    const std::string& help;

    template <class T>
    void operator()(const Bounded<T>& option) const {
        CLI::Option* added = app.add_option(name, *option.value, help)
                                 ->check(CLI::Range(option.range.low, option.range.high))
                                 ->capture_default_str();
        if constexpr (std::is_floating_point_v<T>) {
            // It is neither below a range nor above it.
            added->check([](const std::string& word) {
                return std::isnan(std::strtod(word.c_str(), nullptr)) ? "Value " + word + " is not a number"
                                                                      : std::string();
            });
        }
    }
    void operator()(const Text& option) const {
        CLI::Option* added = app.add_option(name, *option.value, help)->capture_default_str();
        if (!option.choices.empty()) {
            added->check(CLI::IsMember(option.choices));
        }
    }
    void operator()(const Texts& option) const {
        CLI::Option* added = app.add_option(name, *option.values, help)->delimiter(',');
        if (!option.choices.empty()) {
            added->check(CLI::IsMember(option.choices));
        }
    }
    void operator()(const Choice& option) const {
        std::map<std::string, std::int64_t> meanings;
        for (std::size_t i = 0; i < option.words.size(); ++i) {
            meanings[option.words[i]] = option.meanings[i];
        }
        const auto take = [set = option.set, meanings](const std::string& word) { set(meanings.at(word)); };
        app.add_option_function<std::string>(name, take, help)->check(CLI::IsMember(option.words));
    }
    void operator()(const Flag& option) const {
        app.add_flag_callback(name, [option] { *option.value = option.given; }, help);
    }
};

namespace {

template <class T>
void put(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& bytes, const std::string& text) {
    put(bytes, static_cast<std::uint64_t>(text.size()));
    bytes += text;
}

} // namespace

struct Options::Packing {
    std::string& bytes;

    template <class T>
    void operator()(const Bounded<T>& option) const {
        put(bytes, *option.value);
    }
    void operator()(const Text& option) const { put(bytes, *option.value); }
    void operator()(const Texts& option) const {
        put(bytes, static_cast<std::uint64_t>(option.values->size()));
        for (const std::string& text : *option.values) {
            put(bytes, text);
        }
    }
    void operator()(const Choice& option) const { put(bytes, option.get()); }
    void operator()(const Flag& option) const { put(bytes, *option.value); }
};

/// Reads option after option.
struct Options::Unpacking {
    const std::string& bytes;
    std::size_t at = 0;

    template <class T>
    void operator()(const Bounded<T>& option) {
        *option.value = take<T>();
    }
    void operator()(const Text& option) { *option.value = take_text(); }
    void operator()(const Texts& option) {
        option.values->resize(take<std::uint64_t>());
        for (std::string& text : *option.values) {
            text = take_text();
        }
    }
    void operator()(const Choice& option) { option.set(take<std::int64_t>()); }
    void operator()(const Flag& option) { *option.value = take<bool>(); }

    template <class T>
    T take() {
        T value;
        std::memcpy(&value, next(sizeof value), sizeof value);
        return value;
    }
    std::string take_text() {
        const auto size = take<std::uint64_t>();
        return {next(size), size};
    }
    const char* next(std::size_t size) {
        if (size > bytes.size() - at) {
            throw std::invalid_argument("the options of another program");
        }
        const char* result = bytes.data() + at;
        at += size;
        return result;
    }
};

int Options::parse(const std::string& program, const std::string& description, int argc,
                   const char* const* argv) {
    CLI::App app{description, program};
    for (const Declared& option : declared_) {
        std::visit(Declaring{app, option.name, option.help}, option.kind);
    }
    try {
        app.parse(argc, argv);
        for (const auto& checked : checks_) {
            checked();
        }
    } catch (const CLI::CallForHelp& request) {
        return app.exit(request);
    } catch (const std::runtime_error& error) {
        say_line(program + ": " + error.what() + "; see " + program + " --help");
        return 2;
    }
    return -1;
}

std::string Options::packed() const {
    std::string bytes;
    for (const Declared& option : declared_) {
        std::visit(Packing{bytes}, option.kind);
    }
    return bytes;
}

void Options::unpack(const std::string& bytes) {
    Unpacking unpacking{bytes};
    for (const Declared& option : declared_) {
        std::visit(unpacking, option.kind);
    }
    if (unpacking.at != bytes.size()) {
        throw std::invalid_argument("the options of another program");
    }
}

} // namespace goodsyard
