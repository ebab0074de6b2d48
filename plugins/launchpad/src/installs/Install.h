#pragma once

#include "common/Ids.h"

#include "portico/Table.h"

#include <string>

namespace portico::launchpad
{

enum class InstallState
{
    Installed,
    /// Also hides an app that is installed by default.
    Removed
};

constexpr auto schemaOf(const InstallState*)
{
    return portico::choices<InstallState>({{"installed", InstallState::Installed}, {"removed", InstallState::Removed}});
}

/// An app that an organization or a person has installed or removed.
struct Install : Versioned
{
    std::string serviceId;
    /// Empty: the organization as a whole.
    std::string userId;
    InstallState state = InstallState::Installed;
    std::string installedBy;
};

constexpr auto schemaOf(const Install*)
{
    return describe(field<&Install::serviceId>("service_id"), members<&Install::userId, &Install::state, &Install::installedBy>(),
                    versioned<Install>());
}

inline constexpr Table installTable{"install", &Install::serviceId, &Install::userId};

enum class RequestStatus
{
    Pending,
    Approved,
    Rejected,
    Expired
};

constexpr auto schemaOf(const RequestStatus*)
{
    using enum RequestStatus;
    return portico::choices<RequestStatus>({{"pending", Pending}, {"approved", Approved}, {"rejected", Rejected}, {"expired", Expired}});
}

/// A person asks for an app.
struct InstallRequest : Versioned
{
    InstallRequestId id;
    std::string serviceId;
    std::string userId;
    std::string reason;
    RequestStatus status = RequestStatus::Pending;
    std::string actionId;
};

constexpr auto schemaOf(const InstallRequest*)
{
    return describe(field<&InstallRequest::id>(), field<&InstallRequest::serviceId>("service_id"),
                    members<&InstallRequest::userId, &InstallRequest::reason, &InstallRequest::status, &InstallRequest::actionId>(),
                    versioned<InstallRequest>());
}

inline constexpr Table installRequestTable{"install_request", &InstallRequest::id};

} // namespace portico::launchpad
