#include "host/admin/Commands.h"

namespace portico::host::admin
{

namespace json = boost::json;

namespace
{

/// One command from its begin to the line that is written about it.
class Record
{
public:
    Record(const CommandDependencies& parts, const std::string& command, const ControlRequest& request) : _parts(parts)
    {
        _operation.command = command;
        _operation.requestedBy = request.peer.text;
        _operation.serviceId = request.text("service");
    }

    void end(bool succeeded, const std::string& subject, const std::string& error)
    {
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - _begun);
        _operation.succeeded = succeeded;
        _operation.steps.push_back({"run", "", succeeded, took, error});
        if (!subject.empty()) _operation.messages.push_back(subject);
        if (!error.empty()) _operation.messages.push_back(error);
        _parts.history.add(_operation, SystemClock().now());
        auto& log = _parts.platform.logger();
        if (succeeded)
            log.information("operation", {{"command", _operation.command}, {"by", _operation.requestedBy}, {"subject", subject}});
        else
            log.warning("operation failed",
                        {{"command", _operation.command}, {"by", _operation.requestedBy}, {"subject", subject}, {"reason", error}});
    }

private:
    const CommandDependencies& _parts;
    const std::chrono::steady_clock::time_point _begun = std::chrono::steady_clock::now();
    plugins::OperationResult _operation;
};

} // namespace

ControlCommands::Handler recorded(const CommandDependencies& parts, std::string command, Subject subject, ControlCommands::Handler run)
{
    return [&parts, command = std::move(command), subject = std::move(subject), run = std::move(run)](const ControlRequest& request)
    {
        Record record(parts, command, request);
        try
        {
            auto answer = run(request);
            record.end(true, subject(request, answer), {});
            return answer;
        }
        catch (const std::exception& error)
        {
            record.end(false, subject(request, nullptr), error.what());
            throw;
        }
    };
}

} // namespace portico::host::admin
