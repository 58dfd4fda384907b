#include "collectives/algorithm.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <mpi.h>
#include <vector>

#include "mpi/implementation.hpp"

#ifdef GOODSYARD_SIMULATED
#include <stdexcept>
#include <xbt/config.hpp>
#endif

namespace goodsyard {

#ifdef GOODSYARD_SIMULATED

std::string algorithm_of(const std::string& op) {
    std::string chosen;
    try {
        chosen = simgrid::config::get_value<std::string>(("smpi/" + op).c_str());
    } catch (const std::out_of_range&) {
        return "unknown"; // SimGrid has one algorithm, and no name for it.
    }
    if (!chosen.empty()) {
        return chosen;
    }
    const auto selector = simgrid::config::get_value<std::string>("smpi/coll-selector");
    return "selector " + (selector.empty() ? "default" : selector);
}

#else

namespace {

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
}

/// The value of a control variable that is a number or an enumeration; empty where there is none.
std::string control_variable(const std::string& target) {
    int index = 0;
    if (MPI_T_cvar_get_index(target.c_str(), &index) != MPI_SUCCESS) {
        return "";
    }
    char name[256] = "";
    int name_length = sizeof name;
    int verbosity = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum choices = MPI_T_ENUM_NULL;
    int description_length = 0;
    int binding = 0;
    int scope = 0;
    if (MPI_T_cvar_get_info(index, name, &name_length, &verbosity, &type, &choices, nullptr,
                            &description_length, &binding, &scope) != MPI_SUCCESS ||
        (type != MPI_INT && type != MPI_UNSIGNED && type != MPI_C_BOOL)) {
        return "";
    }
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;
    if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS || count != 1) {
        return "";
    }
    int value = 0;
    const bool read = MPI_T_cvar_read(handle, &value) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    if (!read) {
        return "";
    }
    int items = 0;
    int enum_name_length = sizeof name;
    if (choices == MPI_T_ENUM_NULL ||
        MPI_T_enum_get_info(choices, &items, name, &enum_name_length) != MPI_SUCCESS) {
        return std::to_string(value);
    }
    for (int i = 0; i < items; ++i) {
        int of_item = 0;
        int length = sizeof name;
        if (MPI_T_enum_get_item(choices, i, &of_item, name, &length) == MPI_SUCCESS && of_item == value) {
            return name;
        }
    }
    return std::to_string(value);
}

/// What stands for the library's own choice in the enumerations of both.
std::string or_auto(const std::string& value) {
    return value == "ignore" || value == "0" ? "auto" : value;
}

} // namespace

std::string algorithm_of(const std::string& op) {
    const std::string library = implementation();
    if (library == "impi") {
        const char* adjusted = std::getenv(("I_MPI_ADJUST_" + upper(op)).c_str());
        return adjusted ? adjusted : "auto";
    }
    int provided = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
        return "unknown";
    }
    std::string result;
    if (library == "openmpi") {
        const std::string dynamic = control_variable("coll_tuned_use_dynamic_rules");
        const bool used = dynamic == "1" || dynamic == "true";
        result = used ? or_auto(control_variable("coll_tuned_" + op + "_algorithm")) : "auto";
    } else if (library == "mpich") {
        // Its choices are numbers to MPI_T, and names in the environment.
        const std::string name = "MPIR_CVAR_" + upper(op) + "_INTRA_ALGORITHM";
        result = or_auto(control_variable(name));
        if (const char* set = std::getenv(name.c_str()); set && result != "auto") {
            result = set;
        }
    }
    MPI_T_finalize();
    return result.empty() ? "unknown" : result;
}

#endif

} // namespace goodsyard
