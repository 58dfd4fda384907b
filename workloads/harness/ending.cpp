#include "harness/ending.hpp"

#include <cerrno>
#include <cstdio>
#include <unistd.h>

#include "harness/last_words.hpp"

namespace goodsyard {

namespace {

Ending& chosen_ending() {
    static Ending ending = nullptr;
    return ending;
}

} // namespace

void set_ending(Ending ending) {
    chosen_ending() = ending;
}

void end_program(const std::string& line) {
    std::fflush(stdout);
    if (const Ending ending = chosen_ending(); ending != nullptr) {
        ending(line);
    } else {
        say_line(line);
    }
    _exit(1);
}

void end_program(int rank, const std::string& text) {
    end_program(std::string(program_invocation_short_name) + ": rank " + std::to_string(rank) + ": " + text);
}

} // namespace goodsyard
