#include "host/admin/Commands.h"

#include "portico/Problem.h"
#include "portico/interfaces/Accounts.h"

namespace portico::host::admin
{

namespace json = boost::json;

namespace
{

std::string finished(std::string sentence) { return sentence.ends_with('.') ? sentence : sentence + "."; }

/// The sentence of a problem with its field errors: the socket has no other place for them.
std::string sentence(const Problem& problem)
{
    auto text = finished(problem.detail().empty() ? problem.code() : problem.detail());
    for (const auto& error : problem.errors()) text += " " + finished(error.field + ": " + error.message);
    return text;
}

/// Applied by the lifecycle: it verifies the plugin first, as it does before a start.
void applyMigrations(const CommandDependencies& parts, const std::string& service, const std::string& requestedBy)
{
    const auto result = parts.lifecycle.migrate(service, requestedBy).get();
    parts.history.add(result, SystemClock().now());
    if (result.succeeded) return;
    throw std::runtime_error(result.messages.empty() ? "it could not be migrated" : result.messages.front());
}

void migrateService(const CommandDependencies& parts, const plugins::Manifest& manifest, const ControlRequest& request,
                    json::array& migrations)
{
    const bool checking = request.flag("check");
    const auto pending = parts.platform.pendingMigrations(manifest);
    if (!checking) applyMigrations(parts, manifest.serviceId, request.peer.text);
    for (const auto& migration : pending)
        migrations.push_back({{"service", manifest.serviceId},
                              {"name", migration.file.filename().string()},
                              {"status", checking ? "pending" : "applied"},
                              {"detail", ""}});
    if (pending.empty())
        migrations.push_back({{"service", manifest.serviceId}, {"name", ""}, {"status", "ok"}, {"detail", "nothing pending"}});
}

json::value runMigrate(const CommandDependencies& parts, const ControlRequest& request)
{
    const bool checking = request.flag("check");
    auto services = request.texts("services");
    for (const auto& service : services) requireService(parts, service);
    const auto discovery = parts.discover();
    if (services.empty())
        for (const auto& [id, plugin] : discovery.plugins) services.push_back(id);
    json::array migrations;
    bool failed = false;
    for (const auto& service : services)
    {
        const auto found = discovery.plugins.find(service);
        if (found == discovery.plugins.end() || !found->second.manifest || !found->second.manifest->migrations) continue;
        try
        {
            migrateService(parts, *found->second.manifest, request, migrations);
        }
        catch (const std::exception& error)
        {
            failed = true;
            migrations.push_back({{"service", service}, {"name", ""}, {"status", "failed"}, {"detail", error.what()}});
        }
    }
    bool pending = false;
    for (const auto& migration : migrations) pending = pending || migration.at("status") == "pending" || migration.at("status") == "failed";
    json::value answer{{"pending", pending}, {"migrations", std::move(migrations)}};
    if (failed && !checking)
        throw ControlError("migration_failed", "Not every migration could be applied; the others are.", std::move(answer));
    return answer;
}

platform::JobState jobState(const std::string& text)
{
    if (text == "all") return platform::JobState::Any;
    if (text == "waiting") return platform::JobState::Waiting;
    if (text == "running") return platform::JobState::Running;
    if (text == "dead" || text.empty()) return platform::JobState::Dead;
    throw ControlError("invalid_request", "A job's status is waiting, running or dead; all shows every one.");
}

json::value runJobsList(const CommandDependencies& parts, const ControlRequest& request)
{
    const auto service = request.text("service");
    if (!service.empty()) requireService(parts, service);
    const auto limit = static_cast<std::size_t>(std::clamp<std::int64_t>(request.number("limit", 50), 1, 10000));
    json::array jobs;
    for (const auto& job : parts.platform.jobBoard().list(service, jobState(request.text("status")), limit))
        jobs.push_back({{"id", job.id},
                        {"service", job.serviceId},
                        {"type", job.type},
                        {"status", job.state},
                        {"attempts", std::to_string(job.attempt) + "/" + std::to_string(job.maxAttempts)},
                        {"createdAt", toString(job.createdAt)},
                        {"dueAt", toString(job.dueAt)},
                        {"error", job.lastError}});
    return {{"jobs", std::move(jobs)}};
}

json::value runJobChange(const ControlRequest& request, const std::function<bool(const std::string&)>& change)
{
    const auto id = request.text("id");
    if (!change(id))
        throw ControlError("not_found", "There is no job '" + id + "' that does not run. porticoctl jobs list --status all shows them.");
    return {{"id", id}};
}

using AccountChange = interfaces::Accounts::CreatedUser (interfaces::Accounts::*)(const interfaces::Accounts::NewUser&);

json::value runUserChange(const CommandDependencies& parts, const ControlRequest& request, AccountChange change)
{
    auto accounts = parts.interfaces.find<interfaces::Accounts>();
    if (!accounts) throw ControlError("no_accounts", "No service that keeps accounts is running. porticoctl services says why.");
    interfaces::Accounts::NewUser user;
    user.email = request.text("email");
    user.displayName = request.text("displayName");
    user.password = request.text("password");
    user.organizationSlug = request.text("organizationSlug");
    user.organizationName = request.text("organizationName");
    user.role = request.text("role", "member");
    user.platformRole = request.text("platformRole");
    const auto created = ((*accounts).*change)(user);
    return {{"userId", created.userId}, {"organizationId", created.organizationId}, {"email", user.email}};
}

/// Who it is and what was given: the rights of an account are worth more than its name.
std::string createdUser(const ControlRequest& request, const json::value& answer)
{
    auto text = request.text("email");
    if (answer.is_object()) text += " " + std::string(answer.at("userId").as_string());
    const auto organization = request.text("organizationSlug");
    if (!organization.empty()) text += ", " + request.text("role", "member") + " of " + organization;
    const auto role = request.text("platformRole");
    return role.empty() ? text : text + ", " + role;
}

/// Problems of the services below become refusals with their code.
template <class Run>
ControlCommands::Handler translated(Run run)
{
    return [run = std::move(run)](const ControlRequest& request) -> json::value
    {
        try
        {
            return run(request);
        }
        catch (const Problem& problem)
        {
            throw ControlError(problem.code(), sentence(problem));
        }
    };
}

} // namespace

void addDataCommands(ControlCommands& commands, const CommandDependencies& parts)
{
    commands.add("migrate", translated([&parts](const ControlRequest& request) { return runMigrate(parts, request); }));
    commands.add("jobs.list", translated([&parts](const ControlRequest& request) { return runJobsList(parts, request); }));
    const auto job = [](const ControlRequest& request, const json::value&) { return request.text("id"); };
    commands.add("jobs.retry",
                 recorded(parts, "jobs retry", job,
                          translated(
                              [&parts](const ControlRequest& request) {
                                  return runJobChange(request, [&](const std::string& id) { return parts.platform.jobBoard().retry(id); });
                              })));
    commands.add("jobs.discard", recorded(parts, "jobs discard", job,
                                          translated(
                                              [&parts](const ControlRequest& request) {
                                                  return runJobChange(request, [&](const std::string& id)
                                                                      { return parts.platform.jobBoard().discard(id); });
                                              })));
    const auto user = [&parts](AccountChange change)
    { return translated([&parts, change](const ControlRequest& request) { return runUserChange(parts, request, change); }); };
    commands.add("user.create", recorded(parts, "user create", createdUser, user(&interfaces::Accounts::createUser)));
    commands.add("user.join", recorded(parts, "user join", createdUser, user(&interfaces::Accounts::joinUser)));
}

} // namespace portico::host::admin
