#include "launch.hpp"

#include "byte_reader.hpp"

#include <string_view>

namespace steelyard {

namespace {

enum Flags : std::uint8_t {
    flag_aslr_off = 1,
    flag_nice = 2,
    flag_affinity = 4,
    flag_extended = 8,
    flag_inherit = 16,
    flag_queue_wait = 32,
    flag_digests = 64,
    flag_confined = 128
};

struct Head {
    std::uint64_t timeout_ns;
    std::uint64_t capture_limit_bytes;
    std::int32_t nice;
    std::uint8_t flags;
    std::uint8_t stdout_mode;
    std::uint8_t stderr_mode;
    std::uint8_t reserved;
    std::uint32_t cpus;
    std::uint32_t prepare;
    std::uint32_t cleanup;
    std::uint32_t counters;
    std::uint32_t argv;
    std::uint32_t env;
};
static_assert(sizeof(Head) == 48);

bool read_text(ByteReader& reader, char*& text) {
    std::uint32_t length = 0;
    return reader.read_text(text, length);
}

bool read_ids(ByteReader& reader, std::uint32_t count, std::uint32_t* ids) {
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!reader.read(ids[i])) {
            return false;
        }
    }
    return true;
}

/// `bytes` grows by what each text takes on the stack of the new program.
bool read_texts(ByteReader& reader, std::uint32_t count, char** texts, std::uint32_t& bytes) {
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint32_t length = 0;
        if (!reader.read_text(texts[i], length)) {
            return false;
        }
        bytes += length + 1 + static_cast<std::uint32_t>(sizeof(char*));
    }
    texts[count] = nullptr;
    return true;
}

/// The runner's own environment behind what the frame has.
void add_environment(std::span<char* const> inherited, Launch& launch, std::uint32_t& count) {
    for (char* const entry : inherited) {
        launch.env[count++] = entry;
        launch.env_bytes += static_cast<std::uint32_t>(std::string_view(entry).size() + 1 + sizeof(char*));
    }
    launch.env[count] = nullptr;
}

bool read_affinity(ByteReader& reader, std::uint32_t count, cpu_set_t& set) {
    CPU_ZERO(&set);
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint32_t cpu = 0;
        if (!reader.read(cpu) || cpu >= LaunchLimits::cpus) {
            return false;
        }
        CPU_SET(cpu, &set);
    }
    return true;
}

struct CounterFields {
    std::uint64_t config;
    std::uint64_t config1;
    std::uint64_t config2;
    double scale;
    std::uint32_t type;
    std::uint32_t source;
    std::uint32_t cpu;
    std::uint32_t reserved;
};
static_assert(sizeof(CounterFields) == 48);

bool read_counters(ByteReader& reader, Launch& launch) {
    for (std::uint32_t i = 0; i < launch.counter_count; ++i) {
        CounterRequest& counter = launch.counters[i];
        CounterFields fields{};
        char* name = nullptr;
        char* path = nullptr;
        if (!reader.read(fields) || fields.source > static_cast<std::uint32_t>(CounterSource::group_memory) ||
            !reader.read_text(name, counter.name_length) || counter.name_length > 255 ||
            !read_text(reader, path)) {
            return false;
        }
        counter.source = static_cast<CounterSource>(fields.source);
        counter.type = fields.type;
        counter.cpu = fields.cpu;
        counter.config = fields.config;
        counter.config1 = fields.config1;
        counter.config2 = fields.config2;
        counter.scale = fields.scale;
        counter.name = name;
        counter.path = path;
    }
    return true;
}

/// What few launches have, behind everything else, so that the frames of all others stay as they are.
struct Extension {
    std::int32_t policy;
    std::int32_t realtime_priority;
    std::uint8_t huge_pages_off;
    std::uint8_t file_count;
    std::uint16_t stack_mib;
    std::uint32_t host_count;
};
static_assert(sizeof(Extension) == 16);

char no_text[] = "";

bool read_extension(ByteReader& reader, Launch& launch) {
    Extension extension{};
    if (!reader.read(extension) || extension.host_count > LaunchLimits::host_settings ||
        extension.file_count > LaunchLimits::files) {
        return false;
    }
    launch.policy = extension.policy;
    launch.realtime_priority = extension.realtime_priority;
    launch.huge_pages_off = extension.huge_pages_off != 0;
    launch.stack_mib = extension.stack_mib;
    launch.host_count = extension.host_count;
    launch.file_count = extension.file_count;
    if (!read_text(reader, launch.cwd_source)) {
        return false;
    }
    for (std::uint32_t i = 0; i < launch.host_count; ++i) {
        if (!read_text(reader, launch.host[i].path) || !read_text(reader, launch.host[i].value)) {
            return false;
        }
    }
    for (std::uint32_t i = 0; i < launch.file_count; ++i) {
        if (!read_text(reader, launch.files[i])) {
            return false;
        }
    }
    return true;
}

