#include "host/admin/Commands.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::host::admin
{

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

json::value run(const Command& command, const CommandDependencies& parts, const ControlRequest& request)
try
{
    return command.run(parts, request);
}
catch (const Problem& problem)
{
    throw Refused(problem.code(), sentence(problem));
}

/// Runs a command and records its caller and result in the list of operations and the log.
json::value runRecorded(const Command& command, const CommandDependencies& parts, const ControlRequest& request)
{
    const auto begun = std::chrono::steady_clock::now();
    const auto record = [&](const json::value& answer, const std::string& error)
    {
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begun);
        plugins::OperationResult operation;
        operation.command = command.name;
        std::ranges::replace(operation.command, '.', ' ');
        operation.requestedBy = request.peer.text;
        operation.serviceId = request.text("service");
        operation.succeeded = error.empty();
        operation.steps.push_back({"run", "", operation.succeeded, took, error});
        const auto subject = command.subject(request, answer);
        for (const auto& message : {subject, error})
            if (!message.empty()) operation.messages.push_back(message);
        parts.history.add(operation, SystemClock().now());
        auto& log = parts.platform.logger();
        if (operation.succeeded)
            log.information("operation", {{"command", operation.command}, {"by", operation.requestedBy}, {"subject", subject}});
        else
            log.warning("operation failed",
                        {{"command", operation.command}, {"by", operation.requestedBy}, {"subject", subject}, {"reason", error}});
    };
    try
    {
        auto answer = run(command, parts, request);
        record(answer, {});
        return answer;
    }
    catch (const std::exception& error)
    {
        record(nullptr, error.what());
        throw;
    }
}

} // namespace

void addCommands(ControlCommands& commands, const CommandDependencies& parts)
{
    for (auto& some :
         {serviceCommands(), inspectionCommands(), configurationCommands(), dataCommands(), backupCommands(), consoleCommands()})
        for (auto& command : some)
            commands.add(command.name, [&parts, command](const ControlRequest& request)
                         { return command.subject ? runRecorded(command, parts, request) : run(command, parts, request); });
}

void requireService(const CommandDependencies& parts, const std::string& serviceId)
{
    std::string known;
    for (const auto& service : parts.lifecycle.status())
    {
        if (service.serviceId == serviceId) return;
        known.append(known.empty() ? "" : ", ").append(service.serviceId);
    }
    // A plugin that was installed since the start is known once a command has looked for it.
    if (parts.discover().plugins.contains(serviceId)) return;
    throw Refused("unknown_service",
                  "There is no service '" + serviceId + "'. " + (known.empty() ? "None is installed." : "There are: " + known + "."));
}

} // namespace portico::host::admin
