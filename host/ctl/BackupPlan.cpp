#include "host/ctl/BackupPlan.h"

#include "host/backup/Files.h"
#include "host/backup/PostgresTools.h"
#include "host/ctl/Command.h"

#include <boost/json.hpp>

namespace portico::host::ctl
{

namespace json = boost::json;

namespace
{

using std::filesystem::path;

void addFiles(const json::array& files, const path& to, backup::Plan& plan)
{
    for (const auto& file : files)
    {
        const path from = json::value_to<std::string>(file);
        plan.files.push_back({from, to / from.filename()});
    }
}

/// Only to be looked at: they stand elsewhere, several may have one name, and a restore leaves them alone.
void addNumbered(const json::array& files, const path& to, backup::Plan& plan)
{
    int number = 0;
    for (const auto& file : files)
    {
        const path from = json::value_to<std::string>(file);
        plan.files.push_back({from, to / (std::to_string(++number) + "-" + from.filename().string())});
    }
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

} // namespace

std::string secretIn(const std::string& file, const std::optional<backup::User>& reader)
{
    if (file.empty()) return {};
    const auto content = backup::readFile(file, reader);
    return content.substr(0, content.find_first_of("\r\n"));
}

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
    addFiles(list(answer, "secrets"), "secrets", plan);
    addFiles(list(answer, "dropIns"), "conf.d", plan);
    addNumbered(list(answer, "configuration"), "configuration", plan);
    for (const auto& secret : list(answer, "configuredSecrets"))
        plan.files.push_back({text(secret, "file"), path("configuration") / ("secret-" + text(secret, "key"))});
    return plan;
}

} // namespace portico::host::ctl
