// What is left of a message of records, for handlers that take several at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "runtime/engine.hpp"

namespace goodsyard::runtime {

/// Before each record, how many bytes it has.
using RecordLength = std::uint32_t;

/// From the record that is to be handled, the front, to the end of its message.
class Records {
  public:
    Records(Engine& engine, std::span<const std::byte> message)
        : engine_(engine), after_(message.data()), end_(after_ + message.size()) {}

    /// It ends with the handler.
    [[nodiscard]] std::span<const std::byte> front() const { return {front_, after_}; }
    /// `f(record)`, of a pointer to its `size` bytes, for the front, which has as many, and for those that
    /// follow as long as they do too and begin with the same `prefix` bytes.
    template <std::size_t size, std::size_t prefix, class F>
    void for_alike(F f) {
        static_assert(size >= prefix);
        constexpr std::size_t step = sizeof(RecordLength) + size;
        // A copy, which no handler may reach, stays in a register.
        std::array<std::byte, sizeof(RecordLength) + prefix> head;
        constexpr RecordLength length = size;
        std::memcpy(head.data(), &length, sizeof length);
        std::memcpy(head.data() + sizeof length, front_, prefix);
        const std::byte* next = front_;
        const std::byte* const last = end_ - size;
        for (;;) {
            f(next);
            next += step;
            if (next > last || std::memcmp(next - sizeof(RecordLength), head.data(), head.size()) != 0) {
                break;
            }
            engine_.charge(Work::handler, 1);
        }
        count_ += static_cast<std::size_t>(next - front_) / step - 1;
        after_ = next - sizeof(RecordLength);
    }

    // For the one who calls the handler.
    /// What comes after those that have been handled.
    [[nodiscard]] std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - after_); }
    /// Of the next `bytes`, which are no record, but there.
    const std::byte* pass(std::size_t bytes) {
        after_ += bytes;
        return after_ - bytes;
    }
    /// The next `size` bytes, which are there, are the front.
    void open(std::size_t size) {
        front_ = pass(size);
        ++count_;
        engine_.charge(Work::handler, 1);
    }
    /// How many records have been handled.
    [[nodiscard]] std::uint64_t count() const { return count_; }

  private:
    Engine& engine_;
    const std::byte* front_ = nullptr;
    const std::byte* after_;
    const std::byte* end_;
    std::uint64_t count_ = 0;
};

} // namespace goodsyard::runtime
