#pragma once

#include "portico/Instant.h"
#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::admin
{

struct ListenerView
{
    std::string address;
    std::string serves;
};

constexpr auto schemaOf(const ListenerView*)
{
    return describe(members<&ListenerView::address, &ListenerView::serves>()).named("Listener");
}

/// The daemon as it runs.
struct HostStatus
{
    std::string version;
    std::string state;
    std::int64_t uptimeSeconds = 0;
    std::int64_t residentKiB = 0;
    /// Without credentials.
    std::string database;
    std::string stateStore;
    bool stateStoreAnswers = true;
    bool safeMode = false;
    std::vector<ListenerView> listeners;
    /// Changed settings that take effect after a restart.
    std::vector<std::string> restartNeededFor;
};

constexpr auto schemaOf(const HostStatus*)
{
    return describe(members<&HostStatus::version, &HostStatus::state, &HostStatus::uptimeSeconds, &HostStatus::residentKiB,
                            &HostStatus::database, &HostStatus::stateStore, &HostStatus::stateStoreAnswers, &HostStatus::safeMode,
                            &HostStatus::listeners, &HostStatus::restartNeededFor>());
}

/// One loaded copy of a plugin.
struct GenerationView
{
    std::int64_t number = 0;
    std::string version;
    std::string state;
    std::int64_t inFlight = 0;
    std::string sha256;
    /// `built-in`, `signed by acme`, `unsigned`.
    std::string provenance;
    std::string since;
    /// Why it stays in memory.
    std::string reason;
};

constexpr auto schemaOf(const GenerationView*)
{
    return describe(members<&GenerationView::number, &GenerationView::version, &GenerationView::state, &GenerationView::inFlight,
                            &GenerationView::sha256, &GenerationView::provenance, &GenerationView::since, &GenerationView::reason>())
        .named("Generation");
}

struct ServiceStatus
{
    std::string service;
    std::string status;
    bool enabled = false;
    std::string version;
    std::optional<std::string> origin;
    std::int64_t routes = 0;
    std::string since;
    /// Reason why the service does not run, or a remark.
    std::string note;
    /// Seconds until the next attempt to load it; null if none is scheduled.
    std::optional<std::int64_t> retrySeconds;
    /// Number of the active generation.
    std::optional<std::int64_t> generation;
    std::optional<std::int64_t> inFlight;
    std::vector<GenerationView> generations;
};

constexpr auto schemaOf(const ServiceStatus*)
{
    return describe(
        members<&ServiceStatus::service, &ServiceStatus::status, &ServiceStatus::enabled, &ServiceStatus::version, &ServiceStatus::origin,
                &ServiceStatus::routes, &ServiceStatus::since, &ServiceStatus::note, &ServiceStatus::retrySeconds,
                &ServiceStatus::generation, &ServiceStatus::inFlight, &ServiceStatus::generations>());
}

struct ServiceList
{
    std::vector<ServiceStatus> services;
};

constexpr auto schemaOf(const ServiceList*) { return describe(field<&ServiceList::services>()).named("ServiceStatusList"); }

struct OperationStep
{
    std::string name;
    std::string service;
    bool ok = false;
    std::int64_t microseconds = 0;
    std::string detail;
};

constexpr auto schemaOf(const OperationStep*)
{
    return describe(
        members<&OperationStep::name, &OperationStep::service, &OperationStep::ok, &OperationStep::microseconds, &OperationStep::detail>());
}

/// Entry of the host's operation history, from any origin.
struct OperationView
{
    std::int64_t id = 0;
    std::string endedAt;
    std::string command;
    std::string service;
    std::string status;
    std::int64_t microseconds = 0;
    std::string requestedBy;
    std::vector<OperationStep> steps;
    std::vector<std::string> messages;
};

constexpr auto schemaOf(const OperationView*)
{
    return describe(members<&OperationView::id, &OperationView::endedAt, &OperationView::command, &OperationView::service,
                            &OperationView::status, &OperationView::microseconds, &OperationView::requestedBy, &OperationView::steps,
                            &OperationView::messages>())
        .named("Operation");
}

struct OperationList
{
    std::vector<OperationView> operations;
};

constexpr auto schemaOf(const OperationList*) { return describe(field<&OperationList::operations>()); }

struct JobView
{
    std::string id;
    std::string service;
    std::string type;
    std::string status;
    /// `3/8`
    std::string attempts;
    std::string createdAt;
    std::string dueAt;
    std::string error;
};

constexpr auto schemaOf(const JobView*)
{
    return describe(members<&JobView::id, &JobView::service, &JobView::type, &JobView::status, &JobView::attempts, &JobView::createdAt,
                            &JobView::dueAt, &JobView::error>())
        .named("Job");
}

struct JobList
{
    std::vector<JobView> jobs;
};

constexpr auto schemaOf(const JobList*) { return describe(field<&JobList::jobs>()); }

struct OperationError
{
    std::string code;
    std::string message;
};

constexpr auto schemaOf(const OperationError*) { return describe(members<&OperationError::code, &OperationError::message>()); }

/// Result of an operation, with one entry for each service involved.
struct OperationOutcome
{
    std::vector<OperationView> operations;
};

constexpr auto schemaOf(const OperationOutcome*) { return describe(field<&OperationOutcome::operations>()); }

/// An operation that was begun here.
struct Progress
{
    std::string id;
    std::string command;
    /// `running`, `succeeded` or `failed`.
    std::string state;
    std::string requestedBy;
    std::string startedAt;
    std::optional<std::string> endedAt;
    std::optional<OperationOutcome> result;
    std::optional<OperationError> error;
};

constexpr auto schemaOf(const Progress*)
{
    return describe(members<&Progress::id, &Progress::command, &Progress::state, &Progress::requestedBy, &Progress::startedAt,
                            &Progress::endedAt, &Progress::result, &Progress::error>())
        .named("OperationProgress");
}

struct LogFieldView
{
    std::string name;
    std::string value;
};

constexpr auto schemaOf(const LogFieldView*) { return describe(members<&LogFieldView::name, &LogFieldView::value>()).named("LogField"); }

/// A record of the host's log.
struct LogRecordView
{
    /// Rises with each record, also over restarts.
    std::int64_t number = 0;
    std::string time;
    /// `debug`, `information`, `warning` or `error`.
    std::string level;
    /// `host` for the host itself.
    std::string service;
    /// Empty where it belongs to none.
    std::string requestId;
    std::string traceId;
    std::string message;
    std::vector<LogFieldView> fields;
};

constexpr auto schemaOf(const LogRecordView*)
{
    return describe(members<&LogRecordView::number, &LogRecordView::time, &LogRecordView::level, &LogRecordView::service,
                            &LogRecordView::requestId, &LogRecordView::traceId, &LogRecordView::message, &LogRecordView::fields>())
        .named("LogRecord");
}

/// Log records of the host, oldest first.
struct LogPage
{
    std::vector<LogRecordView> records;
    /// Value of `after` for the next request.
    std::int64_t next = 0;
    /// Number of requested records that the host no longer keeps.
    std::int64_t missed = 0;
};

constexpr auto schemaOf(const LogPage*) { return describe(members<&LogPage::records, &LogPage::next, &LogPage::missed>()); }

/// The host's load in the last hour, the oldest first: in each list a number for each of the times.
struct LoadSamples
{
    /// Between two times.
    std::int64_t intervalSeconds = 0;
    std::vector<std::string> at;
    /// Answers since the previous sample. `errors` are those of 500 and above. `refusals` are requests that reached no route, and those
    /// over a rate limit (429).
    std::vector<std::int64_t> requests;
    std::vector<std::int64_t> errors;
    std::vector<std::int64_t> refusals;
    /// 0 where nothing was answered.
    std::vector<std::int64_t> p50Microseconds;
    std::vector<std::int64_t> p99Microseconds;
    std::vector<std::int64_t> connections;
    std::vector<std::int64_t> busyWorkers;
    std::vector<std::int64_t> databaseSessions;
    std::vector<std::int64_t> residentKiB;
};

constexpr auto schemaOf(const LoadSamples*)
{
    return describe(members<&LoadSamples::intervalSeconds, &LoadSamples::at, &LoadSamples::requests, &LoadSamples::errors,
                            &LoadSamples::refusals, &LoadSamples::p50Microseconds, &LoadSamples::p99Microseconds, &LoadSamples::connections,
                            &LoadSamples::busyWorkers, &LoadSamples::databaseSessions, &LoadSamples::residentKiB>());
}

struct PluginDifference
{
    std::string service;
    /// A sentence.
    std::string text;
};

constexpr auto schemaOf(const PluginDifference*) { return describe(members<&PluginDifference::service, &PluginDifference::text>()); }

/// How the plugins that are installed differ from those that run.
struct InstalledPlugins
{
    std::vector<PluginDifference> differences;
    /// Problems of folders and settings that concern no single plugin.
    std::vector<std::string> warnings;
};

constexpr auto schemaOf(const InstalledPlugins*)
{
    return describe(members<&InstalledPlugins::differences, &InstalledPlugins::warnings>());
}

struct LogQuery
{
    std::string service;
    /// And above.
    std::string level;
    std::string requestId;
    /// 0: the newest.
    std::int64_t after = 0;
    std::int64_t limit = 200;
};

constexpr auto schemaOf(const LogQuery*)
{
    return describe(field<&LogQuery::service>().maxLength(40), field<&LogQuery::level>().maxLength(11),
                    field<&LogQuery::requestId>().maxLength(200), field<&LogQuery::after>().range(0, 9'007'199'254'740'991),
                    field<&LogQuery::limit>().range(1, 500));
}

/// Query of `operations` and `jobs`.
struct SystemQuery
{
    std::string service;
    std::string status;
    std::int64_t limit = 50;
};

constexpr auto schemaOf(const SystemQuery*)
{
    return describe(field<&SystemQuery::service>().maxLength(40), field<&SystemQuery::status>().maxLength(10),
                    field<&SystemQuery::limit>().range(1, 200));
}

} // namespace portico::admin
