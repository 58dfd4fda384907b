// Operations on objects of other ranks, executed by their owners and so atomic: nothing else runs on a rank
// while it executes one.
//
// J. Nelson et al.: Latency-tolerant software distributed shared memory, USENIX ATC 2015, section 3.3.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "global/global_ptr.hpp"
#include "runtime/channel.hpp"
#include "runtime/completion_event.hpp"
#include "runtime/control_objects.hpp"
#include "runtime/portable.hpp"

namespace goodsyard::global {

using runtime::CompletionEvent;
using runtime::Future;
using runtime::Runtime;
using runtime::Tasks;

/// What a function of a delegate has raised on another rank: the text of its std::exception, of which at most
/// 239 bytes are kept, behind the rank.
class RemoteError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// As a channel: made in the same order on all ranks, before the epoch in which it is used.
///
/// A function of a delegate takes a reference to the object, captures values only (trivially copyable, at
/// most 240 bytes), and neither waits nor needs a task. Delegates have no order: each may overtake others.
class Delegates {
  public:
    explicit Delegates(Runtime& runtime, runtime::Place place = runtime::Place::current())
        : runtime_(runtime), rank_(runtime.rank()), to_self_(runtime.parameters().delegates_to_self),
          place_(place), lanes_(*this, *this, *this, *this, *this, *this) {}
    Delegates(const Delegates&) = delete;
    Delegates& operator=(const Delegates&) = delete;

    [[nodiscard]] Runtime& runtime() { return runtime_; }
    [[nodiscard]] Tasks& tasks() { return runtime_.tasks(); }

    // Blocking: the fibre that calls one waits for the result, and others go on meanwhile. An object of the
    // rank itself is used at once, unless --delegates-to-self. Raises std::logic_error where something that
    // is not a fibre would have to wait, and RemoteError where the function raises a std::exception; where it
    // is executed at once, what it raises.

    /// Return `f(object)`, executed by the owner.
    template <class T, class F>
    auto call(GlobalPtr<T> object, F f) -> std::invoke_result_t<F&, T&> {
        check_function<F>();
        if (is_here(object)) {
            return f(*object.address());
        }
        tasks().check_can_wait();
        Future<std::invoke_result_t<F&, T&>> result(tasks(), "the answer of a delegate");
        send_call(object, std::move(f), &result);
        result.wait();
        return result.value();
    }
    template <class T>
    [[nodiscard]] std::remove_const_t<T> read(GlobalPtr<T> object) {
        return call(object, Read{});
    }
    template <class T>
    void write(GlobalPtr<T> object, const std::type_identity_t<T>& value) {
        call(object, Write<T>{value});
    }
    /// Add, and return what was there before.
    template <class T>
    T fetch_add(GlobalPtr<T> object, const std::type_identity_t<T>& added) {
        return call(object, FetchAdd<T>{added});
    }
    /// Replace `expected` by `desired`; returns whether it was there.
    template <class T>
    bool compare_and_swap(GlobalPtr<T> object, const std::type_identity_t<T>& expected,
                          const std::type_identity_t<T>& desired) {
        return call(object, CompareAndSwap<T>{expected, desired});
    }

    // Asynchronous: `result`, which stays where it is until then, is set when the result has come. Legal
    // everywhere, in handlers too; a coroutine says `co_await result`. Where the function raises a
    // std::exception, `result.value()` does: RemoteError, or what it was where it was executed at once.

