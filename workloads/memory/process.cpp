#include "memory/process.hpp"

#include <fstream>
#include <string>

namespace workloads {

Resident resident_now() {
    std::ifstream rollup("/proc/self/smaps_rollup");
    Resident found;
    double private_bytes = 0;
    for (std::string word; rollup >> word;) {
        double kilobytes = 0;
        if (word == "Rss:" && rollup >> kilobytes)
            found.resident_bytes = kilobytes * 1024;
        else if (word == "Pss:" && rollup >> kilobytes)
            found.proportional_bytes = kilobytes * 1024;
        else if ((word == "Private_Clean:" || word == "Private_Dirty:") && rollup >> kilobytes)
            private_bytes += kilobytes * 1024;
    }
    if (found.resident_bytes >= 0)
        found.private_bytes = private_bytes;
    return found;
}

} // namespace workloads
