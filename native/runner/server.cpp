#include "server.hpp"

#include "entered_levels.hpp"
#include "host_settings.hpp"
#include "journal.hpp"
#include "launch_store.hpp"
#include "order_pipe.hpp"
#include "process_tree.hpp"
#include "reply.hpp"
#include "stop.hpp"
#include "trial.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <optional>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

namespace steelyard {

namespace {

enum class OrderKind : std::uint8_t { define = 1, forget = 2, batch = 3 };

struct __attribute__((packed)) OrderHead {
    std::uint32_t bytes; ///< of what follows this head
    OrderKind kind;
};

enum class EntryKind : std::uint8_t { trial = 1, hook = 2, block_end = 3, enter = 4, leave = 5 };

struct __attribute__((packed)) Entry {
    EntryKind kind;
    std::uint32_t launch;
    std::uint64_t trial;
};
static_assert(sizeof(Entry) == 13);

class Server {
  public:
    Server(int orders, int replies, const char* undo_path, volatile bool* leaving)
        : orders_(orders), replies_(replies), leaving_(leaving), trials_(launches_, undo_path) {}

    int run(const char* journal_path) {
        if (!start(journal_path)) {
            return ExitCode::cannot_start;
        }
        for (;;) {
            done_ = 0;
            OrderHead head{0, OrderKind::define};
            const Reading reading = read_exactly(orders_, &head, sizeof head);
            if (reading == Reading::end) {
                return finish(ExitCode::done);
            }
            if (reading == Reading::stopped) {
                return finish(stopped());
            }
            if (reading == Reading::torn) {
                return refuse("the orders end in the middle of one");
            }
            const int code = obey(head);
            if (code != go_on) {
                return finish(code);
            }
        }
    }

  private:
    static constexpr int go_on = -1;
    static constexpr std::uint32_t no_launch = 0xFFFFFFFF;

    bool start(const char* journal_path) {
        if (!can_list_children()) {
            replies_.failed(Failure::start, 0, ENOSYS, 0, 0, "/proc/PID/task/TID/children");
            return false;
        }
        batch_fd_ = memfd_create("batch", MFD_CLOEXEC);
        int error = batch_fd_ < 0 ? errno : launches_.create();
        if (error == 0) {
            error = trials_.initialise();
        }
        if (error != 0) {
            replies_.failed(Failure::start, 0, error, 0, 0, "memfd, /dev/null, affinity");
            return false;
        }
        const JournalOpening opening = journal_.open(journal_path);
        if (opening.state != JournalState::good || opening.error != 0) {
            replies_.failed(Failure::journal_open, static_cast<std::uint32_t>(opening.state), opening.error,
                            0, opening.offset, {});
            return false;
        }
        levels_.place_beside(journal_path);
        replies_.ready(opening);
        return true;
    }

    int finish(int code) {
        leave_levels();
        trials_.end_everything();
        return code;
    }

    /// What Python had no time to say: the commands that put back what levels have changed. Those that fail
    /// stay written down, for the next run.
    void leave_levels() {
        *leaving_ = levels_.last() != nullptr;
        while (const EnteredLevel* const last = levels_.last()) {
            const EnteredLevel level = *last;
            const bool is_left = level.leave == no_launch ||
                                 (trials_.run_hook(level.leave, Purpose::leave) == TrialEnd::finished &&
                                  trials_.frame().record.status == Status::ok);
            levels_.forget_last(is_left);
        }
    }

    int refuse(const char* problem) {
        if (stop_requested()) { // which cuts the reading of an order short
            return stopped();
        }
        replies_.failed(Failure::protocol, 0, 0, 0, 0, problem);
        return ExitCode::bad_orders;
    }

    int obey(const OrderHead& head) {
        switch (head.kind) {
        case OrderKind::define: {
            std::uint32_t id = 0;
            if (head.bytes < sizeof id || read_exactly(orders_, &id, sizeof id) != Reading::whole) {
                return refuse("a definition without an id");
            }
            const int error = launches_.define(id, head.bytes - sizeof id, orders_);
            return error == 0 ? go_on : refuse(std::strerror(error));
        }
        case OrderKind::forget:
            return launches_.clear() == 0 ? go_on : refuse("definitions cannot be forgotten");
        case OrderKind::batch:
            return read_batch(head.bytes);
        }
        return refuse("an order of an unknown kind");
    }

    /// The whole batch is read before anything starts: afterwards nothing but the subject runs.
    int read_batch(std::uint32_t bytes) {
        if (bytes % sizeof(Entry) != 0) {
            return refuse("a batch with a part of an entry");
        }
        if (ftruncate(batch_fd_, 0) != 0 || lseek(batch_fd_, 0, SEEK_SET) != 0) {
            return refuse("no room for a batch");
        }
        if (const int error = move_to_file(orders_, batch_fd_, bytes); error != 0) {
            return refuse(std::strerror(error));
        }
        return run_batch(bytes / sizeof(Entry));
    }

