// Orders come through a pipe and are moved into files of memory before anything starts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace steelyard {

/// What reading from the pipe came to.
enum class Reading : std::uint8_t { whole, end, torn, stopped };

/// Exactly `size` bytes; `end` when the pipe was closed before the first.
Reading read_exactly(int fd, void* to, std::size_t size);

/// Moves `size` bytes from a pipe to the present end of a file. 0 or errno (EPIPE when the pipe ends before).
int move_to_file(int pipe, int file, std::uint64_t size);

} // namespace steelyard
