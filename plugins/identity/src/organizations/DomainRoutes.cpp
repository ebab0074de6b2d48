#include "organizations/DomainRoutes.h"

#include "audit/Audit.h"
#include "organizations/Memberships.h"
#include "organizations/Plans.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr std::string_view recordLabel = "_portico-challenge.";
constexpr std::string_view recordPrefix = "portico-domain-verification=";
constexpr std::int64_t maxDomains = 50;
constexpr std::string_view lookJob = "identity.domains";
constexpr std::string_view oneLookJob = "identity.domain";
/// Maximum checks that begin in one second: each blocks a thread for seconds if no server answers.
constexpr std::size_t looksPerSecond = 10;
constexpr std::chrono::hours lookInterval{24};
/// Time for which a verified record may be missing.
constexpr auto timeToMend = std::chrono::hours(24 * 7);

Problem domainClaimed() { return Problem::conflict("domain_claimed", "Another organization has proved that this domain is its own."); }

void complete(DomainClaim& claim)
{
    claim.dnsRecord.name = std::string(recordLabel) + claim.domain;
    claim.dnsRecord.value = std::string(recordPrefix) + claim.token;
}

/// Several organizations may claim a domain, but only one can verify it. A verified claim whose record is missing does not block others.
void requireUnclaimed(Session& session, const OrganizationId& organization, const std::string& domain)
{
    if (session.value<std::int64_t>("SELECT 1 FROM organization_domains WHERE domain = $1 AND status = 'verified' "
                                    "AND organization_id <> $2 AND missing_since IS NULL",
                                    domain, organization))
        throw domainClaimed();
}

bool says(const std::vector<std::string>& texts, const DomainClaim& claim)
{
    return std::ranges::find(texts, claim.dnsRecord.value) != texts.end();
}

} // namespace

namespace domains
{

namespace
{
struct Joined
{
    OrganizationId organization;
    Role role;
    std::optional<UserId> setBy;
};

/// Returns the organization that users of this domain join automatically, and their role.
std::optional<Joined> joinedBy(Session& session, std::string_view key)
{
    auto rows = session.query("SELECT d.organization_id, d.auto_join_role, d.auto_join_by FROM organization_domains d "
                              "JOIN organizations o ON o.id = d.organization_id "
                              "WHERE d.domain = $1 AND d.status = 'verified' AND d.auto_join_role IS NOT NULL AND o.status = 'active'",
                              key.substr(key.rfind('@') + 1));
    const auto row = rows.next();
    if (!row) return std::nullopt;
    return Joined{row->get<OrganizationId>(0), parseEnum<Role>(row->text(1)).value_or(Role::Guest), row->get<std::optional<UserId>>(2)};
}
} // namespace

bool holds(Session& session, const OrganizationId& organization, const User& user)
{
    const auto claim = domainTable.find(session, organization, user.emailKey.substr(user.emailKey.rfind('@') + 1));
    return user.emailVerified && claim && claim->status == DomainStatus::Verified;
}

bool joins(Session& session, std::string_view email) { return joinedBy(session, emailKey(email)).has_value(); }

bool joinByAddress(PluginContext& context, Transaction& transaction, const User& user, Instant now)
{
    if (!user.emailVerified || user.status != UserStatus::Active || user.principalType != PrincipalType::User) return false;
    const auto found = joinedBy(transaction, user.emailKey);
    if (!found) return false;
    const auto& [organization, role, setBy] = *found;
    organizations::lock(transaction, organization);
    if (transaction.value<std::int64_t>("SELECT 1 FROM memberships WHERE organization_id = $1 AND user_id = $2", organization, user.id))
        return false;
    if (!plans::hasSeat(context, transaction, organization)) return false;
    memberships::join(transaction, organization, user.id, memberships::grantedBy(transaction, organization, setBy, role), now);
    AuditLog::ofUser({}, user.id, now).in(organization).record(transaction, "membership.joined_by_domain", user.id);
    return true;
}

} // namespace domains

void DomainRoutes::start()
{
    _core.context.jobs().handle(lookJob, [this](const Job&) { lookAgain(); });
    _core.context.jobs().handle(oneLookJob, &DomainRoutes::lookAt, this);
    _core.context.jobs().waitsForServers(oneLookJob);
    _core.context.jobs().every(lookJob, lookInterval);
}

