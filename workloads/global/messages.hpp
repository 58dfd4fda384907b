// Functions with arguments of any size and type, executed on other ranks: remote procedures without an
// answer, as YGM's `async`.
//
// B. Priest, T. Steil, G. Sanders, R. Pearce: You've Got Mail (YGM): building missing asynchronous
// communication primitives, IPDPSW 2019.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "global/global_ptr.hpp"
#include "runtime/record_channel.hpp"
#include "runtime/serialisation.hpp"

namespace goodsyard::global {

class Messages;

/// What is executed where a record arrives, and the records of the same function that follow. A record is the
/// number of the function, the object's address, where there is one, what the function captures, and the
/// arguments.
using Procedure = void (*)(Messages& self, runtime::Records& records, int from);

/// What an argument arrives as: a value, and of a C string a std::string.
template <class T>
using Sent =
    std::conditional_t<std::is_same_v<std::decay_t<T>, const char*> || std::is_same_v<std::decay_t<T>, char*>,
                       std::string, std::decay_t<T>>;

/// Made in the same order on all ranks as channels are, before the epoch in which it is used.
///
/// A function captures values that are trivially copyable, or nothing; it is executed in the receive loop of
/// the rank that it is sent to, atomically, may send, and cannot wait. What it raises ends the epoch on that
/// rank. Messages have no order. All have been executed when the epoch has ended. Arguments are serialised
/// (runtime/serialisation.hpp), and arrive as values; a `std::span<const std::byte>` arrives as a view that
/// ends with the call.
class Messages {
  public:
    explicit Messages(runtime::Runtime& runtime, runtime::Place place = runtime::Place::current())
        : runtime_(runtime),
          channel_(
              runtime,
              [this](runtime::Records& records, int from) {
                  const auto number = runtime::Reader(records.front()).read<Number>();
                  runtime_.engine().function<Procedure>(number, from)(*this, records, from);
              },
              "functions of Messages", place) {}
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;

    ~Messages() {
        if (users_ > 0 && !channel_.unwound()) {
            runtime_.engine().refuse(channel_.name() +
                                     " end before a container that uses them: end it first");
        }
    }

    /// A member of a container that sends by Messages, and is not to outlive them, nor to end before what was
    /// sent to it has been handled.
    class User {
      public:
        /// `subject` is the container, for people.
        User(Messages& messages, std::string subject) : messages_(messages), subject_(std::move(subject)) {
            messages_.runtime_.engine().add_container(subject_);
            ++messages_.users_;
        }
        User(const User&) = delete;
        User& operator=(const User&) = delete;
        ~User() {
            --messages_.users_;
            runtime::Engine& engine = messages_.runtime_.engine();
            engine.remove_container(subject_, messages_.channel_.unwound());
            if (messages_.channel_.unwound()) {
                return;
            }
            if (stretch_ == engine.stretch()) {
                engine.refuse(subject_ + " ends, and what was sent to it after the last epoch is lost: all "
                                         "ranks call epoch() before its end");
            }
        }
        /// To be called whenever something is sent to it.
        void note_send() { stretch_ = messages_.runtime_.engine().stretch(); }

      private:
        Messages& messages_;
        std::string subject_;
        std::uint64_t stretch_ = 0; ///< In which something was sent.
    };

    [[nodiscard]] runtime::Runtime& runtime() { return runtime_; }

    /// Let what arrives be handled outside of epochs too, when `Runtime::handle_outside` is called, as
    /// containers do. On all ranks.
    void admit_outside() { channel_.admit_outside(); }

    /// Execute `f(object, arguments…)` on the object's rank; or `f(here, from, object, arguments…)` with the
    /// Messages of that rank, by which it may reply, and the rank that has sent it. Legal everywhere.
    template <class T, class F, class... Arguments>
    void async(GlobalPtr<T> object, const F& f, const Arguments&... arguments) {
        if (!object) [[unlikely]] {
            runtime_.engine().refuse_null(channel_.name());
        }
        send<T, F, Sent<Arguments>...>(object.rank, object.address(), f, arguments...);
    }
    /// The same without an object: `f(arguments…)`, or `f(here, from, arguments…)`, on rank `to`.
    template <class F, class... Arguments>
    void async(int to, const F& f, const Arguments&... arguments) {
        send<void, F, Sent<Arguments>...>(to, nullptr, f, arguments...);
    }

  private:
    using Number = std::uint32_t;
    /// Whether a record has a known size, and which.
    template <class... Arguments>
    static constexpr bool are_flat = (runtime::Flat<Arguments> && ...);
    template <class T, class F, class... Arguments>
    static constexpr std::size_t flat_bytes =
        sizeof(Number) + (std::is_void_v<T> ? 0 : sizeof(std::uintptr_t)) +
        (std::is_empty_v<F> ? 0 : sizeof(F)) + (sizeof(Arguments) + ... + 0);

