#pragma once

#include "portico/Services.h"
#include "portico/Tenant.h"

#include <cstdint>
#include <string_view>

namespace acme_notes
{

/// What other plugins may ask this one. They get this header; it is versioned in the manifest: an addition raises the minor.
class NoteCounter : public portico::ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "acme-notes.counter";
    static constexpr std::string_view interfaceVersion = "1.0";
    /// Notes of an organization. @throws portico::DatabaseError
    virtual std::int64_t count(portico::Tenant organization) = 0;
};

} // namespace acme_notes