/// Enqueues a job for each domain, so that a silent name server delays only the check of its domain.
void DomainRoutes::lookAgain()
{
    _core.database.transact(
        [&](Transaction& transaction)
        {
            std::size_t count = 0;
            const auto proved = transaction.all<ProvedDomain>(
                "SELECT organization_id, domain FROM organization_domains WHERE status = 'verified' ORDER BY organization_id, domain");
            for (const auto& one : proved)
                _core.context.jobs().enqueue(transaction, oneLookJob, one,
                                             {.delay = std::chrono::seconds(count++ / looksPerSecond),
                                              .dedupeKey = "domain:" + one.organizationId.text() + ':' + one.domain});
        });
}

void DomainRoutes::lookAt(const ProvedDomain& one)
{
    auto claim = _core.read([&](Session& session) { return domainTable.find(session, one.organizationId, one.domain); });
    if (!claim || claim->status != DomainStatus::Verified) return;
    complete(*claim);
    try
    {
        settle(one.organizationId, *claim, says(_dns.txt(claim->dnsRecord.name), *claim));
    }
    catch (const Problem& problem)
    {
        // Without an answer the state of the record is unknown; it is checked again tomorrow.
        if (problem.code() != "dns_unreachable") throw;
    }
}

void DomainRoutes::settle(const OrganizationId& id, const DomainClaim& seen, bool there)
{
    if (there && !seen.missingSince) return;
    _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            organizations::lock(transaction, id);
            const auto claim = domainTable.find(transaction, id, seen.domain);
            if (!claim || claim->token != seen.token || claim->status != DomainStatus::Verified) return;
            if (!there && claim->missingSince && now - *claim->missingSince >= timeToMend) return loses(transaction, id, seen, now);
            if (there == !claim->missingSince) return;
            domainTable.set(transaction, id, seen.domain, &DomainClaim::missingSince, there ? std::nullopt : std::optional(now));
            if (!there) tellOwners(transaction, id, seen, false);
        });
}

void DomainRoutes::loses(Transaction& transaction, const OrganizationId& id, const DomainClaim& claim, Instant now)
{
    domainTable.set(transaction, id, claim.domain, {now}, &DomainClaim::status, DomainStatus::Pending, &DomainClaim::verifiedAt,
                    std::nullopt, &DomainClaim::missingSince, std::nullopt);
    tellOwners(transaction, id, claim, true);
    AuditLog::ofOperator(now, id).record(transaction, "organization.domain_lost", claim.domain);
}

void DomainRoutes::takeOver(Transaction& transaction, const OrganizationId& heir, const std::string& domain,
                            const std::vector<std::string>& texts)
{
    requireUnclaimed(transaction, heir, domain);
    const auto holder = transaction.value<OrganizationId>(
        "SELECT organization_id FROM organization_domains WHERE domain = $1 AND status = 'verified' AND organization_id <> $2", domain,
        heir);
    auto claim = holder ? domainTable.find(transaction, *holder, domain) : std::nullopt;
    if (!claim) return;
    complete(*claim);
    if (says(texts, *claim)) throw domainClaimed();
    loses(transaction, *holder, *claim, _core.clock.now());
}

void DomainRoutes::tellOwners(Transaction& transaction, const OrganizationId& id, const DomainClaim& claim, bool lost) const
{
    const auto organization = organizations::find(transaction, id);
    for (const auto& owner : memberships::owners(transaction, id))
        _gone.send(transaction, mailRecipient(owner),
                   {organization->name, claim.domain, claim.dnsRecord.name, claim.dnsRecord.value, lost, !lost});
}

void DomainRoutes::declare(Routes& routes)
{
    const auto manage = access::bearer("organizations:manage");
    constexpr std::string_view all = "/api/organizations/{organizationId}/domains";
    constexpr std::string_view one = "/api/organizations/{organizationId}/domains/{domain}";
    constexpr std::string_view verified = "/api/organizations/{organizationId}/domains/{domain}/verify";
    routes.get(all, manage, &DomainRoutes::list, this, {.summary = "List the claimed domains of the organization"})
        .post(all, manage.inPerson(), &DomainRoutes::create, this,
              {.summary = "Claim a domain", .problems = {"409 domain_claimed", "403 role_above_own"}, .statuses = {201, 200}})
        .post(verified, manage.inPerson(), &DomainRoutes::verify, this,
              {.summary = "Verify a claimed domain",
               .execution = Execution::Long,
               .idempotencyKey = false,
               .problems = {"409 domain_claimed", "409 dns_record_missing", "503 dns_unreachable"}})
        .del(one, manage.inPerson(), &DomainRoutes::remove, this, {.summary = "Release a claimed domain"});
}

