// What tasks are to do that are not begun: bodies of any type in one piece of memory, the newest on top.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace goodsyard::runtime {

class Backlog {
  public:
    [[nodiscard]] bool empty() const { return count_ == 0; }
    [[nodiscard]] std::size_t size() const { return count_; }

    /// `body` is trivially copyable.
    template <class Body>
    void push(const Body& body) {
        static_assert(std::is_trivially_copyable_v<Body>, "what a task captures is copied as bytes");
        static_assert(alignof(Body) <= alignof(Line));
        constexpr std::size_t lines = lines_of<Body>;
        const std::size_t top = lines_.size();
        lines_.resize(top + lines + 1);
        std::memcpy(&lines_[top], std::addressof(body), sizeof body);
        lines_.back().run = [](Backlog& self) {
            Body local = self.pop<Body>();
            local();
        };
        ++count_;
    }
    /// Remove the newest, and run it.
    void run_newest() { lines_.back().run(*this); }

  private:
    union alignas(16) Line {
        std::byte bytes[16];
        void (*run)(Backlog&); ///< Above a body: what it is.
    };
    template <class Body>
    static constexpr std::size_t lines_of = (sizeof(Body) + sizeof(Line) - 1) / sizeof(Line);

    template <class Body>
    Body pop() {
        const std::size_t place = lines_.size() - 1 - lines_of<Body>;
        const Body body = *std::launder(reinterpret_cast<const Body*>(&lines_[place]));
        lines_.resize(place);
        --count_;
        return body;
    }

    std::vector<Line> lines_;
    std::size_t count_ = 0;
};

} // namespace goodsyard::runtime
