// A message, and where its memory comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace goodsyard::runtime {

/// A message: bytes, and what travels beside them. Owns its memory; an empty one has none.
class Buffer {
  public:
    Buffer() = default;

    [[nodiscard]] std::byte* data() const { return bytes_.get(); }
    [[nodiscard]] explicit operator bool() const { return bytes_ != nullptr; }

    std::uint32_t size = 0; ///< Bytes in use.
    std::int32_t rank = 0;  ///< The one it goes to; after it has arrived, the one it came from.
    std::int32_t channel = 0;

  private:
    friend class BufferPool;
    static constexpr std::align_val_t alignment{64};
    struct Free {
        void operator()(std::byte* bytes) const { ::operator delete(bytes, alignment); }
    };
    std::unique_ptr<std::byte, Free> bytes_;
};

/// Buffers of one capacity, used again and again: allocates only while more are in use than ever before.
class BufferPool {
  public:
    explicit BufferPool(std::size_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

    [[nodiscard]] std::size_t capacity_bytes() const { return capacity_bytes_; }

    [[nodiscard]] Buffer take() {
        if (free_.empty()) {
            Buffer buffer;
            buffer.bytes_.reset(static_cast<std::byte*>(::operator new(capacity_bytes_, Buffer::alignment)));
            return buffer;
        }
        Buffer buffer = std::move(free_.back());
        free_.pop_back();
        buffer.size = 0;
        return buffer;
    }
    void give_back(Buffer&& buffer) { free_.push_back(std::move(buffer)); }

  private:
    std::size_t capacity_bytes_;
    std::vector<Buffer> free_;
};

} // namespace goodsyard::runtime
