#pragma once

#include <initializer_list>
#include <string_view>

namespace portico::detail
{

/// Returns true for a Content-Type that is one of the media types, without another charset than UTF-8.
bool isUtf8Type(std::string_view contentType, std::initializer_list<std::string_view> types);

} // namespace portico::detail
