#include "runtime/place.hpp"

#include <string_view>

namespace goodsyard::runtime {

std::string text_of(const Place& place) {
    std::string_view file = place.file_name();
    file.remove_prefix(file.find_last_of('/') + 1); // Of npos: 0.
    return std::string(file) + ":" + std::to_string(place.line());
}

std::string with_place(const std::string& subject, const Place& place) {
    const bool is_within_library =
        std::string_view(place.file_name()).find("/include/c++/") != std::string::npos;
    return is_within_library ? subject : subject + " (" + text_of(place) + ")";
}

} // namespace goodsyard::runtime
