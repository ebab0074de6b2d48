#include "host/admin/Commands.h"

#include "portico/Problem.h"

#include <algorithm>

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

json::value run(const Command& command, const CommandDependencies& parts, const ControlRequest& request)
try
{
    return command.run(parts, request);
}
catch (const Problem& problem)
{
    throw Refused(problem.code(), sentence(problem));
}

/// One command from its begin to the line that is written about it.
class Record
{
public:
    Record(const CommandDependencies& parts, const Command& command, const ControlRequest& request)
        : _parts(parts), _command(command), _request(request)
    {
    }

    void end(const json::value& answer, const std::string& error) const
    {
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - _begun);
        plugins::OperationResult operation;
        operation.command = _command.name;
        std::ranges::replace(operation.command, '.', ' ');
        operation.requestedBy = _request.peer.text;
        operation.serviceId = _request.text("service");
        operation.succeeded = error.empty();
        operation.steps.push_back({"run", "", operation.succeeded, took, error});
        const auto subject = _command.subject(_request, answer);
        for (const auto& message : {subject, error})
            if (!message.empty()) operation.messages.push_back(message);
        _parts.history.add(operation, SystemClock().now());
        auto& log = _parts.platform.logger();
        if (operation.succeeded)
            log.information("operation", {{"command", operation.command}, {"by", operation.requestedBy}, {"subject", subject}});
        else
            log.warning("operation failed",
                        {{"command", operation.command}, {"by", operation.requestedBy}, {"subject", subject}, {"reason", error}});
    }

private:
    const CommandDependencies& _parts;
    const Command& _command;
    const ControlRequest& _request;
    const std::chrono::steady_clock::time_point _begun = std::chrono::steady_clock::now();
};

json::value runRecorded(const Command& command, const CommandDependencies& parts, const ControlRequest& request)
{
    const Record record(parts, command, request);
    try
    {
        auto answer = run(command, parts, request);
        record.end(answer, {});
        return answer;
    }
    catch (const std::exception& error)
    {
        record.end(nullptr, error.what());
        throw;
    }
}

} // namespace

void addCommands(ControlCommands& commands, const CommandDependencies& parts)
{
    for (auto& some : {serviceCommands(), inspectionCommands(), configurationCommands(), dataCommands(), backupCommands()})
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
