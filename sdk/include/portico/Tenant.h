#pragma once

#include "portico/Id.h"

#include <string_view>

namespace portico
{

using OrganizationId = Id<"org">;
using UserId = Id<"usr">;

/// Owner of data: an organization, or a person in services with personal context. Queries on tenant data take it, so that no text becomes a
/// tenant by mistake. `Caller::tenant()` returns it. A view, passed by value: it must not outlive its source.
class Tenant
{
public:
    /// Neither is empty.
    Tenant(const OrganizationId& organization) noexcept : _text(organization.text()) {}
    Tenant(const UserId& person) noexcept : _text(person.text()) {}
    Tenant(OrganizationId&&) = delete;
    Tenant(UserId&&) = delete;
    /// Tenant from an id that you stored yourself. The only conversion from text.
    static Tenant fromStored(std::string_view text) noexcept { return Tenant(text); }

    std::string_view text() const noexcept { return _text; }
    bool isUser() const noexcept { return _text.starts_with(UserId::prefix); }
    bool operator==(const Tenant&) const = default;

private:
    explicit Tenant(std::string_view text) noexcept : _text(text) {}
    std::string_view _text;
};

} // namespace portico
