#include "portico/Helper.h"

namespace portico
{

Helpers::~Helpers() = default;

HelperFault::HelperFault(Cause cause, std::string_view why, int exitCode, std::string_view report)
    : _cause(cause), _exitCode(exitCode), _why(why), _report(report)
{
}
HelperFault::HelperFault(const HelperFault&) = default;
HelperFault::~HelperFault() = default;

std::string_view name(HelperFault::Cause cause) noexcept
{
    switch (cause)
    {
    case HelperFault::Cause::Failed:
        return "failed";
    case HelperFault::Cause::Crashed:
        return "crashed";
    case HelperFault::Cause::TimedOut:
        return "timed_out";
    case HelperFault::Cause::OutOfMemory:
        return "out_of_memory";
    case HelperFault::Cause::OutputTooLarge:
        return "output_too_large";
    case HelperFault::Cause::Forbidden:
        return "forbidden";
    case HelperFault::Cause::Stopped:
        return "stopped";
    case HelperFault::Cause::NotStarted:
        break;
    }
    return "not_started";
}

} // namespace portico
