#pragma once

#include "host/admin/ConfigurationReloader.h"
#include "host/admin/ControlCommands.h"
#include "host/admin/HostState.h"
#include "host/admin/OperationHistory.h"
#include "host/config/ConfigurationStore.h"
#include "host/platform/context/Platform.h"
#include "host/plugins/lifecycle/Lifecycle.h"
#include "host/plugins/package/Discovery.h"
#include "host/plugins/runtime/InterfaceRegistry.h"
#include "host/routing/table/RouteTable.h"

#include <functional>

namespace portico::host::admin
{

/// What the commands of the control socket work on. All of it outlives the socket.
struct CommandDependencies
{
    const HostState& state;
    config::ConfigurationStore& configuration;
    ConfigurationReloader& reloader;
    const ServiceSwitches& switches;
    OperationHistory& history;
    plugins::Lifecycle& lifecycle;
    platform::Platform& platform;
    const plugins::InterfaceRegistry& interfaces;
    const routing::CurrentTable& routes;
    /// The plugins that are installed now.
    std::function<plugins::Discovery()> discover;
    std::function<std::string()> metrics;
    std::function<void()> requestStop;
};

// Each adds its commands; `parts` is kept by reference.
void addServiceCommands(ControlCommands& commands, const CommandDependencies& parts);
void addInspectionCommands(ControlCommands& commands, const CommandDependencies& parts);
void addConfigurationCommands(ControlCommands& commands, const CommandDependencies& parts);
void addDataCommands(ControlCommands& commands, const CommandDependencies& parts);
void addBackupCommands(ControlCommands& commands, const CommandDependencies& parts);

/// What a recorded command was about, from what was asked and, once it is done, answered; `answer` is null when it failed.
using Subject = std::function<std::string(const ControlRequest& request, const boost::json::value& answer)>;
/// A command that changes something: who asked for it and how it ended is written down, whatever it was.
ControlCommands::Handler recorded(const CommandDependencies& parts, std::string command, Subject subject, ControlCommands::Handler run);

/// What keeps a service from serving, and when it is tried again by itself; empty if nothing does.
std::string troubleOf(const plugins::ServiceReport& service);

/// @throws ControlError `unknown_service` that names those there are
void requireService(const CommandDependencies& parts, const std::string& serviceId);

} // namespace portico::host::admin