    template <class T, class F, class... Arguments, class... Values>
    void send(int to, T* object, const F& f, const Values&... arguments) {
        static_assert(std::is_trivially_copyable_v<F>,
                      "a function captures values that can be copied as bytes");
        static_assert(
            runtime::Portable<F>,
            "a function is executed on another rank, where what it captures by reference ([&], this) "
            "or as a pointer, and the address of a function, mean nothing: capture values, and send a "
            "lambda in place of a function's name");
        const Number number = runtime::number_of<&execute<T, F, Arguments...>>;
        if constexpr (are_flat<Arguments...>) {
            std::byte* place = channel_.append(to, flat_bytes<T, F, Arguments...>);
            if (place != nullptr) [[likely]] {
                place = runtime::write_flat(place, number);
                if constexpr (!std::is_void_v<T>) {
                    place = runtime::write_flat(place, reinterpret_cast<std::uintptr_t>(object));
                }
                if constexpr (!std::is_empty_v<F>) {
                    place = runtime::write_flat(place, f);
                }
                runtime::write_flat(place, static_cast<const Arguments&>(arguments)...);
                return;
            }
        }
        send_serialised<T, F, Passed<F>, std::tuple<Arguments...>, Passed<Values>...>(to, object, number, f,
                                                                                      arguments...);
    }
    /// As parameters: by a reference, values would be in memory whenever they might be passed so.
    template <class Value>
    using Passed = std::conditional_t<std::is_trivially_copyable_v<Value> && !std::is_array_v<Value> &&
                                          sizeof(Value) <= 2 * sizeof(void*),
                                      Value, const Value&>;
    template <class T, class F, class PassedF, class Arguments, class... PassedValues>
    [[gnu::noinline]] void send_serialised(int to, T* object, Number number, PassedF f,
                                           PassedValues... arguments) {
        // Not one of this: while a fibre waits for room, others send.
        std::vector<std::byte> record = std::exchange(spare_, {});
        record.clear();
        runtime::Writer writer(record);
        writer(number);
        if constexpr (!std::is_void_v<T>) {
            writer(reinterpret_cast<std::uintptr_t>(object));
        }
        if constexpr (!std::is_empty_v<F>) {
            writer(f);
        }
        [&]<class... Each>(std::type_identity<std::tuple<Each...>>) {
            (writer(static_cast<const Each&>(arguments)), ...);
        }(std::type_identity<Arguments>());
        channel_.send(to, record);
        spare_ = std::move(record);
    }

    template <class T, class F, class... Arguments>
    static void execute(Messages& self, runtime::Records& records, int from) {
        if constexpr (are_flat<Arguments...>) {
            constexpr std::size_t size = flat_bytes<T, F, Arguments...>;
            if (records.front().size() != size) [[unlikely]] {
                throw std::length_error("a message has more or fewer bytes than its arguments");
            }
            records.for_alike<size, sizeof(Number)>([&](const std::byte* record) {
                execute_one<T, F, Arguments...>(self, {record, size}, from);
            });
        } else {
            execute_one<T, F, Arguments...>(self, records.front(), from);
        }
    }
    template <class T, class F, class... Arguments>
    static void execute_one(Messages& self, std::span<const std::byte> record, int from) {
        runtime::Reader reader(record.subspan(sizeof(Number)));
        [[maybe_unused]] T* const object = read_object<T>(reader);
        F f = read_function<F>(reader);
        std::tuple<Arguments...> arguments{reader.read<Arguments>()...}; // In braces, from left to right.
        std::apply(
            [&](Arguments&... each) {
                if constexpr (std::is_void_v<T>) {
                    if constexpr (std::is_invocable_v<F&, Messages&, int, Arguments&...>) {
                        f(self, from, each...);
                    } else {
                        f(each...);
                    }
                } else if constexpr (std::is_invocable_v<F&, Messages&, int, T&, Arguments&...>) {
                    f(self, from, *object, each...);
                } else {
                    f(*object, each...);
                }
            },
            arguments);
    }
    template <class T>
    static T* read_object(runtime::Reader& reader) {
        if constexpr (std::is_void_v<T>) {
            return nullptr;
        } else {
            // NOLINTNEXTLINE(performance-no-int-to-ptr)
            return reinterpret_cast<T*>(reader.read<std::uintptr_t>());
        }
    }
    template <class F>
    static F read_function(runtime::Reader& reader) {
        if constexpr (std::is_empty_v<F>) {
            return std::bit_cast<F>(std::byte{});
        } else {
            return reader.read<F>();
        }
    }

    runtime::Runtime& runtime_;
    int users_ = 0;
    std::vector<std::byte> spare_; ///< Memory of the last record.
    runtime::RecordChannel channel_;
};

} // namespace goodsyard::global
