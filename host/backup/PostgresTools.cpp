#include "host/backup/PostgresTools.h"

#include "host/backup/Files.h"
#include "host/base/FileDescriptor.h"
#include "host/base/Random.h"
#include "host/base/Text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <grp.h>
#include <optional>
#include <poll.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace portico::host::backup
{

namespace
{

constexpr int tickMilliseconds = 200;
/// Maximum length of a program's error output.
constexpr std::size_t keptText = 64 * 1024;

constexpr const char* listSchemas = "SELECT n.nspname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                                    "WHERE c.relname = 'portico_migration' AND n.nspname NOT LIKE '%before_restore%' ORDER BY 1";

std::optional<std::filesystem::path> inPath(const std::string& program)
{
    const char* path = std::getenv("PATH");
    std::istringstream in(path ? path : "");
    for (std::string folder; std::getline(in, folder, ':');)
        if (const auto file = std::filesystem::path(folder) / program; ::access(file.c_str(), X_OK) == 0) return file;
    return std::nullopt;
}

int versionOf(const std::filesystem::path& folder) { return std::atoi(folder.filename().c_str()); }

std::filesystem::path find(const std::string& program, const std::string& url)
{
    std::vector<std::filesystem::path> versions;
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", absent)) versions.push_back(entry.path());
    std::sort(versions.begin(), versions.end(), [](const auto& left, const auto& right) { return versionOf(left) > versionOf(right); });
    // PATH comes last: Debian's program there is a wrapper that selects the oldest fitting version.
    for (const auto& version : versions)
        if (const auto file = version / "bin" / program; ::access(file.c_str(), X_OK) == 0) return file;
    if (const auto file = inPath(program)) return *file;
    throw Refused("no_postgresql_tools",
                  "There is no " + program + " here, which copies a PostgreSQL database. Install PostgreSQL's client programs (Debian: " +
                      "postgresql-client), or run 'pg_dump --file=FILE \"" + url +
                      "\"' where they are, and only then copy the folders blobs and secrets of the state directory.");
}

std::string quoted(const std::string& name) { return inQuotes(name, '"'); }

/// Commands that pg_dump of 2025 and later writes around a dump. They are left out here; psql gets one with a secret word instead.
constexpr std::string_view restrictCommand = "\\restrict ";
constexpr std::string_view unrestrictCommand = "\\unrestrict ";

/// Letters and digits that no dump knows beforehand.
std::string secretWord()
{
    std::string word;
    for (const auto byte : randomBytes(20)) word += static_cast<char>('a' + static_cast<unsigned char>(byte) % 26);
    return word;
}

/// Returns the beginning of a dump, which sets up the session and creates the schemas, without the creation of existing schemas. Moves the
/// descriptor behind it.
std::string takeHead(const std::filesystem::path& dump, int descriptor)
{
    constexpr std::string_view command = "CREATE SCHEMA ";
    std::ifstream in(dump, std::ios::binary);
    std::string head;
    std::string taken;
    std::streamoff behind = 0;
    for (std::string line; std::getline(in, line);)
    {
        if (line.starts_with(restrictCommand))
        {
            taken = head;
            behind = in.tellg();
            continue;
        }
        const bool makesSchema = line.starts_with(command);
        // pg_dump writes the schemas first.
        if (!makesSchema && line.starts_with("CREATE ")) break;
        head += makesSchema ? "CREATE SCHEMA IF NOT EXISTS " + line.substr(command.size()) : line;
        head += '\n';
        if (!makesSchema) continue;
        taken = head;
        behind = in.tellg();
    }
    if (::lseek(descriptor, behind, SEEK_SET) < 0) throwErrno(errno, "read", dump);
    return taken;
}

/// Where a dump ends, without the command that ends its restriction.
std::uint64_t endOf(const std::filesystem::path& dump)
{
    constexpr std::streamoff farthest = 1024;
    std::ifstream in(dump, std::ios::binary | std::ios::ate);
    const std::streamoff size = in.tellg();
    if (size < 0) throwErrno(EIO, "read", dump);
    const auto begin = std::max<std::streamoff>(0, size - farthest);
    in.seekg(begin);
    std::string tail(static_cast<std::size_t>(size - begin), '\0');
    in.read(tail.data(), static_cast<std::streamsize>(tail.size()));
    const auto at = tail.rfind("\n" + std::string(unrestrictCommand));
    return static_cast<std::uint64_t>(at == std::string::npos ? size : begin + static_cast<std::streamoff>(at) + 1);
}

/// A file without a name, for programs that are started from here.
FileDescriptor unnamedFile(const std::string& content)
{
    FileDescriptor file(::memfd_create("portico", 0));
    if (!file || ::write(file.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size()))
        throwErrno(errno, "make", "a file in memory");
    return file;
}

/// For good, in the child of a fork. False if it cannot be.
bool drop(const std::optional<User>& user)
{
    if (!user || user->id == 0 || ::geteuid() != 0) return true;
    for (const char* of : {"HOME", "PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSERVICEFILE"}) ::unsetenv(of);
    return ::setgroups(user->groups.size(), user->groups.data()) == 0 && ::setgid(user->group) == 0 && ::setuid(user->id) == 0 &&
           ::chdir("/") == 0;
}

/// The child of a fork: never returns.
[[noreturn]] void become(const std::filesystem::path& program, std::vector<std::string> words, const PostgresAddress& address, int input,
                         int output, int errors)
{
    ::dup2(output, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    ::dup2(input >= 0 ? input : ::open("/dev/null", O_RDONLY), STDIN_FILENO);
    if (!drop(address.user)) ::_exit(126);
    // A load must not commit after this program was killed.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Not on the command line, which all users can read.
    if (!address.password.empty()) ::setenv("PGPASSWORD", address.password.c_str(), 1);
    ::setenv("PGCLIENTENCODING", "UTF8", 1);
    ::setenv("LC_MESSAGES", "C", 1);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
}

class Child
{
public:
    explicit Child(pid_t process) : _process(process) {}
    ~Child()
    {
        if (_process <= 0) return;
        ::kill(_process, SIGKILL);
        wait();
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    pid_t process() const noexcept { return _process; }
    /// True if it ended well.
    bool wait()
    {
        int status = 0;
        while (::waitpid(_process, &status, 0) < 0 && errno == EINTR) {}
        _process = 0;
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

private:
    pid_t _process;
};

struct Pipe
{
    FileDescriptor read;
    FileDescriptor write;
    Pipe()
    {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throwErrno(errno, "make", "a pipe");
        read = FileDescriptor(ends[0]);
        write = FileDescriptor(ends[1]);
    }
};

/// Copies a file from the descriptor's position up to `end` into a pipe, in a separate process.
class Pump
{
public:
    Pump(int file, std::uint64_t end) : _child(::fork())
    {
        if (_child.process() < 0) throwErrno(errno, "start", "a copy of this process");
        if (_child.process() == 0) copy(file, end);
        _pipe.write = FileDescriptor();
    }
    int output() const noexcept { return _pipe.read.get(); }

private:
    [[noreturn]] void copy(int file, std::uint64_t end)
    {
        // Without a reader, writes fail, so that this process ends after psql and releases the lock of the state. A signal at the end of
        // the parent could end it before psql, which would commit what it has read.
        _pipe.read.close();
        std::array<char, 64 * 1024> buffer{};
        auto at = static_cast<std::uint64_t>(::lseek(file, 0, SEEK_CUR));
        while (at < end)
        {
            const auto count = ::read(file, buffer.data(), static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), end - at)));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            write({buffer.data(), static_cast<std::size_t>(count)});
            at += static_cast<std::uint64_t>(count);
        }
        // An end that comes too early would be taken for the end.
        if (at < end) write("\n\\.\nthe dump could not be read to its end;\n");
        ::_exit(0);
    }

    void write(std::string_view text) const
    {
        while (!text.empty())
        {
            const auto count = ::write(_pipe.write.get(), text.data(), text.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) ::_exit(1);
            text.remove_prefix(static_cast<std::size_t>(count));
        }
    }

    Pipe _pipe;
    Child _child;
};

/// False at the end.
bool drain(int descriptor, std::string& text)
{
    std::array<char, 4096> buffer{};
    const auto count = ::read(descriptor, buffer.data(), buffer.size());
    if (count <= 0) return count < 0 && errno == EINTR;
    if (text.size() < keptText) text.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
}

std::string firstLines(const std::string& text)
{
    auto end = std::min(text.size(), std::size_t{600});
    while (end > 0 && text[end - 1] == '\n') --end;
    return text.substr(0, end);
}

} // namespace

std::string PostgresTools::run(const std::string& program, std::vector<std::string> arguments, int input, int output) const
{
    const auto file = find(program, _address.url);
    arguments.insert(arguments.begin(), program);
    Pipe answer;
    Pipe errors;
    const auto process = ::fork();
    if (process < 0) throwErrno(errno, "start", file);
    if (process == 0) become(file, std::move(arguments), _address, input, output < 0 ? answer.write.get() : output, errors.write.get());
    Child child(process);
    answer.write = FileDescriptor();
    errors.write = FileDescriptor();
    std::string said;
    std::string complained;
    std::array<pollfd, 2> waiting{pollfd{answer.read.get(), POLLIN, 0}, pollfd{errors.read.get(), POLLIN, 0}};
    while (waiting[0].fd >= 0 || waiting[1].fd >= 0)
    {
        ::poll(waiting.data(), waiting.size(), tickMilliseconds);
        if (_tick) _tick();
        if (waiting[0].revents != 0 && !drain(answer.read.get(), said)) waiting[0].fd = -1;
        if (waiting[1].revents != 0 && !drain(errors.read.get(), complained)) waiting[1].fd = -1;
    }
    if (!child.wait()) throw Refused("postgresql_failed", program + " failed: " + firstLines(complained));
    return said;
}

std::vector<std::string> PostgresTools::query(const std::string& sql) const
{
    std::istringstream lines(run("psql", {"-XAtq", "-v", "ON_ERROR_STOP=1", "-d", _address.url, "-c", sql}));
    std::vector<std::string> values;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty()) values.push_back(line);
    return values;
}

