#include "SystemRoutes.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::admin
{

namespace
{

constexpr std::string_view consoleOff = "503 console_off";

struct ServiceArguments
{
    std::vector<std::string> services;
};

constexpr auto schemaOf(const ServiceArguments*) { return describe(field<&ServiceArguments::services>()); }

struct IdArguments
{
    std::string id;
};

constexpr auto schemaOf(const IdArguments*) { return describe(field<&IdArguments::id>()); }

struct CommandDetails
{
    std::string command;
};

constexpr auto schemaOf(const CommandDetails*) { return describe(field<&CommandDetails::command>()); }

/// Requires membership in the admin organization, because a permission override could grant the permission to others.
void requireOperator(const Caller& caller)
{
    if (!caller.platformBypass) throw Problem::forbidden("permission_denied", "Only operators of the platform may do this.");
}

} // namespace

void SystemRoutes::declare(Routes& routes)
{
    const auto sees = access::bearer("admin.system:read").inPerson();
    const auto operates = access::bearer("admin.system:operate").inPerson();
    const std::vector<std::string_view> refusals{"403 step_up_required", "404 unknown_service", "409 use_porticoctl", consoleOff};
    const auto change = [&](std::string_view summary) { return RouteOptions{.summary = summary, .problems = refusals, .statuses = {202}}; };
    const auto view = [](std::string_view summary) { return RouteOptions{.summary = summary, .problems = {consoleOff}}; };
    const auto filtered = [](std::string_view summary) {
        return RouteOptions{.summary = summary, .problems = {"400 invalid_request", "404 unknown_service", consoleOff}};
    };
    routes.get("/api/system/status", sees, &SystemRoutes::status, this, view("Read the host's status"))
        .get("/api/system/services", sees, &SystemRoutes::services, this, view("List services and their generations"))
        .get("/api/system/operations", sees, &SystemRoutes::operations, this, view("List the operations of the host, newest first"))
        .get("/api/system/operations/{operationId}", sees, &SystemRoutes::progress, this, view("Read an operation"))
        .get("/api/system/jobs", sees, &SystemRoutes::jobs, this, filtered("List background jobs"))
        .get("/api/system/log", sees, &SystemRoutes::log, this, filtered("List the newest records of the log"))
        .get("/api/system/samples", sees, &SystemRoutes::samples, this, view("Read the load of the last hour"))
        .get("/api/system/installed", sees, &SystemRoutes::installed, this,
             view("List installed plugins that differ from the running ones"))
        .post("/api/system/services/{service}/reload", operates, &SystemRoutes::reload, this, change("Reload a service"))
        .post("/api/system/services/{service}/enable", operates, &SystemRoutes::enable, this, change("Enable a service"))
        .post("/api/system/services/{service}/disable", operates, &SystemRoutes::disable, this, change("Disable a service"))
        .post("/api/system/jobs/{jobId}/retry", operates, &SystemRoutes::retryJob, this, change("Retry a dead job"))
        .post("/api/system/jobs/{jobId}/discard", operates, &SystemRoutes::discardJob, this, change("Discard a job"))
        .post("/api/system/configuration/reload", operates, &SystemRoutes::reloadConfiguration, this, change("Reload the configuration"));
}

Leased<interfaces::HostOperations> SystemRoutes::host() const
{
    auto host = _context.services().find<interfaces::HostOperations>();
    if (!host)
        throw Problem::unavailable("console_off", "This host gives its operations to no console: see the setting admin.console.", 60);
    return host;
}

template <class Answer>
Answer SystemRoutes::ask(const Caller& caller, std::string_view question, std::string_view arguments) const
{
    requireOperator(caller);
    return fromStoredJson<Answer>(host()->ask(question, arguments));
}

HostStatus SystemRoutes::status(const Caller& caller) const { return ask<HostStatus>(caller, "status"); }

ServiceList SystemRoutes::services(const Caller& caller) const { return ask<ServiceList>(caller, "services"); }

OperationList SystemRoutes::operations(const Caller& caller, const Query<SystemQuery>& query) const
{
    return ask<OperationList>(caller, "operations", toJson(*query));
}

JobList SystemRoutes::jobs(const Caller& caller, const Query<SystemQuery>& query) const
{
    return ask<JobList>(caller, "jobs.list", toJson(*query));
}

LogPage SystemRoutes::log(const Caller& caller, const Query<LogQuery>& query) const { return ask<LogPage>(caller, "log", toJson(*query)); }

LoadSamples SystemRoutes::samples(const Caller& caller) const { return ask<LoadSamples>(caller, "samples"); }

InstalledPlugins SystemRoutes::installed(const Caller& caller) const { return ask<InstalledPlugins>(caller, "installed"); }

Progress SystemRoutes::progress(const Caller& caller, const Path<std::string>& operationId) const
{
    requireOperator(caller);
    return fromStoredJson<Progress>(host()->progress(*operationId));
}

Reply<Progress> SystemRoutes::begin(const Request& request, std::string_view command, std::string_view target,
                                    const std::string& arguments) const
{
    const auto& caller = *request.caller;
    requireOperator(caller);
    const auto host = this->host();
    host->check(command, arguments);
    {
        const auto records = _context.services().find<interfaces::OperatorRecords>();
        if (!records) throw Problem::unavailable("console_off", "The audit log is unavailable.", 5);
        records->requireElevation(caller);
        records->record(request, "system." + std::string(command), target, toJson(CommandDetails{std::string(command)}));
    }
    const auto id = host->begin(command, arguments,
                                {caller.principalId, caller.sessionId, std::string(request.clientAddress), std::string(request.requestId)});
    Reply<Progress> reply{fromStoredJson<Progress>(host->progress(id))};
    reply.status = 202;
    return reply;
}

Reply<Progress> SystemRoutes::reload(const Request& request, const Path<std::string>& service) const
{
    return begin(request, "reload", *service, toJson(ServiceArguments{{*service}}));
}

Reply<Progress> SystemRoutes::enable(const Request& request, const Path<std::string>& service) const
{
    return begin(request, "enable", *service, toJson(ServiceArguments{{*service}}));
}

Reply<Progress> SystemRoutes::disable(const Request& request, const Path<std::string>& service) const
{
    return begin(request, "disable", *service, toJson(ServiceArguments{{*service}}));
}

Reply<Progress> SystemRoutes::retryJob(const Request& request, const Path<std::string>& jobId) const
{
    return begin(request, "jobs.retry", *jobId, toJson(IdArguments{*jobId}));
}

Reply<Progress> SystemRoutes::discardJob(const Request& request, const Path<std::string>& jobId) const
{
    return begin(request, "jobs.discard", *jobId, toJson(IdArguments{*jobId}));
}

Reply<Progress> SystemRoutes::reloadConfiguration(const Request& request) const { return begin(request, "config.reload", "", ""); }

} // namespace portico::admin
