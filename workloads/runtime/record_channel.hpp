// Records of any length to any rank, aggregated: what `Channel` is for items of one type.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/open_messages.hpp"
#include "runtime/runtime.hpp"

namespace goodsyard::runtime {

/// Made, and given up, in the same order on all ranks as channels are.
///
/// A record is 4 bytes and itself. One that is longer than a message goes in parts, which are put together
/// where they arrive, in whatever order that is. On a route it has 8 bytes more, and is put together at each
/// rank that it passes.
class RecordChannel final : public Mailbox {
  public:
    /// What is done with a record on the rank that it was sent to, in the receive loop: it may send, and
    /// cannot wait. The bytes end with the call.
    using Handler = std::function<void(std::span<const std::byte> record, int from)>;

    /// `subject` names the records, for people, and stays. They go by the route of the program.
    RecordChannel(Runtime& runtime, Handler handler, const char* subject = "records of RecordChannel",
                  Place place = Place::current())
        : RecordChannel(runtime, std::move(handler), subject, runtime.parameters().route, place) {}
    /// They go by this route.
    RecordChannel(Runtime& runtime, Handler handler, const char* subject, Route route,
                  Place place = Place::current())
        : runtime_(runtime), handler_(std::move(handler)), subject_(subject), place_(place),
          forwarding_(make_forwarding(route)), full_bytes_(bytes_of_full_message(runtime)),
          slots_(static_cast<std::size_t>(runtime.size())), open_(slots_.size()),
          number_(runtime.add(*this)) {}
    ~RecordChannel() override { runtime_.remove(*this); }

    /// Legal everywhere, in handlers too; runs no handler. A fibre may wait for room, and the bytes stay
    /// until this returns.
    void send(int to, std::span<const std::byte> record) {
        if (static_cast<std::size_t>(to) >= slots_.size()) [[unlikely]] {
            runtime_.refuse_rank(to, *this);
        }
        if (forwarding_ && to != runtime_.rank()) {
            forward({to, runtime_.rank()}, record);
            return;
        }
        const std::size_t capacity = runtime_.pool().capacity_bytes();
        if (record.size() + sizeof(Length) <= capacity) {
            put(to, static_cast<Length>(record.size()), {}, record);
            return;
        }
        const std::size_t most = capacity - sizeof(Length) - sizeof(Part);
        Part part{next_record_++, record.size(), 0};
        for (; part.first < record.size(); part.first += most) {
            const std::size_t size = std::min<std::size_t>(most, record.size() - part.first);
            put(to, static_cast<Length>(size) | is_part, std::as_bytes(std::span(&part, 1)),
                record.subspan(part.first, size));
        }
    }

    void deliver(const Buffer& message) override {
        std::span<const std::byte> rest(message.data(), message.size);
        while (!rest.empty()) {
            const auto length = rest.size() < sizeof(Length) ? is_part - 1 : take<Length>(rest);
            const std::size_t size = length & ~is_part;
            if (size + ((length & is_part) == 0 ? 0 : sizeof(Part)) > rest.size()) [[unlikely]] {
                runtime_.refuse(
                    name() + " are to be read from a message of " + std::to_string(message.size) +
                    " bytes that has none: make the same channels on all ranks, in the same order");
            }
            if ((length & is_part) == 0) {
                receive(rest.first(size), message.rank);
            } else {
                const auto part = take<Part>(rest);
                collect(part, rest.first(size), message.rank);
            }
            rest = rest.subspan(size);
        }
    }
    void flush(Flush reason) override {
        if (forwarding_) {
            forwarding_->flush(reason);
        }
        while (open_.any()) {
            seal(open_.oldest(), reason);
        }
    }
    void flush_older(double than_s) override {
        while (open_.any() && open_.oldest_since_s() < than_s) {
            seal(open_.oldest(), Flush::age);
        }
    }
    [[nodiscard]] double oldest_since_s() const override {
        return open_.any() ? open_.oldest_since_s() : std::numeric_limits<double>::infinity();
    }
    [[nodiscard]] bool has_unsent() const override { return open_.any(); }
    void end_epoch() override { sent_ = 0; }
    [[nodiscard]] std::uint64_t unhandled() const override {
        return sent_ + (forwarding_ ? forwarding_->unhandled() : 0);
    }
    void admit_outside() override {
        Mailbox::admit_outside();
        if (forwarding_) {
            forwarding_->admit_outside();
        }
    }
    [[nodiscard]] std::string name() const override { return with_place(subject_, place_); }

  private:
    using Length = std::uint32_t;
    static constexpr Length is_part = Length{1} << 31U;
    struct Part {
        std::uint64_t record; ///< By the rank that sends it.
        std::uint64_t bytes;  ///< Of the whole record.
        std::uint64_t first;  ///< Of these in this part.
    };
    /// In front of a record that passes other ranks on its way.
    struct Hops {
        std::int32_t to;
        std::int32_t from; ///< The rank that sent it first.
    };
    struct Slot {
        std::byte* first = nullptr; ///< None while no message is open.
        std::size_t used = 0;
    };
    struct Partial {
        std::vector<std::byte> bytes;
        std::size_t arrived = 0;
    };

