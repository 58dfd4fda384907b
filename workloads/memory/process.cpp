#include "memory/process.hpp"

#include <fstream>
#include <sstream>
#include <string>

namespace goodsyard {

Resident resident_now() {
    std::ifstream rollup("/proc/self/smaps_rollup");
    Resident result;
    double private_bytes = 0;
    for (std::string word; rollup >> word;) {
        double kilobytes = 0;
        if (word == "Rss:" && rollup >> kilobytes) {
            result.resident_bytes = kilobytes * 1024;
        } else if (word == "Pss:" && rollup >> kilobytes) {
            result.proportional_bytes = kilobytes * 1024;
        } else if ((word == "Private_Clean:" || word == "Private_Dirty:") && rollup >> kilobytes) {
            private_bytes += kilobytes * 1024;
        }
    }
    if (result.resident_bytes >= 0) {
        result.private_bytes = private_bytes;
    }
    return result;
}

double shared_resident_now() {
    std::ifstream maps("/proc/self/smaps");
    if (!maps) {
        return -1;
    }
    double bytes = 0;
    bool shared = false;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::string first;
        std::string second;
        words >> first >> second;
        // A mapping begins with its addresses and permissions, of which the last is s or p.
        if (first.find('-') != std::string::npos && second.size() == 4) {
            shared = second.back() == 's';
        } else if (first == "Rss:" && shared) {
            bytes += std::stod(second) * 1024;
        }
    }
    return bytes;
}

} // namespace goodsyard
