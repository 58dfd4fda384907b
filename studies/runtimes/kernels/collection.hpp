// Callgrind collects what is between the first rank's beginning and the last one's end of a process, once:
// `--collect-atstart=no`. Nothing where its header is not there, or outside of it.
#pragma once

#include <cstdint>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_TOGGLE_COLLECT
#endif

namespace kernels {

class Collection {
  public:
    explicit Collection(std::uint64_t ranks) : ranks_(ranks) {}
    void begin() {
        if (begun_++ == 0) {
            CALLGRIND_TOGGLE_COLLECT;
        }
    }
    void end() {
        if (++ended_ == ranks_) {
            CALLGRIND_TOGGLE_COLLECT;
        }
    }

  private:
    std::uint64_t ranks_;
    std::uint64_t begun_ = 0;
    std::uint64_t ended_ = 0;
};

} // namespace kernels
