#pragma once

#include "portico/Form.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// The only value of a field of a form; empty if the form does not have it. @throws Problem 400 if it is sent twice.
std::string fieldOf(const FormValues& fields, std::string_view name);

/// All values of a field that may be sent several times (RFC 8707, 2), in their order, without repetitions and empty ones.
std::vector<std::string> valuesOf(const FormValues& fields, std::string_view name);

bool isJsonType(std::string_view contentType);

} // namespace portico::identity
