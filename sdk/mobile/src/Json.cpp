#include "Json.h"

namespace portico::mobile
{

std::optional<json::object> readObject(std::string_view text)
{
    boost::system::error_code error;
    auto value = json::parse(json::string_view(text.data(), text.size()), error);
    if (error || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

std::string textOf(const json::object& object, std::string_view name)
{
    const auto* value = object.if_contains(json::string_view(name.data(), name.size()));
    return value && value->is_string() ? std::string(value->get_string().c_str(), value->get_string().size()) : std::string();
}

const json::object* objectOf(const json::object& object, std::string_view name)
{
    const auto* value = object.if_contains(json::string_view(name.data(), name.size()));
    return value ? value->if_object() : nullptr;
}

std::int64_t countOf(const json::object& object, std::string_view name)
{
    const auto* value = object.if_contains(json::string_view(name.data(), name.size()));
    return value && value->is_int64() && value->get_int64() > 0 ? value->get_int64() : 0;
}

} // namespace portico::mobile
