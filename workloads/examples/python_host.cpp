// A library for a Python program (python_host.py): counts words over the ranks of its communicator.

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include <goodsyard/containers.hpp>
#include <goodsyard/mpi.hpp>

namespace {

using namespace goodsyard;

/// Of all ranks: different words, and how often the most frequent one occurs.
struct Counts {
    unsigned long long different;
    unsigned long long most;
};

Counts count(MPI_Comm comm, const char* text) {
    const Session session = Session::attach(); // Python has initialised MPI, and finalises it.
    const World world(session, comm);
    const runtime::Parameters parameters = runtime::settled({});
    const auto transport = runtime::make_transport(world, parameters);
    runtime::Runtime runtime(*transport, parameters);
    global::Messages messages(runtime);
    containers::CountingSet<std::string> words(world, messages);
    while (*text != '\0') {
        const std::size_t length = std::strcspn(text, " \n");
        if (length > 0) {
            words.async_insert(std::string(text, length));
        }
        text += length + (text[length] == '\0' ? 0 : 1);
    }
    const auto top = words.top(1);
    return {words.size(), top.empty() ? 0 : top[0].second};
}

} // namespace

/// `comm` is a handle of Fortran, which mpi4py has of each communicator. Returns 0, or 1 with what went wrong
/// in `error`, of `error_bytes`.
extern "C" int count_words(MPI_Fint comm, const char* text, Counts* counts, char* error,
                           std::size_t error_bytes) {
    try {
        *counts = count(MPI_Comm_f2c(comm), text);
        return 0;
    } catch (const std::exception& raised) {
        std::snprintf(error, error_bytes, "%s", raised.what());
        return 1;
    }
}
