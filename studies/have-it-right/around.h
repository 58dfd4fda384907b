// Probes around all of a program that knows nothing of them: cc -include around.h
#include <steelyard_probe.h>

__attribute__((constructor)) static void begin_around(void) {
    steelyard_probe_begin();
}

__attribute__((destructor)) static void end_around(void) {
    steelyard_probe_end();
}