    static std::size_t bytes_of_full_message(Runtime& runtime) {
        return static_cast<std::size_t>(runtime.parameters().buffer_bytes);
    }
    template <class T>
    static T take(std::span<const std::byte>& bytes) {
        T value;
        std::memcpy(&value, bytes.data(), sizeof value);
        bytes = bytes.subspan(sizeof value);
        return value;
    }

    std::unique_ptr<RecordChannel> make_forwarding(Route route) {
        if (route == Route::direct) {
            return nullptr;
        }
        const auto pass_on = [this](std::span<const std::byte> record, int /*from*/) {
            const Hops hops = take<Hops>(record);
            if (hops.to == runtime_.rank()) {
                handler_(record, hops.from);
            } else {
                ++runtime_.counters().forwarded;
                forward(hops, record);
            }
        };
        return std::make_unique<RecordChannel>(runtime_, pass_on, subject_, Route::direct, place_);
    }
    void forward(const Hops& hops, std::span<const std::byte> record) {
        // Not one of this: while a fibre waits for room, others send.
        std::vector<std::byte> hopping = std::exchange(spare_, {});
        const std::span<const std::byte> head = std::as_bytes(std::span(&hops, 1));
        hopping.assign(head.begin(), head.end());
        hopping.insert(hopping.end(), record.begin(), record.end());
        forwarding_->send(runtime_.routing().next(hops.to), hopping);
        spare_ = std::move(hopping);
    }

    void put(int to, Length length, std::span<const std::byte> part, std::span<const std::byte> record) {
        const std::size_t size = sizeof length + part.size() + record.size();
        // A fibre waits while a message is sent, and another one may have begun the next meanwhile.
        while (slot(to).first != nullptr && slot(to).used + size > runtime_.pool().capacity_bytes()) {
            seal(to, Flush::full);
        }
        if (slot(to).first == nullptr) {
            const double now_s = runtime_.parameters().flush_age_s > 0 ? runtime_.now_s() : 0;
            slot(to) = {open_.open(to, runtime_.pool().take(), now_s).data(), 0};
        }
        append(to, std::as_bytes(std::span(&length, 1)));
        append(to, part);
        append(to, record);
        ++sent_;
        ++runtime_.counters().items;
        runtime_.counters().items_by_bytes.add(size, 1);
        if (slot(to).used >= full_bytes_) {
            seal(to, full_bytes_ == 0 ? Flush::single : Flush::full);
        }
    }
    void append(int to, std::span<const std::byte> bytes) {
        if (!bytes.empty()) {
            std::memcpy(slot(to).first + slot(to).used, bytes.data(), bytes.size());
            slot(to).used += bytes.size();
        }
    }
    void seal(int to, Flush reason) {
        const Slot sealed = std::exchange(slot(to), {});
        Buffer message = open_.close(to);
        message.size = static_cast<std::uint32_t>(sealed.used);
        message.rank = to;
        message.channel = number_;
        runtime_.post(std::move(message), reason);
    }
    Slot& slot(int rank) { return slots_[static_cast<std::size_t>(rank)]; }

    void receive(std::span<const std::byte> record, int from) {
        ++runtime_.counters().items_handled;
        runtime_.charge(Work::handler, 1);
        handler_(record, from);
    }
    void collect(const Part& part, std::span<const std::byte> bytes, int from) {
        const std::pair key(from, part.record);
        Partial& partial = partials_[key];
        partial.bytes.resize(part.bytes);
        std::memcpy(partial.bytes.data() + part.first, bytes.data(), bytes.size());
        partial.arrived += bytes.size();
        if (partial.arrived < partial.bytes.size()) {
            ++runtime_.counters().items_handled;
            return;
        }
        const std::vector<std::byte> all = std::move(partial.bytes);
        partials_.erase(key);
        receive(all, from);
    }

    Runtime& runtime_;
    Handler handler_;
    const char* subject_;
    Place place_;                               ///< Where the program makes it.
    std::unique_ptr<RecordChannel> forwarding_; ///< None where records go directly.
    std::vector<std::byte> spare_;              ///< Memory of the last record that was forwarded.
    std::size_t full_bytes_;                    ///< A message that has so many is sent.
    std::vector<Slot> slots_;
    OpenMessages open_;
    std::map<std::pair<int, std::uint64_t>, Partial> partials_; ///< By rank and record.
    std::uint64_t next_record_ = 0;
    std::uint64_t sent_ = 0; ///< Records and parts, since the last epoch ended.
    int number_;
};

} // namespace goodsyard::runtime
