#include "host/admin/BackupDesk.h"

#include "host/config/Layers.h"

#include <cerrno>
#include <csignal>
#include <set>

namespace portico::host::admin
{

namespace json = boost::json;

namespace
{

/// Without a sign of life for so long, the one who copies is gone. A slow disk may take minutes to write the last of it.
constexpr std::chrono::minutes patience{10};

constexpr const char* lost = "The daemon was restarted meanwhile, or heard nothing of this backup for ten minutes: files that were removed "
                             "since may be missing in it. Make it again.";

json::array databaseFiles(const data::DatabaseSettings& settings)
{
    // Also those of services that are not installed or enabled now: their data is somebody's.
    std::set<std::filesystem::path> files;
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(settings.directory, absent))
        if (entry.path().extension() == ".db" && entry.is_regular_file()) files.insert(entry.path());
    json::array all;
    for (const auto& file : files) all.push_back({{"name", file.stem().string()}, {"file", std::filesystem::absolute(file).string()}});
    return all;
}

json::array blobFolders(const std::filesystem::path& directory)
{
    json::array all;
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(directory, absent))
        if (entry.is_directory())
            all.push_back({{"service", entry.path().filename().string()},
                           {"live", (entry.path() / "data").string()},
                           {"held", (entry.path() / "held").string()}});
    return all;
}

json::array filesIn(const std::filesystem::path& folder)
{
    json::array all;
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(folder, absent))
        if (entry.is_regular_file()) all.emplace_back(entry.path().string());
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

} // namespace

json::object BackupDesk::plan() const
{
    const auto configuration = _parts.configuration.current();
    const auto& state = _parts.state.stateDirectory;
    const auto& settings = _parts.platform.databaseSettings();
    const bool sqlite = settings.engine == Dialect::SQLite;
    json::object services;
    for (const auto& service : _parts.lifecycle.status()) services[service.serviceId] = service.version;
    json::array files;
    for (const auto& file : config::filesOf(_parts.configuration.sources())) files.emplace_back(std::filesystem::absolute(file).string());
    return {{"version", _parts.state.version},
            {"stateDirectory", state.string()},
            {"engine", sqlite ? "sqlite" : "postgresql"},
            {"databaseDirectory", sqlite ? std::filesystem::absolute(settings.directory).string() : ""},
            {"databaseUrl", sqlite ? "" : settings.url},
            {"passwordFile", settings.passwordFile.empty() ? "" : std::filesystem::absolute(settings.passwordFile).string()},
            {"databases", sqlite ? databaseFiles(settings) : json::array()},
            {"services", std::move(services)},
            {"blobs", blobFolders(_parts.platform.blobDirectory())},
            {"secrets", filesIn(state / "secrets")},
            {"dropIns", filesIn(state / "conf.d")},
            {"configuration", std::move(files)},
            {"configuredSecrets", secretFiles(*configuration)}};
}

void BackupDesk::forgetDeadHolder()
{
    if (_holder.process > 0 && ::kill(_holder.process, 0) != 0 && errno == ESRCH) _parts.platform.blobHold().release(_token);
}

json::value BackupDesk::begin(const ControlRequest& request)
{
    const std::lock_guard lock(_mutex);
    forgetDeadHolder();
    const auto token = _parts.platform.blobHold().take(patience);
    if (token.empty()) throw ControlError("busy", "A backup is being made by " + _holder.text + ". Wait for its end.");
    _holder = request.peer;
    _token = token;
    _begun = std::chrono::steady_clock::now();
    _parts.platform.logger().information("backup begun", {{"by", request.peer.text}});
    auto answer = plan();
    answer["token"] = token;
    return answer;
}

json::value BackupDesk::renew(const ControlRequest& request)
{
    if (!_parts.platform.blobHold().prolong(request.text("token"), patience)) throw ControlError("lost", lost);
    return json::object{};
}

json::value BackupDesk::end(const ControlRequest& request)
{
    const bool inTime = _parts.platform.blobHold().release(request.text("token"));
    const bool succeeded = request.flag("succeeded");
    keep(request, succeeded, request.text("message"));
    if (inTime) _parts.platform.dropHeldBlobs();
    return json::object{};
}

void BackupDesk::keep(const ControlRequest& request, bool succeeded, const std::string& message)
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
    _parts.history.add(operation, SystemClock().now());
    if (succeeded)
        _parts.platform.logger().information("backup made", {{"by", request.peer.text}, {"detail", message}});
    else
        _parts.platform.logger().warning("backup failed", {{"by", request.peer.text}, {"reason", message}});
}

void addBackupCommands(ControlCommands& commands, const CommandDependencies& parts)
{
    const auto desk = std::make_shared<BackupDesk>(parts);
    commands.add("backup.begin", [desk](const ControlRequest& request) { return desk->begin(request); });
    commands.add("backup.renew", [desk](const ControlRequest& request) { return desk->renew(request); });
    commands.add("backup.end", [desk](const ControlRequest& request) { return desk->end(request); });
}

} // namespace portico::host::admin
