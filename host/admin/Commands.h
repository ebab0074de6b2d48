#pragma once

#include "host/admin/ConfigurationReloader.h"
#include "host/admin/ControlCommands.h"
#include "host/admin/HostState.h"
#include "host/admin/LoadHistory.h"
#include "host/admin/OperationHistory.h"
#include "host/config/Configuration.h"
#include "host/platform/context/Platform.h"
#include "host/plugins/lifecycle/Lifecycle.h"
#include "host/plugins/package/Discovery.h"
#include "host/plugins/runtime/InterfaceRegistry.h"
#include "host/routing/table/RouteTable.h"
#include "host/telemetry/LogTail.h"

#include <functional>
#include <vector>

namespace portico::host::admin
{

/// Dependencies of the control socket's commands. All outlive the socket.
struct CommandDependencies
{
    const HostState& state;
    config::ConfigurationStore& configuration;
    ConfigurationReloader& reloader;
    OperationHistory& history;
    plugins::Lifecycle& lifecycle;
    platform::Platform& platform;
    const plugins::InterfaceRegistry& interfaces;
    const routing::CurrentTable& routes;
    /// The plugins that are installed now.
    std::function<plugins::Discovery()> discover;
    std::function<std::string()> metrics;
    /// Data for a console; null if the host has none (`admin.console`).
    const telemetry::LogTail* log;
    const LoadHistory* load;
    std::function<void()> requestStop;
};

/// One command.
struct Command
{
    /// `jobs.retry`, which porticoctl calls `jobs retry`.
    std::string name;
    /// @throws Refused, and Problem of the services below, which becomes a refusal with its code
    std::function<boost::json::value(const CommandDependencies& parts, const ControlRequest& request)> run;
    /// Set for commands that change state: returns the subject for the record of caller and result, from the request and, after success,
    /// the answer. `answer` is null when the command failed. Null for read-only commands.
    std::string (*subject)(const ControlRequest& request, const boost::json::value& answer) = nullptr;
};

// The commands, by what they are about.
std::vector<Command> serviceCommands();
std::vector<Command> inspectionCommands();
std::vector<Command> configurationCommands();
std::vector<Command> dataCommands();
std::vector<Command> backupCommands();
std::vector<Command> consoleCommands();

/// Adds them all; `parts` is kept by reference.
void addCommands(ControlCommands& commands, const CommandDependencies& parts);

/// Returns the reason why a service does not serve, and the time of its retry; empty if it serves.
std::string troubleOf(const plugins::ServiceReport& service);

/// @throws Refused `unknown_service` that names those there are
void requireService(const CommandDependencies& parts, const std::string& serviceId);

} // namespace portico::host::admin
