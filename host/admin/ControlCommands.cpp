#include "host/admin/ControlCommands.h"

#include "portico/Problem.h"

namespace portico::host::admin
{

namespace json = boost::json;

namespace
{

[[noreturn]] void wrongType(std::string_view name, const char* expected)
{
    throw ControlError("invalid_request", "The argument '" + std::string(name) + "' must be " + expected + ".");
}

std::string failure(const std::string& code, std::string_view message, const json::value& result)
{
    json::object answer{{"ok", false}, {"error", {{"code", code}, {"message", message}}}};
    if (!result.is_null()) answer["result"] = result;
    return json::serialize(answer);
}

ControlRequest parse(std::string_view line, const Peer& peer)
{
    json::error_code error;
    auto value = json::parse(json::string_view(line.data(), line.size()), error);
    const auto* object = error ? nullptr : value.if_object();
    const auto* command = object ? object->if_contains("command") : nullptr;
    if (!command || !command->is_string()) throw ControlError("invalid_request", "A request is a line {\"command\":…,\"arguments\":{…}}.");
    ControlRequest request{std::string(command->get_string()), {}, peer};
    const auto* arguments = object->if_contains("arguments");
    if (arguments && !arguments->is_object()) wrongType("arguments", "an object");
    if (arguments) request.arguments = arguments->get_object();
    return request;
}

} // namespace

std::string ControlRequest::text(std::string_view name, std::string_view otherwise) const
{
    const auto* value = arguments.if_contains(json::string_view(name.data(), name.size()));
    if (!value) return std::string(otherwise);
    if (!value->is_string()) wrongType(name, "a text");
    return std::string(value->get_string());
}

bool ControlRequest::flag(std::string_view name) const
{
    const auto* value = arguments.if_contains(json::string_view(name.data(), name.size()));
    if (!value) return false;
    if (!value->is_bool()) wrongType(name, "true or false");
    return value->get_bool();
}

std::int64_t ControlRequest::number(std::string_view name, std::int64_t otherwise) const
{
    const auto* value = arguments.if_contains(json::string_view(name.data(), name.size()));
    if (!value) return otherwise;
    if (!value->is_int64()) wrongType(name, "a whole number");
    return value->get_int64();
}

std::vector<std::string> ControlRequest::texts(std::string_view name) const
{
    const auto* value = arguments.if_contains(json::string_view(name.data(), name.size()));
    if (!value) return {};
    if (!value->is_array()) wrongType(name, "a list");
    std::vector<std::string> items;
    for (const auto& item : value->get_array())
    {
        if (!item.is_string()) wrongType(name, "a list of texts");
        items.emplace_back(item.get_string());
    }
    return items;
}

json::value ControlCommands::run(std::string_view line, const Peer& peer) const
{
    const auto request = parse(line, peer);
    const auto found = _handlers.find(request.command);
    if (found == _handlers.end()) throw ControlError("unknown_command", "This daemon does not know the command '" + request.command + "'.");
    return found->second(request);
}

std::string ControlCommands::commandOf(std::string_view line)
{
    try
    {
        return parse(line, {}).command;
    }
    catch (const ControlError&)
    {
        // Its answer will say what is wrong with it.
        return {};
    }
}

std::string ControlCommands::answer(std::string_view line, const Peer& peer) const noexcept
{
    try
    {
        return json::serialize(json::object{{"ok", true}, {"result", run(line, peer)}});
    }
    catch (const ControlError& error)
    {
        return failure(error.code(), error.what(), error.result());
    }
    catch (const std::exception& error)
    {
        return failure("failed", error.what(), {});
    }
}

} // namespace portico::host::admin
