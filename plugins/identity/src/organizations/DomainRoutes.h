#pragma once

#include "common/Core.h"
#include "common/DomainName.h"
#include "mails/Mails.h"
#include "organizations/DnsLookup.h"
#include "organizations/OrganizationRoutes.h"
#include "permissions/Actor.h"
#include "users/User.h"

#include "portico/Routes.h"

namespace portico::identity
{

/// DNS record that verifies a domain.
struct DnsRecord
{
    std::string name;
    std::string type = "TXT";
    std::string value;
};

constexpr auto schemaOf(const DnsRecord*) { return describe(members<&DnsRecord::name, &DnsRecord::type, &DnsRecord::value>()); }

/// A row of `organization_domains`.
struct DomainClaim : Versioned
{
    std::string domain;
    DomainStatus status = DomainStatus::Pending;
    std::optional<Role> autoJoinRole;
    std::optional<Instant> verifiedAt;
    DnsRecord dnsRecord;

    std::string token;
    /// User who has set the role.
    std::optional<UserId> autoJoinBy;
    /// Time at which the record was first missing.
    std::optional<Instant> missingSince;
};

constexpr auto schemaOf(const DomainClaim*)
{
    return describe(members<&DomainClaim::domain, &DomainClaim::status, &DomainClaim::autoJoinRole, &DomainClaim::verifiedAt>(),
                    field<&DomainClaim::dnsRecord>().transient(), versioned<DomainClaim>(), field<&DomainClaim::token>().columnOnly(),
                    field<&DomainClaim::autoJoinBy>().columnOnly(), field<&DomainClaim::missingSince>().columnOnly())
        .named("OrganizationDomain");
}

inline constexpr Table domainTable{"organization_domains", &DomainClaim::domain};

namespace domains
{
/// Returns true if a user's verified address is in a domain that the organization has verified.
bool holds(Session& session, const OrganizationId& organization, const User& user);

/// Makes a user with a verified address a member of the organization that has verified its domain, if auto-join is enabled. Users who were
/// removed do not rejoin. Does nothing while the organization has no free seat.
/// @return whether the user has joined
bool joinByAddress(PluginContext& context, Transaction& transaction, const User& user, Instant now);
/// Returns true if the address would join. It must then be verified by a link, because codes of six digits can be guessed.
bool joins(Session& session, std::string_view email);
} // namespace domains

struct DomainInput
{
    std::string domain;
    std::optional<Role> autoJoinRole;
};

constexpr auto schemaOf(const DomainInput*)
{
    return describe(field<&DomainInput::domain>().required().trimmed().maxLength(253).matches(
                        domains::isDomain, "invalid_domain", "a domain name such as acme.example, in lower case"),
                    field<&DomainInput::autoJoinRole>());
}

/// Mail to the owners of an organization whose domain record is missing.
struct DomainGoneMail
{
    std::string organization;
    std::string domain;
    std::string recordName;
    std::string recordValue;
    /// It is theirs no more; else the record can still be put back.
    bool lost = false;
    bool missing = false;
};

constexpr auto schemaOf(const DomainGoneMail*)
{
    return describe(members<&DomainGoneMail::organization, &DomainGoneMail::domain, &DomainGoneMail::recordName,
                            &DomainGoneMail::recordValue, &DomainGoneMail::lost, &DomainGoneMail::missing>());
}

/// Payload of the job that checks a domain's record again.
struct ProvedDomain
{
    OrganizationId organizationId;
    std::string domain;
};

constexpr auto schemaOf(const ProvedDomain*) { return describe(members<&ProvedDomain::organizationId, &ProvedDomain::domain>()); }

/// Domains of organizations, verified by a DNS record that is checked again daily. A former holder of a domain thereby loses control over
/// the users of its next holder. Thread-safe.
class DomainRoutes
{
public:
    explicit DomainRoutes(Core& core)
        : _core(core), _dns(core.context.config().list("identity.domains.resolvers")), _gone(core.mails.bind<DomainGoneMail>("domain-gone"))
    {
    }
    void start();
    void declare(Routes& routes);

    Page<DomainClaim> list(const Caller& caller, const Path<OrganizationId>& id, const Paging& paging) const;
    Created<DomainClaim> create(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                const Body<DomainInput>& input);
    DomainClaim verify(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<std::string>& domain,
                       const Body<NoInput>& input);
    NoContent remove(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<std::string>& domain,
                     const IfMatch& match);

private:
    /// Refuses whom this is no affair of, before anything is asked of others.
    DomainClaim requireClaim(const Caller& caller, const OrganizationId& id, const std::string& domain) const;

    void lookAgain();
    void lookAt(const ProvedDomain& one);
    /// Updates a verified domain after its record was checked.
    void settle(const OrganizationId& id, const DomainClaim& seen, bool there);
    /// Revokes another organization's verification if its record is missing now and was missing before, and a newer record exists.
    /// @throws Problem 409 `domain_claimed`
    void takeOver(Transaction& transaction, const OrganizationId& heir, const std::string& domain, const std::vector<std::string>& texts);
    void loses(Transaction& transaction, const OrganizationId& id, const DomainClaim& claim, Instant now);
    void tellOwners(Transaction& transaction, const OrganizationId& id, const DomainClaim& claim, bool lost) const;

    Core& _core;
    DnsLookup _dns;
    MailTemplate<DomainGoneMail> _gone;
};

} // namespace portico::identity
