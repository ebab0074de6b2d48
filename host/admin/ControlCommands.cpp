#include "host/admin/ControlCommands.h"

namespace portico::host::admin
{

namespace
{

/// Returns null if the argument is missing. @throws Refused `invalid_request` for another type
const json::value* find(const json::object& arguments, std::string_view name, bool (json::value::*isRight)() const noexcept,
                        const char* expected)
{
    const auto* value = arguments.if_contains(json::string_view(name.data(), name.size()));
    if (value && !(value->*isRight)())
        throw Refused("invalid_request", "The argument '" + std::string(name) + "' must be " + expected + ".");
    return value;
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
    if (!command || !command->is_string()) throw Refused("invalid_request", "A request is a line {\"command\":…,\"arguments\":{…}}.");
    ControlRequest request{std::string(command->get_string()), {}, peer};
    if (const auto* arguments = find(*object, "arguments", &json::value::is_object, "an object"))
        request.arguments = arguments->get_object();
    return request;
}

} // namespace

std::string ControlRequest::text(std::string_view name, std::string_view otherwise) const
{
    const auto* value = find(arguments, name, &json::value::is_string, "a text");
    return value ? std::string(value->get_string()) : std::string(otherwise);
}

bool ControlRequest::flag(std::string_view name) const
{
    const auto* value = find(arguments, name, &json::value::is_bool, "true or false");
    return value && value->get_bool();
}

std::int64_t ControlRequest::number(std::string_view name, std::int64_t otherwise) const
{
    const auto* value = find(arguments, name, &json::value::is_int64, "a whole number");
    return value ? value->get_int64() : otherwise;
}

std::vector<std::string> ControlRequest::texts(std::string_view name) const
{
    const auto* value = find(arguments, name, &json::value::is_array, "a list");
    std::vector<std::string> items;
    if (!value) return items;
    for (const auto& item : value->get_array())
    {
        if (!item.is_string()) throw Refused("invalid_request", "The argument '" + std::string(name) + "' must be a list of texts.");
        items.emplace_back(item.get_string());
    }
    return items;
}

json::value ControlCommands::run(std::string_view line, const Peer& peer) const
{
    const auto request = parse(line, peer);
    const auto found = _handlers.find(request.command);
    if (found == _handlers.end()) throw Refused("unknown_command", "This daemon does not know the command '" + request.command + "'.");
    return found->second(request);
}

std::string ControlCommands::commandOf(std::string_view line)
{
    try
    {
        return parse(line, {}).command;
    }
    catch (const Refused&)
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
    catch (const Refused& error)
    {
        return failure(error.code(), error.what(), error.result());
    }
    catch (const std::exception& error)
    {
        return failure("failed", error.what(), {});
    }
}

} // namespace portico::host::admin
