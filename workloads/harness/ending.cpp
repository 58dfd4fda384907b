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

RankOfException& rank_of_exception() {
    static RankOfException rank = nullptr;
    return rank;
}

const std::terminate_handler default_handler = std::get_terminate();

[[noreturn]] void end_by_exception() {
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
    if (const int rank = rank_of_exception()(error); rank >= 0) {
        end_program(rank, text);
    }
    end_program(std::string(program_invocation_short_name) + ": " + text);
}

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

void end_by_uncaught(RankOfException rank) {
    rank_of_exception() = rank;
    std::set_terminate(end_by_exception);
}

void end_by_uncaught_by_default(RankOfException rank) {
    if (std::get_terminate() == default_handler) {
        end_by_uncaught(rank);
    }
}

void end_program(int rank, const std::string& text) {
    end_program(std::string(program_invocation_short_name) + ": rank " + std::to_string(rank) + ": " + text);
}

} // namespace goodsyard
