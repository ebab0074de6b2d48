#pragma once

#include "portico/Form.h"
#include "portico/Url.h"

#include <string>
#include <string_view>

namespace portico::calendar
{

/// Fields of a query or of a form, in their order.
using Fields = FormValues;
/// The first value of a name; empty if there is none.
inline std::string_view fieldOf(const Fields& fields, std::string_view name) { return formValue(fields, name); }

/// `https://example.test:8443` of a URL.
std::string originOf(std::string_view url);

} // namespace portico::calendar
