#include "host/admin/Commands.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <set>

namespace portico::host::admin
{

namespace
{

/// After this time without a sign of life, the copying process has ended. A slow disk may take minutes to write the last data.
constexpr std::chrono::minutes patience{10};

constexpr const char* lost = "The daemon was restarted, or heard nothing of this backup for ten minutes: files that were removed "
                             "since may be missing in it. Make it again.";

/// Lists a folder; empty if there is no folder. @throws Refused if it cannot be read, since a backup would lack its content
std::filesystem::directory_iterator entriesOf(const std::filesystem::path& folder)
{
    std::error_code error;
    std::filesystem::directory_iterator entries(folder, error);
    if (error && error != std::errc::no_such_file_or_directory)
        throw Refused("io_failed", "Cannot read the folder " + folder.string() + ": " + error.message() + ".");
    return entries;
}

/// Lists the files of a folder by name, except those that `replaceFile` is writing; empty if there is no folder.
std::vector<std::filesystem::path> filesOf(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : entriesOf(folder))
        if (entry.is_regular_file() && entry.path().extension() != ".new") files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

json::array namesOf(const std::vector<std::filesystem::path>& files)
{
    json::array all;
    for (const auto& file : files) all.emplace_back(std::filesystem::absolute(file).string());
    return all;
}

json::array databaseFiles(const data::DatabaseSettings& settings)
{
    // Includes services that are not installed or not enabled, since their data is still needed.
    json::array all;
    for (const auto& file : filesOf(settings.directory))
        if (file.extension() == ".db") all.push_back({{"name", file.stem().string()}, {"file", std::filesystem::absolute(file).string()}});
    return all;
}

/// Includes services that are not installed, and those that have no blob yet. Other folders, such as lost+found, belong to no service.
json::array blobFolders(const CommandDependencies& parts)
{
    const auto directory = parts.platform.blobDirectory();
    std::set<std::string> services;
    for (const auto& service : parts.lifecycle.status()) services.insert(service.serviceId);
    for (const auto& entry : entriesOf(directory))
        if (const auto name = entry.path().filename().string(); !config::serviceIn("<id>.", name + ".").empty() && entry.is_directory())
            services.insert(name);
    json::array all;
    for (const auto& service : services)
        all.push_back(
            {{"service", service}, {"live", (directory / service / "data").string()}, {"held", (directory / service / "held").string()}});
    return all;
}

/// The files that settings name for secrets.
json::array secretFiles(const config::Configuration& configuration)
{
    json::array all;
    for (const auto& [key, entry] : configuration.entries())
    {
        const auto rule = configuration.catalog().find(key);
        if (rule && rule->kind == config::Kind::SecretFile && !entry.value.empty())
            all.push_back({{"key", key}, {"file", std::filesystem::absolute(entry.value).string()}});
    }
    return all;
}

/// pg_dump and psql set their session up, which a pooler in transaction mode would hand to services. @throws Refused
std::string addressForTools(const data::DatabaseSettings& settings)
{
    if (settings.sessions == data::Sessions::OfConnection) return settings.url;
    if (!settings.directUrl.empty()) return settings.directUrl;
    throw Refused("no_direct_url", "database.url leads to a pooler in transaction mode, through which PostgreSQL's programs cannot copy a "
                                   "database. Set database.directUrl to the address of PostgreSQL itself, and restart.");
}

/// Lists the databases and files that a backup contains.
json::object planOf(const CommandDependencies& parts)
{
    const auto configuration = parts.configuration.current();
    const auto& state = parts.state.stateDirectory;
    const auto& settings = parts.platform.databaseSettings();
    const bool sqlite = settings.engine == Dialect::SQLite;
    json::object services;
    for (const auto& service : parts.lifecycle.status()) services[service.serviceId] = service.version;
    return {{"version", parts.state.version},
            {"stateDirectory", state.string()},
            {"engine", sqlite ? "sqlite" : "postgresql"},
            {"databaseDirectory", sqlite ? std::filesystem::absolute(settings.directory).string() : ""},
            {"databaseUrl", sqlite ? "" : addressForTools(settings)},
            {"passwordFile", settings.passwordFile.empty() ? "" : std::filesystem::absolute(settings.passwordFile).string()},
            {"databases", sqlite ? databaseFiles(settings) : json::array()},
            {"services", std::move(services)},
            {"blobs", parts.platform.bucket() ? json::array() : blobFolders(parts)},
            {"bucket", parts.platform.bucket() ? parts.platform.bucket()->place() : ""},
            {"secrets", namesOf(filesOf(state / "secrets"))},
            {"dropIns", namesOf(filesOf(state / "conf.d"))},
            {"configuration", namesOf(config::filesOf(parts.configuration.sources()))},
            {"configuredSecrets", secretFiles(*configuration)}};
}

/// The daemon's part in a backup that porticoctl makes. It lists the backup's contents, keeps the files of removed blobs until the end, and
/// records the result. Another process copies, so that it can run at low priority, write where the daemon must not, and fail alone.
/// Thread-safe.
class BackupDesk
{
public:
    /// @throws Refused `busy`, `io_failed`, `no_direct_url`
    json::value begin(const CommandDependencies& parts, const ControlRequest& request)
    {
        const std::lock_guard lock(_mutex);
        forgetDeadHolder(parts);
        // Before the hold is taken: a refusal must not leave it in force.
        auto answer = planOf(parts);
        const auto token = parts.platform.blobHold().take(patience);
        if (token.empty()) throw Refused("busy", "A backup is being made by " + _holder.text + ". Wait for its end.");
        _holder = request.peer;
        _token = token;
        _begun = std::chrono::steady_clock::now();
        parts.platform.logger().information("backup begun", {{"by", request.peer.text}});
        answer["token"] = token;
        return answer;
    }

