#include "trial.hpp"

#include "clock.hpp"
#include "decimal.hpp"
#include "plain_file.hpp"
#include "stop.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace steelyard {

namespace {

constexpr std::uint64_t metrics_limit_bytes = 256U << 20U;

int create(Captures& captures, const char* out, const char* err) {
    const int error = captures.out.create(out);
    return error != 0 ? error : captures.err.create(err);
}

/// What a stream came to: bytes written, and how many of them are kept.
struct StreamSize {
    std::uint64_t written;
    std::uint32_t kept_bytes;
};

StreamSize stream_size(Output mode, int shown_fd, Capture& capture, std::uint64_t limit_bytes,
                       bool nobody_writes) {
    if (mode == Output::capture) {
        const std::uint64_t written = capture.finish(nobody_writes);
        return {written, static_cast<std::uint32_t>(std::min(written, limit_bytes))};
    }
    struct stat file{};
    if (mode == Output::file && fstat(shown_fd, &file) == 0 && S_ISREG(file.st_mode)) {
        return {static_cast<std::uint64_t>(file.st_size), 0};
    }
    return {0, 0};
}

Digest digest_stream(Output mode, const Capture& capture, std::uint64_t bytes) {
    return mode == Output::capture ? digest_file(capture.fd(), bytes) : Digest{};
}

} // namespace

int TrialRunner::initialise() {
    if (const int error = create(captures_, "stdout", "stderr"); error != 0) {
        return error;
    }
    if (const int error = create(hook_captures_, "stdout", "stderr"); error != 0) {
        return error;
    }
    return surroundings_.initialise();
}

bool TrialRunner::load(std::uint32_t id, std::uint64_t trial, Loaded& loaded) {
    Launch& launch = loaded.launch;
    problem_ = nullptr;
    if (loaded.id != id) {
        loaded.id.reset();
        problem_ = launches_.load(id, launch, loaded.arena);
        if (problem_ == nullptr) {
            loaded.id = id;
        }
    }
    if (problem_ == nullptr && launch.trial_digits != nullptr &&
        !write_fixed_width(launch.trial_digits, trial_digit_count, trial)) {
        problem_ = "a trial number of more than twelve digits";
    }
    return problem_ == nullptr;
}

void TrialRunner::begin() {
    close_metrics();
    frame_ = {};
    // What a hook left running still writes to the hooks' pair, and would write what the next program says.
    if (swapped_) {
        std::swap(captures_, hook_captures_);
    }
    swapped_ = false;
}

TrialEnd TrialRunner::run_trial(std::uint64_t trial, std::uint32_t launch) {
    begin();
    frame_.record.trial = trial;
    frame_.record.launch = launch;
    if (!load(launch, trial, program_)) {
        return TrialEnd::bad_launch;
    }

    if (const int error = host_.apply(program_.launch); error != 0) {
        frame_.record.status = Status::setup_failed;
        frame_.record.step = Step::host;
        frame_.record.error = error;
        frame_.record.start_ns = realtime_ns();
        return TrialEnd::finished;
    }
    const SetupFailure failure = separate(program_.launch);
    TrialEnd end = TrialEnd::finished;
    if (failure.step == Step::none) {
        end = run_with_hooks();
    } else {
        frame_.record.status = Status::setup_failed;
        frame_.record.step = failure.step;
        frame_.record.error = failure.error;
        frame_.record.start_ns = realtime_ns();
    }
    if (const int error = rejoin(); error != 0) {
        problem_ = "the runner cannot go back to the file system and network of the host";
        return TrialEnd::bad_launch;
    }
    return end;
}

/// Takes the runner apart from the host, as far as the launch says; `rejoin` takes it back, also from half of
/// the way.
SetupFailure TrialRunner::separate(const Launch& launch) {
    if (launch.network_off) {
        if (const int error = network_.enter(); error != 0) {
            return {Step::network, error};
        }
    }
    if (launch.root_path[0] != '\0') {
        surroundings_.release(); // of the host's root
        if (const int error = root_.enter(launch.root_path); error != 0) {
            return {Step::root, error};
        }
    }
    return {};
}

