// steelyard-runner --journal PATH [--undo PATH]: starts programs and reads clocks. Started by Python, with
// orders on descriptor 0 and replies on 1; nobody else has a use for it. Under the names steelyard-cache and
// steelyard-load the same binary is what interventions start, and under steelyard-modules what runs a program
// whose modules are noted: one file, of which each has the memory it uses.

#include "guard.hpp"
#include "host_settings.hpp"
#include "modules.hpp"
#include "programs.hpp"
#include "server.hpp"

#include <cstring>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char** arguments) {
    const std::string_view name = count > 0 ? arguments[0] : "";
    if (name == "steelyard-cache") {
        return steelyard::treat_cache(count, arguments);
    }
    if (name == "steelyard-load") {
        return steelyard::start_load(count, arguments);
    }
    if (name == "steelyard-modules") {
        return steelyard::run_with_modules(count, arguments);
    }
    const bool with_undo = count == 5 && std::strcmp(arguments[3], "--undo") == 0;
    if ((count != 3 && !with_undo) || std::strcmp(arguments[1], "--journal") != 0) {
        constexpr std::string_view usage = "usage: steelyard-runner --journal PATH [--undo PATH]\n";
        if (write(2, usage.data(), usage.size()) < 0) {
            return steelyard::ExitCode::cannot_start;
        }
        return steelyard::ExitCode::bad_orders;
    }
    // Nothing that Python's parents left open may reach a measured program.
    syscall(SYS_close_range, 3U, ~0U, 0U);
    return steelyard::stand_guard(arguments[2], with_undo ? arguments[4] : steelyard::default_undo_path);
}
