#include "host/plugins/lifecycle/Operation.h"

namespace portico::host::plugins
{

void Operation::failAgain(const std::string& serviceId, const std::string& text)
{
    _failed = true;
    _result.messages.push_back(serviceId.empty() ? text : serviceId + ": " + text);
}

void Operation::fail(const std::string& serviceId, const std::string& text)
{
    failAgain(serviceId, text);
    _log.error("plugin command failed",
               {{"command", _result.command}, {"service", serviceId}, {"by", _result.requestedBy}, {"error", text}});
}

void Operation::note(const std::string& serviceId, const std::string& text)
{
    _result.messages.push_back(serviceId.empty() ? text : serviceId + ": " + text);
    _log.write(_again ? LogLevel::Debug : LogLevel::Warning, "plugin command",
               {{"command", _result.command}, {"service", serviceId}, {"by", _result.requestedBy}, {"note", text}});
}

void Operation::changed(const std::string& serviceId, std::string_view what, std::string_view fromHash, std::string_view toHash,
                        std::string_view provenance)
{
    const auto orNone = [](std::string_view text) { return text.empty() ? std::string_view("none") : text; };
    _log.information("plugin changed", {{"command", _result.command},
                                        {"service", serviceId},
                                        {"by", _result.requestedBy},
                                        {"change", what},
                                        {"from", orNone(fromHash)},
                                        {"to", orNone(toHash)},
                                        {"provenance", orNone(provenance)}});
}

OperationResult Operation::finish()
{
    _result.succeeded = !_failed;
    return std::move(_result);
}

} // namespace portico::host::plugins
