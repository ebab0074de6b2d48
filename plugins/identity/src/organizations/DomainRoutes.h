#pragma once

#include "common/Core.h"
#include "organizations/DnsLookup.h"
#include "organizations/OrganizationRoutes.h"
#include "permissions/Actor.h"
#include "users/User.h"

#include "portico/Routes.h"

namespace portico::identity
{

/// What an organization puts into its zone to prove that a domain is its own.
struct DnsRecord
{
    std::string name;
    std::string type = "TXT";
    std::string value;
};

constexpr auto schemaOf(const DnsRecord*)
{
    return describe(field("name", &DnsRecord::name), field("type", &DnsRecord::type), field("value", &DnsRecord::value));
}

/// A row of `organization_domains`.
struct DomainClaim : Versioned
{
    std::string domain;
    DomainStatus status = DomainStatus::Pending;
    std::optional<Role> autoJoinRole;
    std::optional<Instant> verifiedAt;
    DnsRecord dnsRecord;

    std::string token;
};

constexpr auto schemaOf(const DomainClaim*)
{
    return describe(field("domain", &DomainClaim::domain), field("status", &DomainClaim::status),
                    field("autoJoinRole", &DomainClaim::autoJoinRole), field("verifiedAt", &DomainClaim::verifiedAt),
                    field("dnsRecord", &DomainClaim::dnsRecord).transient(), versioned<DomainClaim>(),
                    field("token", &DomainClaim::token).columnOnly())
        .named("OrganizationDomain");
}

inline constexpr Table domainTable{"organization_domains", &DomainClaim::domain};

namespace domains
{
/// A name of at least two labels, in lower case and in ASCII (RFC 1035, 2.3.1; others in the form of RFC 5890).
bool isDomain(std::string_view text) noexcept;

/// Makes somebody who has proved their address a member of the organization that has proved its domain, if it wants that: once; who was
/// taken out stays out. @return whether they have joined
bool joinByAddress(Transaction& transaction, const User& user, Instant now);
} // namespace domains

struct DomainInput
{
    std::string domain;
    std::optional<Role> autoJoinRole;
};

constexpr auto schemaOf(const DomainInput*)
{
    return describe(field("domain", &DomainInput::domain)
                        .required()
                        .trimmed()
                        .maxLength(253)
                        .matches(domains::isDomain, "invalid_domain", "A domain name as acme.example, in lower case"),
                    field("autoJoinRole", &DomainInput::autoJoinRole));
}

/// Domains of organizations, proved by a record in their zone. Thread-safe.
class DomainRoutes
{
public:
    explicit DomainRoutes(Core& core) : _core(core), _dns(core.context.config().list("identity.domains.resolvers")) {}
    void declare(Routes& routes);

    Page<DomainClaim> list(const Caller& caller, const Path<OrganizationId>& id, const Paging& paging) const;
    Created<DomainClaim> create(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                const Body<DomainInput>& input);
    DomainClaim verify(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<std::string>& domain,
                       const Body<NoInput>& input);
    NoContent remove(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<std::string>& domain);

private:
    /// Refuses whom this is no affair of, before anything is asked of others.
    DomainClaim requireClaim(const Caller& caller, const OrganizationId& id, const std::string& domain) const;
    void audit(Transaction& transaction, const Caller& caller, const Request& request, const OrganizationId& id, std::string_view event,
               const std::string& domain) const;

    Core& _core;
    DnsLookup _dns;
};

} // namespace portico::identity
