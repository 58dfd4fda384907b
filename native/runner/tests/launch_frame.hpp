// Frames as Python makes them, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace steelyard::testing {

template <typename T>
void put(std::string& frame, T value) {
    frame.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline void put_text(std::string& frame, const std::string& text) {
    put(frame, static_cast<std::uint32_t>(text.size()));
    frame += text;
    frame += '\0';
}

struct LaunchFrame {
    std::uint8_t flags = 0;
    std::uint8_t stdout_mode = 0;
    std::vector<std::uint32_t> cpus;
    std::vector<std::uint32_t> prepare;
    std::vector<std::uint32_t> cleanup;
    std::vector<std::string> counters;
    std::string path = "/bin/true";
    std::vector<std::string> argv = {"true"};
    std::vector<std::string> env = {"A=b"};
    bool extended = false; ///< adds SCHED_BATCH, no huge pages, a stack of 16 MiB, a shown directory, a
                           ///< setting and a file
    bool confined = false; ///< adds limits, a network and a root of its own
    std::string group = "/group";

    [[nodiscard]] std::string bytes() const {
        std::string frame;
        put(frame, std::uint64_t{5'000'000'000});
        put(frame, std::uint64_t{1} << 20U);
        put(frame, std::int32_t{-3});
        put(frame, flags);
        put(frame, stdout_mode);
        put(frame, std::uint8_t{1});
        put(frame, std::uint8_t{0});
        for (const std::size_t count :
             {cpus.size(), prepare.size(), cleanup.size(), counters.size(), argv.size(), env.size()}) {
            put(frame, static_cast<std::uint32_t>(count));
        }
        for (const auto* numbers : {&cpus, &prepare, &cleanup}) {
            for (const std::uint32_t number : *numbers) {
                put(frame, number);
            }
        }
        for (const std::string& name : counters) {
            for (const std::uint64_t config : {1U, 2U, 3U}) {
                put(frame, config);
            }
            put(frame, 0.5);
            for (const std::uint32_t number : {1U, 2U, 7U, 0U}) { // type, source, CPU
                put(frame, number);
            }
            put_text(frame, name);
            put_text(frame, "/counted");
        }
        for (const std::string& text : {path, std::string("/"), std::string("/dev/null"), std::string(),
                                        std::string(), std::string("/tmp/metrics")}) {
            put_text(frame, text);
        }
        for (const auto* texts : {&argv, &env}) {
            for (const std::string& text : *texts) {
                put_text(frame, text);
            }
        }
        if (extended) {
            put(frame, std::int32_t{3});
            put(frame, std::int32_t{0});
            put(frame, std::uint8_t{1});
            put(frame, std::uint8_t{1});
            put(frame, std::uint16_t{16});
            put(frame, std::uint32_t{1});
            for (const char* text : {"/shown", "/sys/setting", "value", "/result"}) {
                put_text(frame, text);
            }
        }
        if (confined) {
            for (const std::uint64_t number : {2'000'000'000U, 4096U, 1U}) {
                put(frame, number);
            }
            put_text(frame, group);
            put_text(frame, "/stage");
        }
        return frame;
    }
};

} // namespace steelyard::testing
