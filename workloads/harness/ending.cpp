#include "harness/ending.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
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

void end_by_uncaught() {
    std::set_terminate([] {
        const std::exception_ptr error = std::current_exception();
        std::string text = "std::terminate was called";
        try {
            if (error) {
                std::rethrow_exception(error);
            }
        } catch (const std::exception& uncaught) {
            text = text_of(uncaught);
        } catch (...) {
            text = "an exception that is no std::exception was not caught";
        }
        end_program(std::string(program_invocation_short_name) + ": " + text);
    });
}

void end_program(int rank, const std::string& text) {
    end_program(std::string(program_invocation_short_name) + ": rank " + std::to_string(rank) + ": " + text);
}

} // namespace goodsyard
