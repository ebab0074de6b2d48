#include "host/admin/Commands.h"

#include "portico/interfaces/Accounts.h"

namespace portico::host::admin
{

namespace
{

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
    const bool pending = std::ranges::any_of(migrations, [](const auto& migration)
                                             { return migration.at("status") == "pending" || migration.at("status") == "failed"; });
    json::value answer{{"pending", pending}, {"migrations", std::move(migrations)}};
    if (failed && !checking) throw Refused("migration_failed", "Not every migration could be applied; the others are.", std::move(answer));
    return answer;
}

platform::JobState jobState(const std::string& text)
{
    if (text == "all") return platform::JobState::Any;
    if (text == "waiting") return platform::JobState::Waiting;
    if (text == "running") return platform::JobState::Running;
    if (text == "dead" || text.empty()) return platform::JobState::Dead;
    throw Refused("invalid_request", "A job's status is waiting, running or dead; all shows every one.");
}

json::value runJobsList(const CommandDependencies& parts, const ControlRequest& request)
{
    const auto service = request.text("service");
    if (!service.empty()) requireService(parts, service);
    const auto limit = static_cast<std::size_t>(std::clamp<std::int64_t>(request.number("limit", 50), 1, 10000));
    json::array jobs;
    for (const auto& job : parts.platform.listJobs(service, jobState(request.text("status")), limit))
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

template <bool (platform::Platform::*change)(std::string_view)>
json::value runJobChange(const CommandDependencies& parts, const ControlRequest& request)
{
    const auto id = request.text("id");
    if (!(parts.platform.*change)(id))
        throw Refused("not_found", "The job '" + id + "' does not exist or is running. porticoctl jobs list --status all shows every job.");
    return {{"id", id}};
}

std::string jobOf(const ControlRequest& request, const json::value&) { return request.text("id"); }

using interfaces::Accounts;

template <Accounts::CreatedUser (Accounts::*change)(const Accounts::NewUser&)>
json::value runUserChange(const CommandDependencies& parts, const ControlRequest& request)
{
    auto accounts = parts.interfaces.find<Accounts>();
    if (!accounts) throw Refused("no_accounts", "No service that keeps accounts is running. porticoctl services says why.");
    Accounts::NewUser user;
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

/// Names the created user by id alone: people may be deleted, and the record stays.
std::string createdUser(const ControlRequest& request, const json::value& answer)
{
    auto text = answer.is_object() ? std::string(answer.at("userId").as_string()) : std::string("nobody");
    const auto organization = request.text("organizationSlug");
    if (!organization.empty()) text += ", " + request.text("role", "member") + " of " + organization;
    const auto role = request.text("platformRole");
    return role.empty() ? text : text + ", " + role;
}

} // namespace

std::vector<Command> dataCommands()
{
    return {{"migrate", runMigrate},
            {"jobs.list", runJobsList},
            {"jobs.retry", runJobChange<&platform::Platform::retryJob>, jobOf},
            {"jobs.discard", runJobChange<&platform::Platform::discardJob>, jobOf},
            {"user.create", runUserChange<&Accounts::createUser>, createdUser},
            {"user.join", runUserChange<&Accounts::joinUser>, createdUser}};
}

} // namespace portico::host::admin
