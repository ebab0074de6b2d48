#include "host/backup/ActingAs.h"

#include "host/backup/Failure.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <grp.h>
#include <pwd.h>
#include <system_error>
#include <unistd.h>

namespace portico::host::backup
{

User User::of(uid_t id, gid_t group)
{
    User user{id, group, {group}};
    std::array<char, 4096> buffer;
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(id, &entry, buffer.data(), buffer.size(), &found) != 0 || !found) return user;
    int count = 0;
    ::getgrouplist(found->pw_name, group, nullptr, &count);
    std::vector<gid_t> groups(static_cast<std::size_t>(count));
    if (::getgrouplist(found->pw_name, group, groups.data(), &count) >= 0) user.groups = std::move(groups);
    return user;
}

ActingAs::ActingAs(const std::optional<User>& user)
{
    if (!user || user->id == 0 || ::geteuid() != 0) return;
    _group = ::getegid();
    _groups.resize(static_cast<std::size_t>(::getgroups(0, nullptr)));
    if (::getgroups(static_cast<int>(_groups.size()), _groups.data()) < 0) throwErrno(errno, "read the groups of", "/proc/self");
    _acting = true;
    if (::setgroups(user->groups.size(), user->groups.data()) == 0 && ::setegid(user->group) == 0 && ::seteuid(user->id) == 0) return;
    const auto error = errno;
    becomeRoot();
    throw Failure("io_failed", "Cannot act as user " + std::to_string(user->id) +
                                   ", whose files these are: " + std::generic_category().message(error) + ". Do this as that user.");
}

ActingAs::~ActingAs()
{
    if (_acting) becomeRoot();
}

void ActingAs::becomeRoot() const noexcept
{
    // Who cannot go back would write what follows as the wrong user.
    if (::seteuid(0) != 0 || ::setegid(_group) != 0 || ::setgroups(_groups.size(), _groups.data()) != 0) std::abort();
}

} // namespace portico::host::backup
