#pragma once

#include "common/Ids.h"

#include <optional>
#include <string>

namespace portico::identity
{

/// Something that someone may have to answer for later.
struct AuditEntry
{
    /// `session.created`, `api_key.revoked`, …
    std::string type;
    /// `user`, `api_key`, `operator` or `anonymous`.
    std::string actorType = {};
    std::string actorId = {};
    /// Id of the record that it was done to.
    std::string target = {};
    std::string serviceId = {};
    std::optional<OrganizationId> organizationId = {};
    /// `success` or `refused`.
    std::string outcome = "success";
    /// JSON text of an object.
    std::string details = "{}";
};

} // namespace portico::identity
