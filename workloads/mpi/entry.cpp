#include "mpi/entry.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <unistd.h>

#include "harness/ending.hpp"
#include "harness/failure.hpp"
#include "harness/last_words.hpp"
#include "harness/simulated.hpp"

namespace goodsyard {

namespace {

/// Options are sent in pieces of so many bytes: when a simulated program starts does not depend on their
/// texts.
constexpr std::size_t piece = 512;

/// The exit code of a program whose ranks all end with it.
int end_together(const World& world, const std::string& line, int code) {
    if (simulated || world.is_root()) {
        say_line(line);
    }
    if (simulated) {
        // The simulator has a warning for every rank that does not return 0.
        _exit(code);
    }
    return code;
}

/// The length of a text, the text, and zeros up to whole pieces.
std::string in_pieces(const std::string& text) {
    const std::uint64_t size = text.size();
    std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
    bytes += text;
    bytes.resize((bytes.size() + piece - 1) / piece * piece);
    return bytes;
}

std::string from_pieces(const std::string& bytes) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    return bytes.substr(sizeof size, size);
}

/// Parse on the root, send the values to all. Returns the exit code where the program ends now, else -1.
int share_options(const World& world, Options& options, int argc, const char* const* argv,
                  const std::string& name, const std::string& description) {
    std::string bytes;
    int code_or_pieces = 0; // The number of pieces is negative.
    if (world.is_root()) {
        code_or_pieces = options.parse(name, description, argc, argv);
        if (code_or_pieces < 0) {
            bytes = in_pieces(options.packed());
            code_or_pieces = -static_cast<int>(bytes.size() / piece);
        } else if (simulated && code_or_pieces > 0) {
            _exit(code_or_pieces);
        }
    }
    world.broadcast(code_or_pieces);
    if (code_or_pieces >= 0) {
        return code_or_pieces;
    }
    bytes.resize(static_cast<std::size_t>(-code_or_pieces) * piece);
    world.broadcast_bytes(bytes.data(), bytes.size(), 0);
    options.unpack(from_pieces(bytes));
    return -1;
}

} // namespace

int run(const Session& session, int argc, const char* const* argv, const Program<World>& program) {
    static int rank = -1;
    end_by_uncaught([](const std::exception_ptr&) { return rank; });
    try {
        const World world(session);
        rank = world.rank();
        Options options;
        program.declare(options);
        try {
            if (const int code = share_options(world, options, argc, argv, program.name, program.description);
                code >= 0) {
                return code;
            }
            program.body(world);
            return 0;
        } catch (const UsageError& error) {
            return end_together(world, program.name + ": " + error.what(), 2);
        } catch (const SharedFailure& error) {
            return end_together(world, program.name + ": " + error.what(), 1);
        }
    } catch (const std::exception& error) {
        end_program(program.name + ": rank " + std::to_string(std::max(rank, 0)) + ": " + text_of(error));
    }
}

} // namespace goodsyard
