#pragma once

#include "portico/Schema.h"

namespace portico::social
{

/// Why a publication failed or is refused (2.A.3).
enum class FailureCode
{
    TextTooLong,
    MediaMissing,
    MediaRejected,
    MediaTooLarge,
    TargetGone,
    PermissionDenied,
    DuplicateContent,
    RateLimited,
    NetworkUnreachable,
    PlatformError,
    ReconnectRequired,
    MissedSchedule,
    OutcomeUnknown,
    PlatformNotReady,
    Internal
};

constexpr auto schemaOf(const FailureCode*)
{
    using enum FailureCode;
    return portico::choices<FailureCode>({{"text_too_long", TextTooLong},
                                          {"media_missing", MediaMissing},
                                          {"media_rejected", MediaRejected},
                                          {"media_too_large", MediaTooLarge},
                                          {"target_gone", TargetGone},
                                          {"permission_denied", PermissionDenied},
                                          {"duplicate_content", DuplicateContent},
                                          {"rate_limited", RateLimited},
                                          {"network_unreachable", NetworkUnreachable},
                                          {"platform_error", PlatformError},
                                          {"reconnect_required", ReconnectRequired},
                                          {"missed_schedule", MissedSchedule},
                                          {"outcome_unknown", OutcomeUnknown},
                                          {"platform_not_ready", PlatformNotReady},
                                          {"internal", Internal}});
}

} // namespace portico::social
