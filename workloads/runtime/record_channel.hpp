// Records of any length to any rank, aggregated: what `Channel` is for items of one type.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/outbox.hpp"
#include "runtime/records.hpp"
#include "runtime/runtime.hpp"

namespace goodsyard::runtime {

/// Made, and given up, in the same order on all ranks as channels are.
///
/// A record is 4 bytes and itself. One that is longer than a message goes in parts, which are put together
/// where they arrive, in whatever order that is. On a route it has 8 bytes more, and is put together at each
/// rank that it passes.
class RecordChannel final : public Mailbox {
  public:
    /// `handler(record, from)`, of the bytes as a `std::span<const std::byte>` and the rank that sent them,
    /// is what is done with a record where it arrives, in the receive loop: it may send, and cannot wait. The
    /// bytes end with the call. Or `handler(records, from)`, of `Records&`, handles the front and, where it
    /// wants, those like it that follow. `subject` names the records, for people, and stays. They go by the
    /// route of the program.
    template <class Handler>
    RecordChannel(Runtime& runtime, Handler handler, const char* subject = "records of RecordChannel",
                  Place place = Place::current())
        : RecordChannel(runtime, std::move(handler), subject, runtime.parameters().route, place) {}
    /// They go by this route.
    template <class Handler>
    RecordChannel(Runtime& runtime, Handler handler, const char* subject, Route route,
                  Place place = Place::current())
        : engine_(runtime.engine()), receiver_(std::make_unique<Receiving<Handler>>(std::move(handler))),
          subject_(subject), place_(place), forwarding_(make_forwarding(runtime, route)),
          most_bytes_(engine_.pool().capacity_bytes() - sizeof(Length)),
          ranks_(static_cast<unsigned>(engine_.size())),
          when_full_(engine_.parameters().buffer_bytes == 0 ? Flush::single : Flush::full),
          spare_bytes_(engine_.pool().capacity_bytes() -
                       static_cast<std::size_t>(engine_.parameters().buffer_bytes)),
          outbox_(engine_, engine_.add(*this), static_cast<std::size_t>(engine_.parameters().buffer_bytes),
                  0) {}
    ~RecordChannel() override { engine_.remove(*this); }

    /// Legal everywhere, in handlers too; runs no handler. A fibre may wait for room, and the bytes stay
    /// until this returns.
    void send(int to, std::span<const std::byte> record) {
        check_rank(to);
        if (forwarding_ && to != engine_.rank()) {
            forward({to, engine_.rank()}, record);
            return;
        }
        if (record.size() <= most_bytes_) {
            put(to, static_cast<Length>(record.size()), record.size(),
                [&](std::byte* place) { copy(place, record); });
            return;
        }
        const std::size_t most = most_bytes_ - sizeof(Part);
        Part part{next_record_++, record.size(), 0};
        for (; part.first < record.size(); part.first += most) {
            const std::size_t size = std::min<std::size_t>(most, record.size() - part.first);
            put(to, static_cast<Length>(size) | is_part, sizeof part + size, [&](std::byte* place) {
                std::memcpy(place, &part, sizeof part);
                copy(place + sizeof part, record.subspan(part.first, size));
            });
        }
    }

    /// Where the caller writes a record of `size` bytes before anything else is sent. Null where no message
    /// is open that has room for more than this: `send` sends it then.
    [[nodiscard]] std::byte* append(int to, std::size_t size) {
        check_rank(to);
        Outbox::Slot& slot = outbox_.slot(to);
        const bool stays_open = slot.end - slot.next > static_cast<std::ptrdiff_t>(sizeof(Length) + size);
        return stays_open ? append(slot, static_cast<Length>(size), size) : nullptr;
    }

    void deliver(const Buffer& message) override { receiver_->deliver(*this, message); }
    void flush(Flush reason) override {
        if (forwarding_) {
            forwarding_->flush(reason);
        }
        outbox_.flush(reason);
    }
    void flush_older(double than_s) override { outbox_.flush_older(than_s); }
    [[nodiscard]] double oldest_since_s() const override { return outbox_.oldest_since_s(); }
    [[nodiscard]] bool has_unsent() const override { return outbox_.has_open(); }
    void end_epoch() override { outbox_.forget_sent(); }
    [[nodiscard]] std::uint64_t unhandled() const override {
        return outbox_.unhandled() + (forwarding_ ? forwarding_->unhandled() : 0);
    }
    void admit_outside() override {
        Mailbox::admit_outside();
        if (forwarding_) {
            forwarding_->admit_outside();
        }
    }
    [[nodiscard]] std::string name() const override { return with_place(subject_, place_); }

  private:
    using Length = RecordLength;
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
    struct Receiver {
        Receiver() = default;
        Receiver(const Receiver&) = delete;
        Receiver& operator=(const Receiver&) = delete;
        virtual ~Receiver() = default;
        virtual void deliver(RecordChannel& self, const Buffer& message) = 0;
        virtual void handle(RecordChannel& self, std::span<const std::byte> record, int from) = 0;
    };
    /// A call for each message, none for each record.
    template <class Handler>
    struct Receiving final : Receiver {
        explicit Receiving(Handler with) : handler(std::move(with)) {}
        void deliver(RecordChannel& self, const Buffer& message) override {
            self.deliver_to(handler, message);
        }
        void handle(RecordChannel& self, std::span<const std::byte> record, int from) override {
            Records records(self.engine_, record);
            records.open(record.size());
            handle_front(handler, records, from);
            ++self.engine_.counters().items_handled;
        }
        Handler handler;
    };
    struct Partial {
        std::vector<std::byte> bytes;
        std::size_t arrived = 0;
    };

