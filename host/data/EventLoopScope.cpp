#include "host/data/EventLoopScope.h"

namespace portico::host::data
{

namespace
{

thread_local bool onLoop = false;

} // namespace

EventLoopScope::EventLoopScope() noexcept { onLoop = true; }
EventLoopScope::~EventLoopScope() { onLoop = false; }
bool EventLoopScope::active() noexcept { return onLoop; }

} // namespace portico::host::data
