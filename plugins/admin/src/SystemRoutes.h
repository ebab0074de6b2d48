#pragma once

#include "SystemRecords.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"
#include "portico/system/HostOperations.h"
#include "portico/system/OperatorRecords.h"

namespace portico::admin
{

/// Host operations for operators in a browser: reads the state, starts commands. Thread-safe.
class SystemRoutes
{
public:
    explicit SystemRoutes(PluginContext& context) : _context(context) {}
    void declare(Routes& routes);

    HostStatus status(const Caller& caller) const;
    ServiceList services(const Caller& caller) const;
    OperationList operations(const Caller& caller, const Query<SystemQuery>& query) const;
    JobList jobs(const Caller& caller, const Query<SystemQuery>& query) const;
    LogPage log(const Caller& caller, const Query<LogQuery>& query) const;
    LoadSamples samples(const Caller& caller) const;
    InstalledPlugins installed(const Caller& caller) const;
    Progress progress(const Caller& caller, const Path<std::string>& operationId) const;

    Reply<Progress> reload(const Request& request, const Path<std::string>& service) const;
    Reply<Progress> enable(const Request& request, const Path<std::string>& service) const;
    Reply<Progress> disable(const Request& request, const Path<std::string>& service) const;
    Reply<Progress> retryJob(const Request& request, const Path<std::string>& jobId) const;
    Reply<Progress> discardJob(const Request& request, const Path<std::string>& jobId) const;
    Reply<Progress> reloadConfiguration(const Request& request) const;

private:
    /// @throws Problem 503 `console_off`
    Leased<interfaces::HostOperations> host() const;
    template <class Answer>
    Answer ask(const Caller& caller, std::string_view question, std::string_view arguments = {}) const;
    /// Starts a command after its entry in the audit log was written: every started command has an entry. Answers 202 with the progress.
    Reply<Progress> begin(const Request& request, std::string_view command, std::string_view target, const std::string& arguments) const;

    PluginContext& _context;
};

} // namespace portico::admin
