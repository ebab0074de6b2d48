#include "portico/Handler.h"

namespace portico
{
// Key functions: the vtable lives here, so that it outlives every plugin.
Handler::~Handler() = default;
void Handler::check(Request&) const {}
std::string Handler::problemBody(const Problem&) const { return {}; }
ReceivedFile::~ReceivedFile() = default;
} // namespace portico