/// 0 or errno.
int TrialRunner::rejoin() {
    if (program_.launch.root_path[0] != '\0') {
        surroundings_.release();
        metrics_directory_.release();
        if (const int error = root_.leave(); error != 0) {
            return error;
        }
    }
    return network_.leave();
}

TrialEnd TrialRunner::run_with_hooks() {
    // Before any command of the trial runs that could put another directory there; `empty_metrics` says
    // errors.
    if (program_.launch.metrics_path[0] != '\0') {
        metrics_directory_.hold_parent(program_.launch.metrics_path);
    }
    TrialEnd end = run_all(program_.launch.prepare, program_.launch.prepare_count, Purpose::prepare);
    if (end == TrialEnd::finished && !failed()) {
        end = run_program();
    }
    // Always, also after a failure or a stop: it gives back what prepare took.
    const TrialEnd cleanup =
        run_all(program_.launch.cleanup, program_.launch.cleanup_count, Purpose::cleanup);
    if (end == TrialEnd::finished) {
        end = cleanup;
    }

    kept_.drop_of_trial();
    if (program_.launch.prepare_count + program_.launch.cleanup_count > 0 && reap_and_look(kept_) &&
        !end_descendants(kept_).complete) {
        return TrialEnd::cannot_end;
    }
    return end;
}

TrialEnd TrialRunner::run_program() {
    Record& record = frame_.record;
    if (const int error = empty_metrics(); error != 0) {
        refuse_metrics(error);
        return TrialEnd::finished;
    }
    watch_files();
    group_.create(program_.launch);
    const bool is_whole =
        execute(program_.launch, surroundings_, captures_, Purpose::trial, group_, record, values_);
    if (reap_and_look(kept_)) {
        const Ended ended = end_descendants(kept_);
        record.left_processes = ended.processes;
        if (!ended.complete) {
            return TrialEnd::cannot_end;
        }
    }
    group_.remove();
    if (!is_whole) {
        return TrialEnd::stopped;
    }
    if (record.status != Status::setup_failed) {
        note_outputs(program_.launch);
        note_metrics();
        note_digests();
        record.counter_count = program_.launch.counter_count;
        frame_.counters = program_.launch.counters;
        frame_.values = values_;
    }
    return TrialEnd::finished;
}

TrialEnd TrialRunner::run_all(const std::uint32_t* hooks, std::uint32_t count, Purpose purpose) {
    for (std::uint32_t i = 0; i < count; ++i) {
        const TrialEnd end = run_one(hooks[i], purpose);
        if (end != TrialEnd::finished) {
            return end;
        }
        if (purpose == Purpose::prepare && failed()) {
            break;
        }
    }
    return TrialEnd::finished;
}

TrialEnd TrialRunner::run_one(std::uint32_t hook, Purpose purpose) {
    if (!load(hook, frame_.record.trial, hook_)) {
        return TrialEnd::bad_launch;
    }
    hook_.launch.counter_count = 0;
    Record record;
    if (!execute(hook_.launch, surroundings_, hook_captures_, purpose, group_, record, nullptr)) {
        return end_descendants(kept_).complete ? TrialEnd::stopped : TrialEnd::cannot_end;
    }
    if (record.status == Status::ok && record.exit_code == 0) {
        if (reap_and_look(kept_)) {
            kept_.keep_children(purpose == Purpose::prepare || purpose == Purpose::cleanup);
        }
        return TrialEnd::finished;
    }
    if (reap_and_look(kept_)) {
        const Ended ended = end_descendants(kept_);
        record.left_processes = ended.processes;
        if (!ended.complete) {
            return TrialEnd::cannot_end;
        }
    }
    if (!failed()) { // the first failure is the one to tell
        note_failed_hook(hook, record);
    }
    return TrialEnd::finished;
}

TrialEnd TrialRunner::run_hook(std::uint32_t launch, Purpose purpose) {
    begin();
    return run_one(launch, purpose);
}

