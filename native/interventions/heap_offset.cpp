// Moves the heap of a program that is not changed for it: preloaded, it asks for STEELYARD_HEAP bytes of the
// heap before anything else does, so that what malloc lends begins that much later.
//
// Linked with "initfirst", since C++'s library asks for memory in a constructor of its own. It needs nothing
// but sbrk of whatever C library the program brings.

extern "C" {

void* sbrk(long increment);

__attribute__((constructor)) void steelyard_move_heap(int count, char** arguments, char** environment);
}

namespace {

constexpr char name[] = "STEELYARD_HEAP=";

/// Zero where the variable is missing or is no number.
long wanted_bytes(char** environment) {
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        const char* entry = *environment;
        const char* at = name;
        while (*at != '\0' && *at == *entry) {
            ++at;
            ++entry;
        }
        if (*at != '\0') {
            continue;
        }
        long bytes = 0;
        for (; *entry >= '0' && *entry <= '9'; ++entry) {
            bytes = bytes * 10 + (*entry - '0');
        }
        return *entry == '\0' ? bytes : 0;
    }
    return 0;
}

} // namespace

void steelyard_move_heap(int /*count*/, char** /*arguments*/, char** environment) {
    const long bytes = wanted_bytes(environment);
    if (bytes > 0) {
        sbrk(bytes);
    }
}
