#include "host/backup/Files.h"

#include "host/base/Digests.h"
#include "host/base/FileDescriptor.h"
#include "host/base/ReadFiles.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <grp.h>
#include <span>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace portico::host::backup
{

User User::of(uid_t id, gid_t group)
{
    User user{id, group, {group}};
    const auto name = nameOfUser(id);
    if (!name) return user;
    int count = 0;
    ::getgrouplist(name->c_str(), group, nullptr, &count);
    std::vector<gid_t> groups(static_cast<std::size_t>(count));
    if (::getgrouplist(name->c_str(), group, groups.data(), &count) >= 0) user.groups = std::move(groups);
    return user;
}

ScopedUser::ScopedUser(const std::optional<User>& user)
{
    if (!user || user->id == 0 || ::geteuid() != 0) return;
    _group = ::getegid();
    _groups.resize(static_cast<std::size_t>(::getgroups(0, nullptr)));
    if (::getgroups(static_cast<int>(_groups.size()), _groups.data()) < 0) throwErrno(errno, "read the groups of", "/proc/self");
    _acting = true;
    if (::setgroups(user->groups.size(), user->groups.data()) == 0 && ::setegid(user->group) == 0 && ::seteuid(user->id) == 0) return;
    const auto error = errno;
    becomeRoot();
    throw Refused("io_failed", "Cannot act as user " + std::to_string(user->id) +
                                   ", whose files these are: " + std::generic_category().message(error) + ". Do this as that user.");
}

ScopedUser::~ScopedUser()
{
    if (_acting) becomeRoot();
}

void ScopedUser::becomeRoot() const noexcept
{
    // Without the way back, later files would be written as the wrong user.
    if (::seteuid(0) != 0 || ::setegid(_group) != 0 || ::setgroups(_groups.size(), _groups.data()) != 0) std::abort();
}

void throwErrno(int error, const std::string& what, const std::filesystem::path& path)
{
    const bool full = error == ENOSPC || error == EDQUOT;
    throw Refused(full ? "disk_full" : "io_failed", "Cannot " + what + " " + path.string() + ": " + std::generic_category().message(error) +
                                                        (full ? ". Make room, or choose another place." : "."));
}

namespace
{

constexpr std::size_t pieceBytes = 256 * 1024;

void writeAll(int descriptor, std::span<const char> data, const std::filesystem::path& path)
{
    while (!data.empty())
    {
        const auto written = ::write(descriptor, data.data(), data.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throwErrno(errno, "write", path);
        data = data.subspan(static_cast<std::size_t>(written));
    }
}

FileDescriptor createNew(const std::filesystem::path& path, const std::optional<User>& writer = {})
{
    const ScopedUser acting(writer);
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!file) throwErrno(errno, "create", path);
    return file;
}

/// With the reason in errno where it cannot be opened.
FileDescriptor openToRead(const std::filesystem::path& file, const std::optional<User>& reader)
{
    FileDescriptor in;
    int error = 0;
    {
        const ScopedUser acting(reader);
        // Without O_NONBLOCK, opening a pipe in the backup would block.
        in = FileDescriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        error = errno;
    }
    errno = error;
    return in;
}

/// Reads `from` to its end and hands every piece to `take`.
template <class Take>
std::optional<FileSum> readAll(const std::filesystem::path& from, Take&& take, Owner owner = Owner::Anybody,
                               const std::optional<User>& reader = {})
{
    const auto in = openToRead(from, reader);
    if (!in && errno == ENOENT) return std::nullopt;
    if (!in && errno == ELOOP)
        throw Refused("io_failed", from.string() + " is a link, and none is followed here: put the file itself there, or remove it.");
    if (!in) throwErrno(errno, "read", from);
    struct stat status = {};
    if (::fstat(in.get(), &status) != 0 || !S_ISREG(status.st_mode)) throw Refused("io_failed", from.string() + " is not a regular file.");
    if (owner == Owner::Self && status.st_uid != ::geteuid())
        throw Refused("foreign", from.string() + " belongs to user " + std::to_string(status.st_uid) + ", and this is user " +
                                     std::to_string(::geteuid()) + ". Do this as that user.");
    std::vector<char> buffer(pieceBytes);
    Sha256 digest;
    FileSum sum;
    for (;;)
    {
        const auto count = ::read(in.get(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throwErrno(errno, "read", from);
        if (count == 0) break;
        const auto piece = std::span<const char>(buffer).first(static_cast<std::size_t>(count));
        digest.update(piece);
        sum.bytes += piece.size();
        take(piece);
    }
    sum.sha256 = digest.hex();
    return sum;
}

/// Maximum bytes that wait for the disk.
constexpr std::uint64_t writtenAtOnce = 4 * 1024 * 1024;
constexpr std::chrono::seconds betweenTicks{1};

// linux/ioprio.h is not everywhere.
constexpr int ioPriorityOfProcess = 1;
constexpr int idleIoPriority = 3 << 13;

} // namespace

std::optional<FileSum> copyFile(const std::filesystem::path& from, const std::filesystem::path& to, Throttle& throttle,
                                const Rights& rights)
{
    FileDescriptor out;
    const auto sum = readAll(
        from,
        [&](std::span<const char> piece)
        {
            if (!out) out = createNew(to, rights.writer);
            writeAll(out.get(), piece, to);
            throttle.passed(piece.size(), out.get());
        },
        Owner::Anybody, rights.reader);
    if (sum && !out) out = createNew(to, rights.writer);
    return sum;
}

std::optional<FileSum> sumOf(const std::filesystem::path& file, Throttle& throttle)
{
    return readAll(file, [&](std::span<const char> piece) { throttle.passed(piece.size(), -1); });
}

void writeFile(const std::filesystem::path& file, std::string_view content)
{
    const auto out = createNew(file);
    writeAll(out.get(), content, file);
    if (::fsync(out.get()) != 0) throwErrno(errno, "sync", file);
}

std::string readFile(const std::filesystem::path& file, const std::optional<User>& reader, Owner owner)
{
    std::string content;
    const auto take = [&](std::span<const char> piece) { content.append(piece.begin(), piece.end()); };
    if (!readAll(file, take, owner, reader)) throwErrno(ENOENT, "read", file);
    return content;
}

std::string utcText(std::time_t moment, const char* form)
{
    std::tm fields{};
    ::gmtime_r(&moment, &fields);
    char text[40];
    std::strftime(text, sizeof text, form, &fields);
    return text;
}

void makeFolders(const std::filesystem::path& folder)
{
    if (folder.empty() || std::filesystem::is_directory(folder)) return;
    makeFolders(folder.parent_path());
    if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) throwErrno(errno, "make the folder", folder);
}

void moveDurably(const std::filesystem::path& from, const std::filesystem::path& to)
{
    if (::rename(from.c_str(), to.c_str()) != 0) throwErrno(errno, "rename " + from.string() + " to", to);
    syncFolder(to.parent_path());
    if (from.parent_path() != to.parent_path()) syncFolder(from.parent_path());
}

void syncFolder(const std::filesystem::path& folder)
{
    const FileDescriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory || ::fsync(directory.get()) != 0) throwErrno(errno, "sync", folder);
}

void syncFileSystem(const std::filesystem::path& path)
{
    const FileDescriptor any(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!any || ::syncfs(any.get()) != 0) throwErrno(errno, "sync", path);
}

void forEachFile(const std::filesystem::path& folder, const std::function<void(const std::filesystem::path&)>& visit,
                 const std::optional<User>& reader)
{
    using std::filesystem::file_type;
    std::error_code error;
    std::optional<ScopedUser> acting(std::in_place, reader);
    const auto type = std::filesystem::status(folder, error).type();
    if (type == file_type::not_found) return;
    if (type != file_type::directory) throwErrno(error ? error.value() : ENOTDIR, "read the folder", folder);
    std::filesystem::recursive_directory_iterator each(folder, error);
    for (const std::filesystem::recursive_directory_iterator end; !error && each != end;)
    {
        std::error_code gone;
        const auto found = each->symlink_status(gone).type();
        acting.reset();
        if (found == file_type::regular || found == file_type::not_found)
            visit(each->path().lexically_relative(folder));
        else if (found != file_type::directory)
            throw Refused("io_failed", each->path().string() + " is neither a file nor a folder, and does not belong there: remove it.");
        acting.emplace(reader);
        each.increment(error);
    }
    if (error) throwErrno(error.value(), "read the folder", folder);
}

Throttle::Throttle(std::uint64_t bytesPerSecond, Tick tick) : _bytesPerSecond(bytesPerSecond), _tick(std::move(tick)) {}

void Throttle::passed(std::uint64_t bytes, int descriptor)
{
    _done += bytes;
    _unsaid += bytes;
    if (descriptor >= 0 && _unsaid >= writtenAtOnce)
    {
        ::sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
        _unsaid = 0;
    }
    if (_bytesPerSecond > 0)
    {
        const auto due = _begun + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(static_cast<double>(_done) / static_cast<double>(_bytesPerSecond)));
        std::this_thread::sleep_until(std::min(due, Clock::now() + betweenTicks));
    }
    if (Clock::now() - _lastTick < betweenTicks) return;
    _lastTick = Clock::now();
    if (_tick) _tick(_done);
}

void yieldToOthers() noexcept
{
    // Errors are ignored: without the permission, the copy runs at normal priority.
    ::setpriority(PRIO_PROCESS, 0, 19);
    ::syscall(SYS_ioprio_set, ioPriorityOfProcess, 0, idleIoPriority);
}

} // namespace portico::host::backup
