#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace portico::host::backup
{

/// A user of the system with his groups. A value.
struct User
{
    uid_t id = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;

    /// `groups` are those of the user database; only `group` for a user who is not in it.
    static User of(uid_t id, gid_t group);
};

/// While it lives, root opens, makes, renames and removes files with no more rights than somebody else: where the daemon's user may put a
/// link or swap a folder, root must not be led to what is none of that user's. Does nothing for a process that is not root's, for root, and
/// for nobody. Changes the whole process: for programs with one thread that touches files. Descriptors that are open stay usable.
class ActingAs
{
public:
    /// @throws Failure
    explicit ActingAs(const std::optional<User>& user);
    ~ActingAs();
    ActingAs(const ActingAs&) = delete;
    ActingAs& operator=(const ActingAs&) = delete;

private:
    void becomeRoot() const noexcept;

    bool _acting = false;
    gid_t _group = 0;
    std::vector<gid_t> _groups;
};

} // namespace portico::host::backup