std::vector<std::string> PostgresTools::schemas() const { return query(listSchemas); }

void PostgresTools::dump(const std::vector<std::string>& schemas, const std::filesystem::path& target) const
{
    const FileDescriptor made(::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!made) throwErrno(errno, "create", target);
    std::vector<std::string> arguments{"--format=plain",  "--no-owner",    "--no-privileges",
                                       "--encoding=UTF8", "--extension=*", "--dbname=" + _address.url};
    for (const auto& schema : schemas) arguments.push_back("--schema=" + quoted(schema));
    run("pg_dump", std::move(arguments), -1, made.get());
}

void PostgresTools::load(const std::filesystem::path& dump, const std::vector<std::string>& inTheWay, const std::string& suffix) const
{
    std::vector<std::string> arguments{"-Xq", "-1", "-v", "ON_ERROR_STOP=1", "-d", _address.url};
    const auto first = [&arguments](const std::string& sql) { arguments.insert(arguments.end(), {"-c", sql}); };
    for (const auto& schema : inTheWay)
    {
        first("ALTER SCHEMA " + quoted(schema) + " RENAME TO " + quoted(schema + "_" + suffix));
        first("CREATE SCHEMA " + quoted(schema));
        // There is one of each in a database. What uses it elsewhere follows it.
        for (const auto& extension : query("SELECT e.extname FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON "
                                           "n.oid = e.extnamespace WHERE e.extrelocatable AND n.nspname = " +
                                           inQuotes(schema, '\'')))
            first("ALTER EXTENSION " + quoted(extension) + " SET SCHEMA " + quoted(schema));
    }
    const FileDescriptor rest(::open(dump.c_str(), O_RDONLY | O_CLOEXEC));
    if (!rest) throwErrno(errno, "read", dump);
    const auto head = unnamedFile(takeHead(dump, rest.get()));
    const Pump pump(rest.get(), endOf(dump));
    first("SET client_min_messages = warning");
    // A dump is statements of SQL. psql would also start programs and write files for one that says so.
    if (restricts()) first(std::string(restrictCommand) + secretWord());
    arguments.insert(arguments.end(), {"-f", "/dev/fd/" + std::to_string(head.get()), "-f", "-"});
    run("psql", std::move(arguments), pump.output());
}

/// Those before August 2025 do not.
bool PostgresTools::restricts() const
{
    const auto word = secretWord();
    try
    {
        run("psql", {"-Xq", "-v", "ON_ERROR_STOP=1", "-d", _address.url, "-c", std::string(restrictCommand) + word, "-c",
                     std::string(unrestrictCommand) + word});
        return true;
    }
    catch (const Refused& failure)
    {
        if (failure.code() != "postgresql_failed") throw;
        return false;
    }
}

} // namespace portico::host::backup
