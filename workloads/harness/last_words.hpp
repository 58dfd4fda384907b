// One line on stderr when a program fails, however many of its ranks do.
#pragma once

#include <exception>
#include <string>

namespace goodsyard {

/// Write `text` to stderr as one line, by one write. Line feeds in it become blanks.
void say_line(const std::string& text);

/// Whether this process is the first of its job on this host that asks. Others that fail at the same time are
/// to be silent, and to give the first the time to speak.
///
/// The first binds an abstract socket (unix(7)), named by the parent, which the ranks of a host have in
/// common; the kernel drops it when the process ends. Where there are no sockets, everybody is the first.
bool has_last_word();

/// What an error is to people: that of memory, which has no text of its own, says what to do.
[[nodiscard]] std::string text_of(const std::exception& error);

} // namespace goodsyard
