// Who acts when, and the next of them: a heap in which any time can be changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace goodsyard::virtual_time {

/// Times of actors 0 … n - 1; of equal times that of the smaller number comes first.
class Timetable {
  public:
    static constexpr double never = std::numeric_limits<double>::infinity();

    explicit Timetable(std::size_t actors) {
        for (std::size_t i = 0; i < actors; ++i) {
            heap_.push_back({never, static_cast<std::uint32_t>(i)});
            places_.push_back(static_cast<std::uint32_t>(i));
        }
    }

    [[nodiscard]] double next_s() const { return heap_.front().time_s; }
    [[nodiscard]] std::size_t next() const { return heap_.front().actor; }
    [[nodiscard]] double time_s(std::size_t actor) const { return heap_[places_[actor]].time_s; }

    void set(std::size_t actor, double time_s) {
        const std::size_t place = places_[actor];
        const bool earlier = time_s < heap_[place].time_s;
        heap_[place].time_s = time_s;
        earlier ? rise(place) : sink(place);
    }
    /// Never later than before.
    void set_earlier(std::size_t actor, double time_s) {
        if (time_s < heap_[places_[actor]].time_s) {
            set(actor, time_s);
        }
    }

  private:
    struct Entry {
        double time_s;
        std::uint32_t actor;
        [[nodiscard]] bool before(const Entry& second) const {
            return time_s < second.time_s || (time_s == second.time_s && actor < second.actor);
        }
    };
    /// Children of a place: four of them lie in a cache line.
    static constexpr std::size_t width = 4;

    void put(std::size_t place, const Entry& entry) {
        heap_[place] = entry;
        places_[entry.actor] = static_cast<std::uint32_t>(place);
    }
    void rise(std::size_t place) {
        const Entry entry = heap_[place];
        while (place > 0) {
            const std::size_t parent = (place - 1) / width;
            if (!entry.before(heap_[parent])) {
                break;
            }
            put(place, heap_[parent]);
            place = parent;
        }
        put(place, entry);
    }
    void sink(std::size_t place) {
        const Entry entry = heap_[place];
        for (;;) {
            const std::size_t first = place * width + 1;
            std::size_t least = first;
            for (std::size_t child = first; child < first + width && child < heap_.size(); ++child) {
                if (heap_[child].before(heap_[least])) {
                    least = child;
                }
            }
            if (first >= heap_.size() || !heap_[least].before(entry)) {
                break;
            }
            put(place, heap_[least]);
            place = least;
        }
        put(place, entry);
    }

    std::vector<Entry> heap_;
    std::vector<std::uint32_t> places_;
};

} // namespace goodsyard::virtual_time