    template <class T, class F>
    void call(GlobalPtr<T> object, F f, Future<std::invoke_result_t<F&, T&>>& result) {
        check_function<F>();
        if (!is_here(object)) {
            send_call(object, std::move(f), &result);
            return;
        }
        try {
            if constexpr (std::is_void_v<std::invoke_result_t<F&, T&>>) {
                f(*object.address());
                result.set();
            } else {
                result.set(f(*object.address()));
            }
        } catch (const std::exception&) {
            result.fail(std::current_exception());
        }
    }
    template <class T>
    void read(GlobalPtr<T> object, Future<std::remove_const_t<T>>& result) {
        call(object, Read{}, result);
    }
    template <class T>
    void write(GlobalPtr<T> object, const std::type_identity_t<T>& value, Future<void>& result) {
        call(object, Write<T>{value}, result);
    }
    template <class T>
    void fetch_add(GlobalPtr<T> object, const std::type_identity_t<T>& added, Future<T>& result) {
        call(object, FetchAdd<T>{added}, result);
    }
    template <class T>
    void compare_and_swap(GlobalPtr<T> object, const std::type_identity_t<T>& expected,
                          const std::type_identity_t<T>& desired, Future<bool>& result) {
        call(object, CompareAndSwap<T>{expected, desired}, result);
    }

    // Without a result. Legal everywhere. What the function raises ends the epoch on the rank that executes
    // it.

    /// Execute `f(object)`, which has happened when `event` is complete: enrolled there until then. `event`
    /// is this rank's, and stays where it is.
    template <class T, class F>
    void call(GlobalPtr<T> object, F f, CompletionEvent& event) {
        check_function<F>();
        if (is_here(object)) {
            f(*object.address());
            return;
        }
        event.enroll();
        send_call(object, std::move(f), &event);
    }
    /// Execute `f(object)`, which has happened when the epoch has ended; nothing is sent back.
    template <class T, class F>
    void post(GlobalPtr<T> object, F f) {
        check_function<F>();
        if (is_here(object)) {
            f(*object.address());
            return;
        }
        send_call(object, std::move(f), static_cast<void*>(nullptr));
    }
    /// Spawn a task on the owner that runs `f(object)`, and may wait.
    template <class T, class F>
    void spawn(GlobalPtr<T> object, F f) {
        check_function<F>();
        if (is_here(object)) {
            tasks().spawn([object, f]() mutable { f(*object.address()); });
            return;
        }
        ++runtime_.counters().delegates;
        send<Spawn<T, F, void>>(object, {std::move(f)});
    }
    /// The same, enrolled with `event` until that task has ended.
    template <class T, class F>
    void spawn(GlobalPtr<T> object, F f, CompletionEvent& event) {
        check_function<F>();
        event.enroll();
        if (is_here(object)) {
            tasks().spawn([&tasks = tasks(), object, f, &event]() mutable {
                f(*object.address());
                tasks.check_answer();
                event.complete();
            });
            return;
        }
        ++runtime_.counters().delegates;
        send<Spawn<T, F, CompletionEvent>>(object, {&event, std::move(f)});
    }
    /// An activity that was enrolled with an event of any rank has ended.
    void complete(GlobalPtr<CompletionEvent> event) {
        if (is_here(event)) {
            tasks().check_answer();
            event.address()->complete();
            return;
        }
        ++runtime_.counters().delegates;
        send<Complete<CompletionEvent>>(event, {});
    }

  private:
    /// To be asked of what users give, here and elsewhere: what works with an object of the rank itself works
    /// with any.
    template <class F>
    static constexpr void check_function() {
        static_assert(
            runtime::Portable<F>,
            "a function is executed on the object's rank, where what it captures by reference ([&], "
            "this) or as a pointer means nothing: capture values, or a GlobalPtr");
    }

    struct Read {
        template <class T>
        T operator()(const T& object) const {
            return object;
        }
    };
    template <class T>
    struct Write {
        T value;
        void operator()(T& object) const { object = value; }
    };
    template <class T>
    struct FetchAdd {
        T added;
        T operator()(T& object) const { return std::exchange(object, static_cast<T>(object + added)); }
    };
    template <class T>
    struct CompareAndSwap {
        T expected;
        T desired;
        bool operator()(T& object) const {
            const bool equal = object == expected;
            object = equal ? desired : object;
            return equal;
        }
    };

