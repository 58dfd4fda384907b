#include "harness/program.hpp"

#include <exception>

#include "harness/ending.hpp"
#include "harness/failure.hpp"
#include "harness/last_words.hpp"

namespace goodsyard {

int run(int argc, const char* const* argv, const Program<Alone>& program) {
    end_by_uncaught([](const std::exception_ptr&) { return -1; });
    try {
        Options options;
        program.declare(options);
        if (const int code = options.parse(program.name, program.description, argc, argv); code >= 0) {
            return code;
        }
        program.body(Alone());
        return 0;
    } catch (const UsageError& error) {
        say_line(program.name + ": " + error.what());
        return 2;
    } catch (const std::exception& error) {
        say_line(program.name + ": " + text_of(error));
        return 1;
    }
}

} // namespace goodsyard
