#pragma once

#include "portico/Services.h"
#include "portico/Tenant.h"

#include <cstdint>
#include <string_view>

namespace acme_notes
{

/// Interface for other plugins, which get this header. The manifest contains its version: an addition raises the minor number.
class NoteCounter : public portico::ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "acme-notes.counter";
    static constexpr std::string_view interfaceVersion = "1.0";
    /// Notes of an organization. @throws portico::DatabaseError
    virtual std::int64_t count(portico::Tenant organization) = 0;
};

} // namespace acme_notes