    /// What a function is sent with, and where its result goes: a future or an event of the sender, or
    /// nowhere.
    template <class F, class To>
    struct Request {
        To* to;
        [[no_unique_address]] F f;
    };
    template <class F>
    struct Request<F, void> {
        [[no_unique_address]] F f;
    };

    // Messages: each is executed on the rank to whose object it is sent.

    template <class T, class F, class To>
    struct Execute {
        using Payload = Request<F, To>;
        static void run(Delegates& self, T& object, Payload& request, int from) {
            if constexpr (std::is_void_v<To>) {
                request.f(object);
            } else if constexpr (std::is_same_v<To, CompletionEvent>) {
                request.f(object);
                self.send<Complete<To>>(GlobalPtr<To>{from, request.to}, {});
            } else {
                try {
                    if constexpr (std::is_void_v<std::invoke_result_t<F&, T&>>) {
                        request.f(object);
                        self.send<Complete<To>>(GlobalPtr<To>{from, request.to}, {});
                    } else {
                        self.send<Answer<To>>(GlobalPtr<To>{from, request.to}, {request.f(object)});
                    }
                } catch (const std::exception& error) {
                    self.send<Fail<To>>(GlobalPtr<To>{from, request.to}, ErrorText(error.what()));
                }
            }
        }
    };
    /// As much of the text of an error as a message takes, with a zero behind it.
    struct ErrorText {
        explicit ErrorText(const char* text) { std::strncpy(bytes.data(), text, bytes.size() - 1); }
        std::array<char, 240> bytes{};
    };
    template <class To>
    struct Fail {
        using Payload = ErrorText;
        static void run(Delegates& self, To& to, const Payload& text, int from) {
            self.take_answer(to);
            to.fail(std::make_exception_ptr(
                RemoteError("a delegate on rank " + std::to_string(from) + ": " + text.bytes.data())));
        }
    };
    template <class T, class F, class To>
    struct Spawn {
        using Payload = Request<F, To>;
        static void run(Delegates& self, T& object, const Payload& request, int from) {
            self.tasks().spawn([&self, &object, request, from]() mutable {
                static_cast<void>(self); // Without an event nobody is told.
                static_cast<void>(from);
                request.f(object);
                if constexpr (!std::is_void_v<To>) {
                    self.send<Complete<To>>(GlobalPtr<To>{from, request.to}, {});
                }
            });
        }
    };
    template <class To>
    struct Answer {
        using Payload = std::remove_cvref_t<decltype(std::declval<To&>().value())>;
        static_assert(runtime::Portable<Payload>,
                      "what a function returns holds an address of the rank that executed it: a pointer, a "
                      "reference, a std::string_view; return a value, or a GlobalPtr");
        static void run(Delegates& self, To& to, const Payload& value, int /*from*/) {
            self.take_answer(to);
            to.set(value);
        }
    };
    template <class To>
    struct Complete {
        struct Payload {};
        static void run(Delegates& self, To& to, const Payload& /*payload*/, int /*from*/) {
            self.take_answer(to);
            if constexpr (std::is_same_v<To, CompletionEvent>) {
                to.complete();
            } else {
                to.set();
            }
        }
    };

    /// To be called before what has come is written to `to`: ends the program where that may be gone.
    template <class To>
    void take_answer(To& to) {
        tasks().check_answer();
        if constexpr (!std::is_same_v<To, CompletionEvent>) {
            to.take_answer();
        }
    }

    /// Executed on the rank of `object`; the payload lies in the message.
    using Function = void (*)(Delegates& self, void* object, const std::uint64_t* payload, int from);

    /// Words of 8 bytes that hold a value; none where it is empty.
    template <class T>
    static constexpr std::size_t words_of = std::is_empty_v<T> ? 0 : (sizeof(T) + 7) / 8;
    template <class T>
    static void pack(const T& value, std::uint64_t* words) {
        if constexpr (!std::is_empty_v<T>) {
            std::memcpy(words, &value, sizeof value);
        }
    }
    template <class T>
    [[nodiscard]] static T unpacked(const std::uint64_t* words) {
        std::array<std::byte, sizeof(T)> bytes{};
        if constexpr (!std::is_empty_v<T>) {
            std::memcpy(bytes.data(), words, sizeof(T));
        }
        return std::bit_cast<T>(bytes);
    }

