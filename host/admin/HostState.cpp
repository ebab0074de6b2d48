#include "host/admin/HostState.h"

namespace portico::host::admin
{

std::string_view name(HostPhase phase) noexcept
{
    switch (phase)
    {
    case HostPhase::Starting:
        return "starting";
    case HostPhase::Serving:
        return "serving";
    case HostPhase::Stopping:
        return "stopping";
    }
    return "unknown";
}

} // namespace portico::host::admin