void TrialRunner::note_failed_hook(std::uint32_t hook, const Record& record) {
    const std::uint64_t trial = frame_.record.trial;
    const std::uint32_t launch = frame_.record.launch;
    frame_ = {};
    frame_.record = record;
    frame_.record.trial = trial;
    frame_.record.launch = launch;
    frame_.record.status = Status::hook_failed;
    frame_.record.hook = hook;
    frame_.record.hook_status = record.status;
    std::swap(captures_, hook_captures_); // later hooks do not overwrite what this one said
    swapped_ = true;
    if (record.status != Status::setup_failed) {
        note_outputs(hook_.launch);
    }
}

void TrialRunner::note_outputs(const Launch& launch) {
    Record& record = frame_.record;
    const std::uint64_t limit = launch.capture_limit_bytes;
    const bool nobody_writes = kept_.empty();
    const StreamSize out = stream_size(launch.stdout_mode, 1, captures_.out, limit, nobody_writes);
    const StreamSize err = stream_size(launch.stderr_mode, 2, captures_.err, limit, nobody_writes);
    record.stdout_bytes = out.written;
    record.stdout_kept = out.kept_bytes;
    frame_.stdout_fd = captures_.out.fd();
    record.stderr_bytes = err.written;
    record.stderr_kept = err.kept_bytes;
    frame_.stderr_fd = captures_.err.fd();
}

/// An empty file where the program may write its metrics. 0 or errno.
int TrialRunner::empty_metrics() {
    const char* const path = program_.launch.metrics_path;
    if (path[0] == '\0') {
        return 0;
    }
    if (const int error = metrics_directory_.hold_parent(path); error != 0) {
        return error;
    }
    const int fd = metrics_directory_.directory().open_plain(file_name(path), O_WRONLY | O_CREAT | O_TRUNC);
    if (fd < 0) {
        return -fd;
    }
    close(fd);
    return 0;
}

void TrialRunner::refuse_metrics(int error) {
    frame_.record.status = Status::setup_failed;
    frame_.record.step = Step::metrics_file;
    frame_.record.error = error;
}

void TrialRunner::note_metrics() {
    if (program_.launch.metrics_path[0] == '\0') {
        return;
    }
    const int fd =
        metrics_directory_.directory().open_plain(file_name(program_.launch.metrics_path), O_RDONLY);
    if (fd < 0) {
        if (fd != -ENOENT) {
            refuse_metrics(-fd);
        }
        return;
    }
    metrics_fd_ = fd;
    struct stat file{};
    if (fstat(fd, &file) != 0) {
        return;
    }
    Record& record = frame_.record;
    record.metrics_bytes = static_cast<std::uint64_t>(file.st_size);
    record.metrics_kept = static_cast<std::uint32_t>(std::min(record.metrics_bytes, metrics_limit_bytes));
    frame_.metrics_fd = metrics_fd_;
}

void TrialRunner::watch_files() {
    for (std::uint32_t i = 0; i < program_.launch.file_count; ++i) {
        watched_[i].watch(program_.launch.files[i]);
    }
}

void TrialRunner::note_digests() {
    const Launch& launch = program_.launch;
    if (!launch.wants_digests) {
        return;
    }
    Record& record = frame_.record;
    digests_[0] = digest_stream(launch.stdout_mode, captures_.out, record.stdout_bytes);
    digests_[1] = digest_stream(launch.stderr_mode, captures_.err, record.stderr_bytes);
    for (std::uint32_t i = 0; i < launch.file_count; ++i) {
        digests_[2 + i] = watched_[i].digest(launch.files[i]);
    }
    record.digest_count = static_cast<std::uint8_t>(2 + launch.file_count);
    frame_.digests = digests_;
}

void TrialRunner::close_metrics() {
    if (metrics_fd_ >= 0) {
        close(metrics_fd_);
    }
    metrics_fd_ = -1;
}

void TrialRunner::release() {
    wake_never();
    close_metrics();
    surroundings_.release();
    program_.id.reset(); // before the next batch, numbers may come to stand for other launches
    hook_.id.reset();
    for (Capture* const capture :
         {&captures_.out, &captures_.err, &hook_captures_.out, &hook_captures_.err}) {
        static_cast<void>(capture->reset()); // gives back its memory; before its next use it is reset again
    }
}

void TrialRunner::end_everything() {
    KeptProcesses none;
    end_descendants(none);
    host_.restore();
}

} // namespace steelyard
