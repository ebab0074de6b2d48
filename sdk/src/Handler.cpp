#include "portico/Handler.h"

namespace portico
{
// Key functions: the vtable lives here, so that it outlives every plugin.
Handler::~Handler() = default;
ReceivedFile::~ReceivedFile() = default;
} // namespace portico
