#pragma once

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace portico::mobile
{

namespace json = boost::json;

/// Empty: not a JSON object, or nested deeper than 32 levels.
std::optional<json::object> readObject(std::string_view text);
/// A text member; empty if there is none.
std::string textOf(const json::object& object, std::string_view name);
/// An object member; null if there is none.
const json::object* objectOf(const json::object& object, std::string_view name);
/// An integer member of 0 or more; 0 if there is none.
std::int64_t countOf(const json::object& object, std::string_view name);

} // namespace portico::mobile
