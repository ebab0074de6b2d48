#pragma once

#include "portico/Problem.h"

#include <string_view>

namespace portico::identity
{

/// 401 `invalid_token` with the reason in `details`.
Problem invalidToken(std::string_view reason);

} // namespace portico::identity
