// The only way to files that a measured program can replace: by a name in a directory that is open, without
// following a link, and only if the name leads to a plain file that has no other name. Whatever else is there
// is neither opened nor changed, so that no program makes the runner write to a file elsewhere.
#pragma once

#include <cerrno>
#include <climits>
#include <cstdint>
#include <sys/stat.h>

namespace steelyard {

/// Kinds that are no plain file with one name, as numbers of errors that nothing else here gives;
/// `src/steelyard/files/plain.py` has their words.
struct NotPlain {
    static constexpr int link = ELOOP;
    static constexpr int directory = EISDIR;
    static constexpr int pipe = ESPIPE;
    static constexpr int device = ENOTBLK;
    static constexpr int socket = ENOTSOCK;
    static constexpr int several_names = EMLINK;
    static constexpr int behind_link = ENOTDIR; ///< or behind a file
};

/// Whether an error is a kind.
bool is_not_plain(int error);

/// 0, or the kind of it that is not a plain file with one name.
int refuse_kind(const struct stat& file);

/// Links on the way to a directory.
enum class Links : std::uint8_t {
    followed,
    not_to_last, ///< the directory itself is none: it is one of ours
    refused,     ///< wherever on the way
};

/// A directory that is open.
class Directory {
  public:
    Directory() = default;
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    Directory(Directory&&) = delete;
    Directory& operator=(Directory&&) = delete;
    ~Directory() { release(); }

    /// Opens the directory of `path`, which has a slash. 0 or errno; ENOTDIR of a link that is not followed.
    int open_parent(const char* path, Links links);

    /// Opens a plain file in it: `flags` as for open(2). It is emptied (O_TRUNC) only when it was found to be
    /// one, and created (O_CREAT) only where nothing is. The descriptor, or -errno.
    [[nodiscard]] int open_plain(const char* name, int flags) const;

    [[nodiscard]] bool is_open() const { return fd_ >= 0; }
    void release();

  private:
    int open_parts(char* parts);

    int fd_ = -1;
};

/// The directory of a file that programs are given by path, opened when it is first asked for, before any of
/// them runs: whatever they put in its place later, it stays the same.
class HeldDirectory {
  public:
    /// 0 or errno.
    int hold_parent(const char* path);
    /// Lets go of it: the next call looks for it again.
    void release() { directory_.release(); }
    [[nodiscard]] const Directory& directory() const { return directory_; }

  private:
    Directory directory_;
    char parent_[PATH_MAX] = {}; ///< with its slash
};

/// What follows the last slash of a path.
const char* file_name(const char* path);

/// As `Directory::open_plain`, of a path whose directory is opened anew.
int open_plain_path(const char* path, int flags, Links links);

} // namespace steelyard
