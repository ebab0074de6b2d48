#pragma once

#include <string_view>

namespace portico::testing
{

/// Text of the platform's migration, so that tests need no installed host.
std::string_view platformTables() noexcept;

} // namespace portico::testing