    int stopped() {
        replies_.stopped(done_);
        return ExitCode::stopped;
    }

    int run_batch(std::uint64_t entries) {
        Entry ahead[128]; // a read for each would cost a quarter of a microsecond
        for (std::uint64_t place = 0; place < entries; ++place) {
            if (stop_requested()) {
                return stopped();
            }
            const std::uint64_t of_these = place % std::size(ahead);
            if (of_these == 0 && !read_entries(place, {ahead, std::min(entries - place, std::size(ahead))})) {
                return refuse("a batch that cannot be read back");
            }
            if (const std::optional<int> end = run_entry(ahead[of_these], place)) {
                return *end;
            }
        }
        trials_.release();
        replies_.done(done_);
        return go_on;
    }

    [[nodiscard]] bool read_entries(std::uint64_t place, std::span<Entry> entries) const {
        return pread(batch_fd_, entries.data(), entries.size_bytes(),
                     static_cast<off_t>(place * sizeof(Entry))) == static_cast<ssize_t>(entries.size_bytes());
    }

    /// Nothing when the next entry can follow; else the reply is given and the batch is over.
    std::optional<int> run_entry(const Entry& entry, std::uint64_t place) {
        switch (entry.kind) {
        case EntryKind::trial:
            if (const std::optional<int> end =
                    judge(trials_.run_trial(entry.trial, entry.launch), entry.trial)) {
                return end;
            }
            if (const std::optional<int> end = judge_writing(journal_.append(trials_.frame()), entry.trial)) {
                return end;
            }
            ++done_;
            return std::nullopt;
        case EntryKind::hook:
            return run_hook(entry.launch, place, Purpose::block);
        case EntryKind::block_end:
            return judge_writing(journal_.mark_block_end(), 0);
        case EntryKind::enter: {
            const EnteredLevel level{static_cast<std::uint32_t>(entry.trial >> 32U),
                                     static_cast<std::uint32_t>(entry.trial)};
            if (const int error = levels_.enter(level); error != 0) {
                return judge_writing(error, 0);
            }
            return entry.launch == no_launch ? std::nullopt : run_hook(entry.launch, place, Purpose::block);
        }
        case EntryKind::leave: {
            if (entry.launch != no_launch) {
                if (const std::optional<int> end = run_hook(entry.launch, place, Purpose::leave)) {
                    return end;
                }
            }
            return judge_writing(levels_.leave(static_cast<std::uint32_t>(entry.trial)), 0);
        }
        }
        return refuse("a batch entry of an unknown kind");
    }

    std::optional<int> run_hook(std::uint32_t launch, std::uint64_t place, Purpose purpose) {
        if (const std::optional<int> end = judge(trials_.run_hook(launch, purpose), 0)) {
            return end;
        }
        if (trials_.frame().record.status != Status::hook_failed) {
            return std::nullopt;
        }
        replies_.hook_failed(done_, place, trials_.frame());
        trials_.release();
        return go_on;
    }

    std::optional<int> judge(TrialEnd end, std::uint64_t trial) {
        switch (end) {
        case TrialEnd::finished:
            return std::nullopt;
        case TrialEnd::stopped:
            return stopped();
        case TrialEnd::bad_launch:
            return refuse(trials_.problem());
        case TrialEnd::cannot_end:
            break;
        }
        replies_.failed(Failure::cannot_end, 0, 0, done_, trial, {});
        return ExitCode::cannot_end;
    }

    std::optional<int> judge_writing(int error, std::uint64_t trial) {
        if (error == 0) {
            return std::nullopt;
        }
        replies_.failed(Failure::journal_write, 0, error, done_, trial, {});
        trials_.release();
        return go_on;
    }

    int orders_;
    Replies replies_;
    volatile bool* leaving_; ///< what the guard sees
    int batch_fd_ = -1;
    std::uint64_t done_ = 0; ///< trials of this batch that are in the journal
    LaunchStore launches_;
    TrialRunner trials_;
    EnteredLevels levels_;
    Journal journal_;
};

} // namespace

int serve(const char* journal_path, const char* undo_path, volatile bool* leaving) {
    undo_leftovers(undo_path);
    const int orders = fcntl(0, F_DUPFD_CLOEXEC, 3);
    const int replies = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (orders < 0 || replies < 0) {
        return ExitCode::cannot_start;
    }
    return Server(orders, replies, undo_path, leaving).run(journal_path);
}

} // namespace steelyard
