#include "harness/ending.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <unistd.h>

#include "harness/last_words.hpp"

namespace goodsyard {

namespace {

Ending& chosen_ending() {
    static Ending ending = nullptr;
    return ending;
}

volatile std::sig_atomic_t has_begun_to_end = 0;

} // namespace

bool is_ending() {
    return has_begun_to_end != 0;
}

void set_ending(Ending ending) {
    chosen_ending() = ending;
}

void end_program(const std::string& line) {
    has_begun_to_end = 1;
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
