#include "host/plugins/RequestScope.h"

namespace portico::host::plugins
{

namespace
{

thread_local std::string_view current;

} // namespace

RequestScope::RequestScope(std::string_view requestId) noexcept : _outer(current) { current = requestId; }

RequestScope::~RequestScope() { current = _outer; }

std::string_view RequestScope::currentId() noexcept { return current; }

} // namespace portico::host::plugins
