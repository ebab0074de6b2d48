#include "host/plugins/lifecycle/LifecycleReport.h"

namespace portico::host::plugins
{

std::string_view name(State state) noexcept
{
    switch (state)
    {
    case State::Discovered:
        return "discovered";
    case State::Verified:
        return "verified";
    case State::Migrated:
        return "migrated";
    case State::Starting:
        return "starting";
    case State::Serving:
        return "serving";
    case State::Draining:
        return "draining";
    case State::Stopped:
        return "stopped";
    case State::Resident:
        return "resident";
    case State::Failed:
        return "failed";
    case State::Waiting:
        return "waiting";
    case State::Quarantined:
        return "quarantined";
    case State::Disabled:
        return "disabled";
    }
    return "";
}

} // namespace portico::host::plugins