Page<DomainClaim> DomainRoutes::list(const Caller& caller, const Path<OrganizationId>& id, const Paging& paging) const
{
    auto session = _core.database.snapshot();
    Actor(session, caller, _core.clock.now()).requireOrganization(*id);
    auto page = domainTable.select(*id).orderBy(&DomainClaim::domain).page(session, paging);
    std::ranges::for_each(page.items, complete);
    return page;
}

Created<DomainClaim> DomainRoutes::create(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                          const Body<DomainInput>& input)
{
    Created<DomainClaim> made{{}, "/api/organizations/" + id->text() + "/domains/" + input->domain, false};
    _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            organizations::lock(transaction, *id);
            const Actor actor(transaction, caller, now);
            actor.requireOrganization(*id);
            if (input->autoJoinRole) actor.requireMayGrant(*id, *input->autoJoinRole);
            requireUnclaimed(transaction, *id, input->domain);
            made.existed = domainTable.exists(transaction, *id, input->domain);
            if (made.existed)
                made.record = domainTable.change(transaction, *id, input->domain, IfMatch(""), {now},
                                                 [&](DomainClaim& claim)
                                                 {
                                                     claim.autoJoinRole = input->autoJoinRole;
                                                     claim.autoJoinBy = actor.userId();
                                                 });
            else
            {
                if (domainTable.count(transaction, *id) >= maxDomains)
                    throw Problem::conflict("conflict", "An organization claims 50 domains at most.");
                DomainClaim claim;
                claim.domain = input->domain;
                claim.autoJoinRole = input->autoJoinRole;
                claim.autoJoinBy = actor.userId();
                claim.token = randomToken();
                claim.createdAt = claim.updatedAt = now;
                domainTable.insert(transaction, *id, claim);
                made.record = claim;
            }
            AuditLog::of(request, now, *id).record(transaction, "organization.domain_claimed", input->domain);
        });
    complete(made.record);
    return made;
}

DomainClaim DomainRoutes::requireClaim(const Caller& caller, const OrganizationId& id, const std::string& domain) const
{
    auto session = _core.database.snapshot();
    Actor(session, caller, _core.clock.now()).requireOrganization(id);
    auto claim = domainTable.require(session, id, domain);
    complete(claim);
    return claim;
}

DomainClaim DomainRoutes::verify(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                 const Path<std::string>& domain, const Body<NoInput>&)
{
    auto claim = requireClaim(caller, *id, *domain);
    if (claim.status == DomainStatus::Verified) return claim;
    // Without a transaction: a name server may take its time.
    const auto texts = _dns.txt(claim.dnsRecord.name);
    if (!says(texts, claim))
        throw Problem::conflict("dns_record_missing", "The zone does not say so yet: new records take a while to be seen.");
    try
    {
        _core.database.transact(
            [&](Transaction& transaction)
            {
                const auto now = _core.clock.now();
                organizations::lock(transaction, *id);
                Actor(transaction, caller, now).requireOrganization(*id);
                takeOver(transaction, *id, *domain, texts);
                const auto proved = claim.token;
                claim = domainTable.change(transaction, *id, *domain, IfMatch(""), {now},
                                           [&](DomainClaim& row)
                                           {
                                               // The claim was deleted and renewed in the meantime, so another record was checked.
                                               if (row.token != proved) throw Problem::conflict();
                                               row.status = DomainStatus::Verified;
                                               row.verifiedAt = now;
                                               row.missingSince.reset();
                                           });
                AuditLog::of(request, now, *id).record(transaction, "organization.domain_verified", *domain);
            });
    }
    catch (const DatabaseError& error)
    {
        // Another organization was faster.
        if (error.kind() == DatabaseError::Kind::UniqueViolation) throw domainClaimed();
        throw;
    }
    complete(claim);
    return claim;
}

NoContent DomainRoutes::remove(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                               const Path<std::string>& domain, const IfMatch& match)
{
    _core.database.transact(
        [&](Transaction& transaction)
        {
            organizations::lock(transaction, *id);
            Actor(transaction, caller, _core.clock.now()).requireOrganization(*id);
            domainTable.remove(transaction, *id, *domain, match);
            AuditLog::of(request, _core.clock.now(), *id).record(transaction, "organization.domain_given_up", *domain);
        });
    return {};
}

} // namespace portico::identity