/// What launches with limits, or apart from the host, have behind that.
struct Confinement {
    std::uint64_t cpu_limit_ns;
    std::uint64_t memory_limit_bytes;
    std::uint64_t network_off;
};
static_assert(sizeof(Confinement) == 24);

bool read_confinement(ByteReader& reader, Launch& launch) {
    Confinement confinement{};
    if (!reader.read(confinement) || !read_text(reader, launch.group_path) ||
        !read_text(reader, launch.root_path)) {
        return false;
    }
    launch.cpu_limit_ns = confinement.cpu_limit_ns;
    launch.memory_limit_bytes = confinement.memory_limit_bytes;
    launch.network_off = confinement.network_off != 0;
    return !has_limits(launch) || launch.group_path[0] != '\0';
}

char* find_trial_digits(char** env) {
    for (; *env != nullptr; ++env) {
        const std::string_view entry(*env);
        if (entry.starts_with("STEELYARD_TRIAL=") && entry.size() >= 16 + trial_digit_count) {
            return *env + entry.size() - trial_digit_count;
        }
    }
    return nullptr;
}

} // namespace

const char* decode_launch(std::span<char> frame, std::span<char* const> inherited, std::span<char> pointers,
                          Launch& launch) {
    ByteReader reader(frame);
    Head head{};
    if (!reader.read(head)) {
        return "launch: the frame ends in its head";
    }
    if (head.stdout_mode > 2 || head.stderr_mode > 2) {
        return "launch: unknown output mode";
    }
    if (head.cpus > LaunchLimits::cpus || head.prepare > LaunchLimits::hooks ||
        head.cleanup > LaunchLimits::hooks || head.counters > LaunchLimits::counters) {
        return "launch: too many CPUs, hooks or counters";
    }
    if ((head.flags & flag_inherit) == 0) {
        inherited = {};
    }
    const std::size_t slots = std::size_t{head.argv} + head.env + inherited.size() + 2;
    if (pointers.size() < slots * sizeof(char*)) {
        return "launch: more arguments than the frame can hold";
    }

    launch.timeout_ns = head.timeout_ns;
    launch.capture_limit_bytes = head.capture_limit_bytes;
    launch.nice = head.nice;
    launch.has_nice = (head.flags & flag_nice) != 0;
    launch.aslr_off = (head.flags & flag_aslr_off) != 0;
    launch.has_affinity = (head.flags & flag_affinity) != 0;
    launch.wants_queue_wait = (head.flags & flag_queue_wait) != 0;
    launch.wants_digests = (head.flags & flag_digests) != 0;
    launch.stdout_mode = static_cast<Output>(head.stdout_mode);
    launch.stderr_mode = static_cast<Output>(head.stderr_mode);
    launch.prepare_count = head.prepare;
    launch.cleanup_count = head.cleanup;
    launch.counter_count = head.counters;
    launch.argv = reinterpret_cast<char**>(pointers.data());
    launch.env = launch.argv + head.argv + 1;
    launch.env_bytes = 0;
    launch.huge_pages_off = false;
    launch.stack_mib = 0;
    launch.policy = -1;
    launch.realtime_priority = 0;
    launch.cwd_source = no_text;
    launch.host_count = 0;
    launch.file_count = 0;
    launch.cpu_limit_ns = 0;
    launch.memory_limit_bytes = 0;
    launch.network_off = false;
    launch.group_path = no_text;
    launch.root_path = no_text;

    std::uint32_t path_length = 0;
    if (!read_affinity(reader, head.cpus, launch.affinity) ||
        !read_ids(reader, head.prepare, launch.prepare) || !read_ids(reader, head.cleanup, launch.cleanup) ||
        !read_counters(reader, launch) || !reader.read_text(launch.path, path_length) ||
        !read_text(reader, launch.cwd) || !read_text(reader, launch.stdin_path) ||
        !read_text(reader, launch.stdout_path) || !read_text(reader, launch.stderr_path) ||
        !read_text(reader, launch.metrics_path)) {
        return "launch: the frame ends too early or a text holds a NUL";
    }
    launch.argv_bytes = path_length + 1;
    if (!read_texts(reader, head.argv, launch.argv, launch.argv_bytes) ||
        !read_texts(reader, head.env, launch.env, launch.env_bytes)) {
        return "launch: the frame ends in its arguments or environment";
    }
    add_environment(inherited, launch, head.env);
    if ((head.flags & flag_extended) != 0 && !read_extension(reader, launch)) {
        return "launch: the frame ends in its extension";
    }
    if ((head.flags & flag_confined) != 0 && !read_confinement(reader, launch)) {
        return "launch: the frame ends in its limits, or these have no control group";
    }
    if (!reader.at_end()) {
        return "launch: the frame goes on behind its last text";
    }
    launch.trial_digits = find_trial_digits(launch.env);
    return nullptr;
}

} // namespace steelyard