    /// A sign of life from the copying process. @throws Refused `lost` if none came for too long
    static json::value renew(const CommandDependencies& parts, const ControlRequest& request)
    {
        if (!parts.platform.blobHold().prolong(request.text("token"), patience)) throw Refused("lost", lost);
        return json::object{};
    }

    json::value end(const CommandDependencies& parts, const ControlRequest& request)
    {
        const bool inTime = parts.platform.blobHold().release(request.text("token"));
        const bool succeeded = request.flag("succeeded");
        keep(parts, request, succeeded, request.text("message"));
        if (inTime) parts.platform.dropHeldBlobs();
        return json::object{};
    }

private:
    /// A killed holder no longer needs the hold.
    void forgetDeadHolder(const CommandDependencies& parts)
    {
        if (_holder.process > 0 && ::kill(_holder.process, 0) != 0 && errno == ESRCH) parts.platform.blobHold().release(_token);
    }

    void keep(const CommandDependencies& parts, const ControlRequest& request, bool succeeded, const std::string& message)
    {
        plugins::OperationResult operation;
        operation.command = "backup";
        operation.requestedBy = request.peer.text;
        operation.succeeded = succeeded;
        const auto took = [this]
        {
            const std::lock_guard lock(_mutex);
            return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - _begun);
        }();
        operation.steps.push_back({"copy", "", succeeded, took, succeeded ? "" : message});
        operation.messages.push_back(message);
        parts.history.add(operation, SystemClock().now());
        if (succeeded)
            parts.platform.logger().information("backup made", {{"by", request.peer.text}, {"detail", message}});
        else
            parts.platform.logger().warning("backup failed", {{"by", request.peer.text}, {"reason", message}});
    }

    std::mutex _mutex;
    Peer _holder;
    std::string _token;
    std::chrono::steady_clock::time_point _begun;
};

} // namespace

std::vector<Command> backupCommands()
{
    const auto desk = std::make_shared<BackupDesk>();
    return {{"backup.begin", [desk](const auto& parts, const auto& request) { return desk->begin(parts, request); }},
            {"backup.renew", [desk](const auto& parts, const auto& request) { return desk->renew(parts, request); }},
            {"backup.end", [desk](const auto& parts, const auto& request) { return desk->end(parts, request); }}};
}

} // namespace portico::host::admin