    /// The object and the number of a function, which fits above the 48 bits of an address; then the payload.
    template <std::size_t words>
    using Packet = std::array<std::uint64_t, 1 + words>;
    static constexpr int address_bits = 48;
    static constexpr std::uint64_t address_mask = (std::uint64_t{1} << address_bits) - 1;
    /// An address of this rank, which came back in a message.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    static void* object_of(std::uint64_t head) { return reinterpret_cast<void*>(head & address_mask); }

    /// Hands the packets of a channel to their functions.
    template <std::size_t words>
    struct Receiver {
        Delegates* here;
        void operator()(const Packet<words>& packet, int from) const {
            const auto function =
                here->runtime_.engine().template function<Function>(packet[0] >> address_bits, from);
            function(*here, object_of(packet[0]), packet.data() + 1, from);
        }
        void prefetch(const Packet<words>& packet) const { __builtin_prefetch(object_of(packet[0])); }
    };
    template <std::size_t words>
    struct Lane {
        explicit Lane(Delegates& self) : channel(self.runtime_, self.place_) {
            channel.on_receipt(Receiver<words>{&self}, runtime::always<runtime::Execution::handler>);
        }
        runtime::Channel<Packet<words>> channel;
    };
    /// Words of a payload: the first lane that takes it is its own.
    using Lanes = std::tuple<Lane<0>, Lane<1>, Lane<2>, Lane<3>, Lane<7>, Lane<31>>;
    template <std::size_t words>
    static constexpr std::size_t lane_words = words <= 3   ? words
                                              : words <= 7 ? 7
                                                           : 31;

    template <class Message, class T>
    static void received(Delegates& self, void* object, const std::uint64_t* payload, int from) {
        auto own = unpacked<typename Message::Payload>(payload);
        Message::run(self, *static_cast<T*>(object), own, from);
    }
    template <class Message, class T>
    void send(GlobalPtr<T> object, const Message::Payload& payload) {
        using Payload = Message::Payload;
        static_assert(std::is_trivially_copyable_v<Payload>,
                      "delegates capture values that can be copied as bytes");
        static_assert(words_of<Payload> <= 31, "a delegate captures, and returns, at most 240 bytes");
        constexpr std::size_t words = lane_words<words_of<Payload>>;
        const auto address = reinterpret_cast<std::uint64_t>(object.address());
        const std::uint64_t number = runtime::number_of<&received<Message, T>>;
        Packet<words> packet{number << address_bits | address};
        pack(payload, packet.data() + 1);
        std::get<Lane<words>>(lanes_).channel.send(object.rank, packet);
    }
    template <class T, class F, class To>
    void send_call(GlobalPtr<T> object, F&& f, To* to) {
        ++runtime_.counters().delegates;
        using Executed = Execute<T, std::decay_t<F>, To>;
        if constexpr (std::is_void_v<To>) {
            send<Executed>(object, {std::forward<F>(f)});
        } else {
            if constexpr (!std::is_same_v<To, CompletionEvent>) {
                to->expect_answer();
            }
            send<Executed>(object, {to, std::forward<F>(f)});
        }
    }

    template <class T>
    [[nodiscard]] bool is_here(GlobalPtr<T> object) {
        if (!object) [[unlikely]] {
            runtime_.engine().refuse_null(runtime::with_place("delegates", place_));
        }
        const bool here = object.rank == rank_ && !to_self_;
        runtime_.counters().delegates_here += here ? 1 : 0;
        runtime_.charge(Work::delegate, here ? 1 : 0);
        return here;
    }

    Runtime& runtime_;
    int rank_;
    bool to_self_;
    runtime::Place place_; ///< Where the program makes them.
    Lanes lanes_;
};

} // namespace goodsyard::global
