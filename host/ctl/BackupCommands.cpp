#include "host/backup/BackupMaker.h"
#include "host/backup/BackupRestorer.h"
#include "host/backup/Files.h"
#include "host/backup/PostgresTools.h"
#include "host/base/Text.h"
#include "host/ctl/Command.h"

#include <boost/json.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>

namespace portico::host::ctl
{

namespace
{

using std::chrono::steady_clock;
using std::filesystem::path;

constexpr Option backupOptions[] = {{"verify", "", "check a backup that was made: every file, every database"},
                                    {"rate", "MIB", "copy at most so many MiB a second (default: 50; 0: any)"}};

constexpr Option restoreOptions[] = {
    {"state", "DIR", "state directory of the daemon (default: /var/lib/portico if it is there, else ./.portico)"},
    {"databases", "DIR", "where the SQLite files go (default: where they were)"},
    {"postgresql", "URL", "the PostgreSQL database that a dump goes into (default: where it was)"},
    {"password-file", "FILE", "read its password from the first line of a file; with --postgresql only"},
    {"force", "", "move a state that is there aside; nothing of it is lost"}};

constexpr const char* packagedState = "/var/lib/portico";
constexpr auto betweenSigns = std::chrono::seconds(10);

volatile std::sig_atomic_t interrupted = 0;

/// Ends in order on an interrupt or a shutdown: the unfinished backup is removed.
void catchInterruptions()
{
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, [](int) { interrupted = 1; });
}

void requireUninterrupted()
{
    if (interrupted != 0) throw Refused("interrupted", "Interrupted; nothing was left behind.");
}

double secondsSince(steady_clock::time_point begun) { return std::chrono::duration<double>(steady_clock::now() - begun).count(); }

std::string fixed(double value)
{
    const auto tenths = static_cast<long long>(value * 10 + 0.5);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string sizeOf(const backup::Manifest& manifest)
{
    return std::to_string(manifest.fileCount) + " files, " + fixed(static_cast<double>(manifest.bytes) / (1024.0 * 1024.0)) + " MiB";
}

json::object describe(const path& path, const backup::Manifest& manifest)
{
    return {{"backup", path.string()},   {"version", manifest.version}, {"createdAt", manifest.createdAt},
            {"engine", manifest.engine}, {"files", manifest.fileCount}, {"bytes", manifest.bytes}};
}

/// Shows how far something has come, and ends it where it was interrupted.
std::function<void(std::uint64_t)> progressOf(ProgressLine& line, const char* what)
{
    return [&line, what](std::uint64_t bytes)
    {
        requireUninterrupted();
        line.show(what, bytes, 0);
    };
}

int verify(const Session& session, const path& place)
{
    const auto begun = steady_clock::now();
    ProgressLine line(session.json);
    const auto manifest = backup::verifyBackup(place, PORTICO_VERSION, progressOf(line, "verifying"));
    line.clear();
    auto answer = describe(place, manifest);
    answer["seconds"] = secondsSince(begun);
    if (printedJson(session, answer)) return exitDone;
    session.terminal.line(place.string() + ": " + session.terminal.paint("ok", Colour::Good) + ", " + sizeOf(manifest) + ", made " +
                          manifest.createdAt + " by Portico " + manifest.version);
    return exitDone;
}

/// The first line, which root reads with no more rights than those of `reader`; empty for an empty name. @throws Refused
std::string secretIn(const std::string& file, const std::optional<backup::User>& reader = {})
{
    if (file.empty()) return {};
    const auto content = backup::readFile(file, reader);
    return content.substr(0, content.find_first_of("\r\n"));
}

void addDump(const json::value& answer, const std::function<void()>& tick, backup::Plan& plan)
{
    const backup::PostgresTools tools({text(answer, "databaseUrl"), secretIn(text(answer, "passwordFile"), plan.reader), plan.reader},
                                      tick);
    const auto schemas = tools.schemas();
    for (const auto& schema : schemas) plan.manifest.databases.push_back({schema, {}});
    plan.manifest.databasePlace = text(answer, "databaseUrl");
    plan.dump = [tools, schemas](const path& target) { tools.dump(schemas, target); };
}

/// Builds the plan from the daemon's answer to `backup.begin`. The daemon runs as `daemon`. `tick` is called while another program works.
/// @throws Refused
backup::Plan planOf(const json::value& answer, const backup::User& daemon, const std::function<void()>& tick)
{
    backup::Plan plan;
    plan.reader = daemon;
    plan.manifest.version = text(answer, "version");
    plan.manifest.engine = text(answer, "engine");
    plan.manifest.stateDirectory = text(answer, "stateDirectory");
    const path state = plan.manifest.stateDirectory;
    const path databases = text(answer, "databaseDirectory");
    if (plan.manifest.engine == "sqlite" && databases != state / "data") plan.manifest.databasePlace = databases.string();
    if (plan.manifest.engine == "postgresql") addDump(answer, tick, plan);
    for (const auto& database : list(answer, "databases")) plan.databases.emplace_back(text(database, "name"), text(database, "file"));
    for (const auto& [service, version] : answer.at("services").as_object())
        plan.manifest.services[std::string(service)] = json::value_to<std::string>(version);
    for (const auto& blobs : list(answer, "blobs"))
        plan.trees.push_back({text(blobs, "live"), text(blobs, "held"), path("blobs") / text(blobs, "service")});
    for (const path file : texts(answer, "secrets")) plan.files.push_back({file, "secrets" / file.filename()});
    for (const path file : texts(answer, "dropIns")) plan.files.push_back({file, "conf.d" / file.filename()});
    // For reading only: their places are elsewhere, several may have one name, and a restore leaves them alone.
    int number = 0;
    for (const path file : texts(answer, "configuration"))
        plan.files.push_back({file, "configuration/" + std::to_string(++number) + "-" + file.filename().string(), true});
    for (const auto& secret : list(answer, "configuredSecrets"))
        plan.files.push_back({text(secret, "file"), "configuration/secret-" + text(secret, "key"), true});
    return plan;
}

std::uint64_t rateOf(const Arguments& arguments)
{
    const auto text = arguments.option("rate").value_or("50");
    const auto mebibytesPerSecond = parseNumber<std::uint64_t>(text);
    if (mebibytesPerSecond.value_or(1'000'001) > 1'000'000) throw UsageError("--rate takes a number of MiB a second, not '" + text + "'.");
    return *mebibytesPerSecond * 1024 * 1024;
}

/// The daemon's hold, kept alive during the copy and released in any case.
class Hold
{
public:
    Hold(const Client& client, std::string token) : _client(client), _token(std::move(token)) {}
    ~Hold()
    {
        if (!_ended) tell(false, "It was not finished.");
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    void prolongNowAndThen()
    {
        if (steady_clock::now() - _last >= betweenSigns) prolong();
    }
    void prolong()
    {
        _last = steady_clock::now();
        _client.call("backup.renew", {{"token", _token}});
    }
    void end(bool succeeded, const std::string& message)
    {
        _ended = true;
        tell(succeeded, message);
    }

private:
    /// The backup is complete even if the daemon cannot be notified any more.
    void tell(bool succeeded, const std::string& message) const noexcept
    {
        try
        {
            _client.call("backup.end", {{"token", _token}, {"succeeded", succeeded}, {"message", message}});
        }
        catch (const std::exception&)
        {
        }
    }

    const Client& _client;
    const std::string _token;
    steady_clock::time_point _last = steady_clock::now();
    bool _ended = false;
};

int make(const Session& session, const path& place, std::uint64_t rate)
{
    const auto begun = steady_clock::now();
    const auto answer = session.client.call("backup.begin");
    Hold hold(session.client, text(answer, "token"));
    try
    {
        backup::yieldToOthers();
        const auto [user, group] = session.client.daemonUser();
        auto plan = planOf(answer, backup::User::of(user, group),
                           [&hold]
                           {
                               requireUninterrupted();
                               hold.prolongNowAndThen();
                           });
        plan.bytesPerSecond = rate;
        ProgressLine line(session.json);
        const auto made = backup::makeBackup(
            plan, place,
            [&](const backup::Progress& progress)
            {
                requireUninterrupted();
                hold.prolongNowAndThen();
                line.show(progress.what, progress.doneBytes, progress.files);
            },
            [&]
            {
                requireUninterrupted();
                hold.prolong();
            });
        line.clear();
        const auto result = sizeOf(made.manifest) + " in " + fixed(secondsSince(begun)) + " s";
        hold.end(true, made.path.string() + ": " + result);
        auto told = describe(made.path, made.manifest);
        told["seconds"] = secondsSince(begun);
        if (printedJson(session, told)) return exitDone;
        session.terminal.line(made.path.string() + ": " + session.terminal.paint("done", Colour::Good) + ", " + result);
        if (const auto bucket = text(answer, "bucket"); !bucket.empty())
            session.terminal.line("The files of services are in " + bucket + " and not part of it.");
        session.terminal.line("It contains secrets, which allow sign-in as any user. Restrict access to it.");
        return exitDone;
    }
    catch (const std::exception& failure)
    {
        hold.end(false, failure.what());
        throw;
    }
}

int runBackup(const Session& session, const Arguments& arguments)
{
    const auto rate = rateOf(arguments);
    catchInterruptions();
    const path place = arguments.words().front();
    return arguments.has("verify") ? verify(session, place) : make(session, place, rate);
}

path stateDirectory(const Arguments& arguments)
{
    if (const auto named = arguments.option("state")) return *named;
    std::error_code ignored;
    return std::filesystem::is_directory(packagedState, ignored) ? packagedState : ".portico";
}

/// Requires `--postgresql` with a password: a password must not go to the server that the backup's author has named.
void requireNamedServer(const Arguments& arguments, const backup::Manifest& manifest)
{
    if (arguments.option("postgresql")) return;
    const bool given = arguments.option("password-file").has_value();
    if (given || std::getenv("PGPASSWORD"))
        throw UsageError(std::string(given ? "--password-file" : "The variable PGPASSWORD") +
                         " needs --postgresql too: the password goes to no server that only the backup names. If that is the right one: "
                         "--postgresql '" +
                         manifest.databasePlace + "'");
}

/// Prepares the load of a PostgreSQL dump. @throws Refused `not_empty` if the database has schemas, and `force` is not set
backup::Load prepareLoad(const Arguments& arguments, const backup::Manifest& manifest, bool force)
{
    const backup::PostgresTools tools(
        {arguments.option("postgresql").value_or(manifest.databasePlace), secretIn(arguments.option("password-file").value_or(""))},
        requireUninterrupted);
    // Includes schemas that the backup lacks, because the files of their services are moved aside, too.
    const auto inTheWay = tools.schemas();
    if (!inTheWay.empty() && !force)
        throw Refused("not_empty", "The database has these schemas already: " + listed(inTheWay) +
                                       ". --force renames them, in the transaction that restores, and loses nothing.");
    // Unused name: a second restore within a second gets another number.
    const auto suffix = "before_restore_" + std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
    backup::Load load{inTheWay, [tools, inTheWay, suffix](const path& dump) { tools.load(dump, inTheWay, suffix); }};
    for (auto& schema : load.asideSchemas) schema += "_" + suffix;
    return load;
}

int runRestore(const Session& session, const Arguments& arguments)
{
    catchInterruptions();
    const auto begun = steady_clock::now();
    backup::RestorePlan plan;
    plan.backup = arguments.words().front();
    plan.stateDirectory = stateDirectory(arguments);
    plan.force = arguments.has("force");
    ProgressLine line(session.json);
    const auto manifest = backup::verifyBackup(plan.backup, PORTICO_VERSION, progressOf(line, "verifying"));
    if (manifest.engine == "sqlite")
        plan.databaseDirectory = arguments.option("databases").value_or(manifest.databasePlace);
    else
    {
        requireNamedServer(arguments, manifest);
        plan.prepareLoad = [&] { return prepareLoad(arguments, manifest, plan.force); };
    }
    const auto restored = backup::restoreBackup(plan, progressOf(line, "restoring"));
    line.clear();
    auto answer = describe(plan.backup, manifest);
    answer["stateDirectory"] = std::filesystem::absolute(plan.stateDirectory).string();
    answer["aside"] = restored.aside.empty() ? json::value() : json::value(restored.aside.string());
    answer["asideSchemas"] = json::value_from(restored.asideSchemas);
    answer["continued"] = restored.continued;
    answer["seconds"] = secondsSince(begun);
    if (printedJson(session, answer)) return exitDone;
    session.terminal.line(plan.stateDirectory.string() + ": " + session.terminal.paint("done", Colour::Good) + ", " + sizeOf(manifest) +
                          " of " + manifest.createdAt + (restored.continued ? ", where it had been cut off" : ""));
    if (!restored.aside.empty()) session.terminal.line("The previous state is in " + restored.aside.string());
    for (const auto& schema : restored.asideSchemas) session.terminal.line("What the database had before is in the schema " + schema);
    session.terminal.line("Start the daemon now.");
    return exitDone;
}

constexpr Command backupTable[] = {
    {"backup", "<folder>", "Back up databases, files and secrets while the daemon serves",
     "In an existing folder, the backup is named by the time; any other name is that of the backup itself. An unfinished backup "
     "has a name that begins with a dot and is removed by the next backup. A backup contains secrets.",
     "porticoctl backup /var/backups/portico\nporticoctl backup --verify /var/backups/portico/portico-20261121T184054Z", 1, 1, runBackup,
     backupOptions},
    {"restore", "<backup>", "Replace the state by a backup while the daemon is stopped",
     "The backup is verified first. Everything is copied beside the state before anything is changed; an interrupted restore continues "
     "when it is run again, and the daemon does not start before.",
     "porticoctl restore /var/backups/portico/portico-20261121T184054Z\n"
     "porticoctl restore --force --state /var/lib/portico /var/backups/portico/portico-20261121T184054Z",
     1, 1, runRestore, restoreOptions},
};

} // namespace

std::span<const Command> backupCommands() noexcept { return backupTable; }

} // namespace portico::host::ctl