    template <class T>
    static T take(std::span<const std::byte>& bytes) {
        T value;
        std::memcpy(&value, bytes.data(), sizeof value);
        bytes = bytes.subspan(sizeof value);
        return value;
    }

    std::unique_ptr<RecordChannel> make_forwarding(Runtime& runtime, Route route) {
        if (route == Route::direct) {
            return nullptr;
        }
        const auto pass_on = [this](std::span<const std::byte> record, int /*from*/) {
            const Hops hops = take<Hops>(record);
            if (hops.to == engine_.rank()) {
                receiver_->handle(*this, record, hops.from);
            } else {
                ++engine_.counters().forwarded;
                forward(hops, record);
            }
        };
        return std::make_unique<RecordChannel>(runtime, pass_on, subject_, Route::direct, place_);
    }
    void forward(const Hops& hops, std::span<const std::byte> record) {
        // Not one of this: while a fibre waits for room, others send.
        std::vector<std::byte> hopping = std::exchange(spare_, {});
        const std::span<const std::byte> head = std::as_bytes(std::span(&hops, 1));
        hopping.assign(head.begin(), head.end());
        hopping.insert(hopping.end(), record.begin(), record.end());
        forwarding_->send(engine_.routing().next(hops.to), hopping);
        spare_ = std::move(hopping);
    }

    void check_rank(int to) const {
        if (static_cast<unsigned>(to) >= ranks_) [[unlikely]] {
            engine_.refuse_rank(to, *this);
        }
    }
    static void copy(std::byte* place, std::span<const std::byte> bytes) {
        if (!bytes.empty()) {
            std::memcpy(place, bytes.data(), bytes.size());
        }
    }
    /// Put a record, or a part of one, of `size` bytes that `write` writes.
    template <class Write>
    void put(int to, Length length, std::size_t size, const Write& write) {
        make_room(to, sizeof length + size);
        Outbox::Slot& slot = outbox_.slot(to);
        write(append(slot, length, size));
        if (slot.next >= slot.end) {
            outbox_.seal(to, when_full_);
        }
    }
    /// Returns where it is to be written.
    std::byte* append(Outbox::Slot& slot, Length length, std::size_t size) {
        std::byte* const place = slot.next;
        slot.next = place + sizeof length + size;
        std::memcpy(place, &length, sizeof length);
        outbox_.count(sizeof length + size);
        return place + sizeof length;
    }
    void make_room(int to, std::size_t bytes) {
        const Outbox::Slot& slot = outbox_.slot(to);
        // A fibre waits while a message is sent, and another one may have begun the next meanwhile.
        while (slot.next != nullptr &&
               slot.end + spare_bytes_ - slot.next < static_cast<std::ptrdiff_t>(bytes)) {
            outbox_.seal(to, Flush::full);
        }
        if (slot.next == nullptr) {
            outbox_.open(to);
        }
    }

    template <class Handler>
    void deliver_to(Handler& handler, const Buffer& message) {
        Records records(engine_, {message.data(), message.size});
        while (records.bytes_left() > 0) {
            Length length = is_part - 1;
            if (records.bytes_left() >= sizeof length) {
                std::memcpy(&length, records.pass(sizeof length), sizeof length);
            }
            const std::size_t size = length & ~is_part;
            if (size + ((length & is_part) == 0 ? 0 : sizeof(Part)) > records.bytes_left()) [[unlikely]] {
                refuse_message(message);
            }
            if ((length & is_part) == 0) [[likely]] {
                records.open(size);
                handle_front(handler, records, message.rank);
            } else {
                Part part;
                std::memcpy(&part, records.pass(sizeof part), sizeof part);
                collect(part, {records.pass(size), size}, message.rank);
            }
        }
        engine_.counters().items_handled += records.count();
    }
    template <class Handler>
    static void handle_front(Handler& handler, Records& records, int from) {
        if constexpr (std::is_invocable_v<Handler&, std::span<const std::byte>, int>) {
            handler(records.front(), from);
        } else {
            handler(records, from);
        }
    }
    [[noreturn]] void refuse_message(const Buffer& message) const {
        engine_.refuse(name() + " are to be read from a message of " + std::to_string(message.size) +
                       " bytes that has none: make the same channels on all ranks, in the same order");
    }
    void collect(const Part& part, std::span<const std::byte> bytes, int from) {
        const std::pair key(from, part.record);
        Partial& partial = partials_[key];
        partial.bytes.resize(part.bytes);
        std::memcpy(partial.bytes.data() + part.first, bytes.data(), bytes.size());
        partial.arrived += bytes.size();
        if (partial.arrived < partial.bytes.size()) {
            ++engine_.counters().items_handled;
            return;
        }
        const std::vector<std::byte> all = std::move(partial.bytes);
        partials_.erase(key);
        receiver_->handle(*this, all, from);
    }

    Engine& engine_;
    std::unique_ptr<Receiver> receiver_;
    const char* subject_;
    Place place_;                               ///< Where the program makes it.
    std::unique_ptr<RecordChannel> forwarding_; ///< None where records go directly.
    std::vector<std::byte> spare_;              ///< Memory of the last record that was forwarded.
    std::size_t most_bytes_;                    ///< Of a record that goes in one part.
    unsigned ranks_;
    Flush when_full_;
    std::size_t spare_bytes_; ///< A message that has room for no more is sent.
    std::map<std::pair<int, std::uint64_t>, Partial> partials_; ///< By rank and record.
    std::uint64_t next_record_ = 0;
    Outbox outbox_;
};

} // namespace goodsyard::runtime
