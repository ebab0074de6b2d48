#include "privacy/OwnRecords.h"

#include "accounts/AccountCredentials.h"
#include "accounts/PreferenceRoutes.h"
#include "audit/AuditTrail.h"
#include "factors/Factors.h"
#include "passkeys/Passkey.h"
#include "privacy/Forgetting.h"
#include "records/ApiKey.h"
#include "records/Application.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignIn.h"
#include "users/RecoveryEmail.h"
#include "users/User.h"

#include "portico/Json.h"

namespace portico::identity
{

namespace
{

/// Records that are read at a time.
constexpr int pieceOfRecords = 200;

struct GivenMembership
{
    OrganizationId organizationId;
    std::string organizationName;
    std::string role;
    std::string status;
    Instant joinedAt{};
};

constexpr auto schemaOf(const GivenMembership*)
{
    return describe(members<&GivenMembership::organizationId, &GivenMembership::organizationName, &GivenMembership::role,
                            &GivenMembership::status, &GivenMembership::joinedAt>());
}

struct GivenFactor
{
    FactorId id;
    std::string name;
    std::optional<Instant> lastUsedAt;
    Instant createdAt{};
};

constexpr auto schemaOf(const GivenFactor*)
{
    return describe(members<&GivenFactor::id, &GivenFactor::name, &GivenFactor::lastUsedAt, &GivenFactor::createdAt>());
}

struct GivenConsent
{
    std::string clientId;
    std::vector<std::string> scopes;
    Instant createdAt{};
};

constexpr auto schemaOf(const GivenConsent*)
{
    return describe(field<&GivenConsent::clientId>("client_id"), members<&GivenConsent::scopes, &GivenConsent::createdAt>());
}

struct GivenHousehold
{
    std::string id;
    std::string name;
    std::string role;
    Instant joinedAt{};
};

constexpr auto schemaOf(const GivenHousehold*)
{
    return describe(members<&GivenHousehold::id, &GivenHousehold::name, &GivenHousehold::role, &GivenHousehold::joinedAt>());
}

struct GivenLink
{
    std::string id;
    std::string issuer;
    std::string subject;
    Instant linkedAt{};
};

constexpr auto schemaOf(const GivenLink*)
{
    return describe(members<&GivenLink::id, &GivenLink::issuer, &GivenLink::subject, &GivenLink::linkedAt>());
}

struct GivenOnboarding
{
    std::string serviceId;
    std::string status;
    Json done{"[]"};
    Json data{"{}"};
    std::optional<Instant> completedAt;
};

constexpr auto schemaOf(const GivenOnboarding*)
{
    return describe(field<&GivenOnboarding::serviceId>("service_id"),
                    members<&GivenOnboarding::status, &GivenOnboarding::done, &GivenOnboarding::data, &GivenOnboarding::completedAt>());
}

/// Data about the person from the directory of an organization.
struct GivenDirectoryEntry
{
    OrganizationId organizationId;
    std::string userName;
    std::optional<std::string> externalId;
    Json attributes{"{}"};
    Instant updatedAt{};
};

constexpr auto schemaOf(const GivenDirectoryEntry*)
{
    return describe(members<&GivenDirectoryEntry::organizationId, &GivenDirectoryEntry::userName, &GivenDirectoryEntry::externalId,
                            &GivenDirectoryEntry::attributes, &GivenDirectoryEntry::updatedAt>());
}

struct GivenDirectoryGroup
{
    OrganizationId organizationId;
    std::string displayName;
};

constexpr auto schemaOf(const GivenDirectoryGroup*)
{
    return describe(members<&GivenDirectoryGroup::organizationId, &GivenDirectoryGroup::displayName>());
}

struct GivenOverride
{
    OrganizationId organizationId;
    std::string permission;
    std::string effect;
    std::string reason;
    std::optional<Instant> expiresAt;
    Instant createdAt{};
};

constexpr auto schemaOf(const GivenOverride*)
{
    return describe(members<&GivenOverride::organizationId, &GivenOverride::permission, &GivenOverride::effect, &GivenOverride::reason,
                            &GivenOverride::expiresAt, &GivenOverride::createdAt>());
}

/// Invitation to an organization or a household. The message is empty for a household.
struct GivenInvitation
{
    /// Name of the organization or household.
    std::string place;
    std::string email;
    std::string role;
    std::string message;
    std::string status;
    Instant expiresAt{};
    Instant createdAt{};
};

constexpr auto schemaOf(const GivenInvitation*)
{
    return describe(members<&GivenInvitation::place, &GivenInvitation::email, &GivenInvitation::role, &GivenInvitation::message,
                            &GivenInvitation::status, &GivenInvitation::expiresAt, &GivenInvitation::createdAt>());
}

struct GivenContext
{
    std::string serviceId;
    /// Empty: personal.
    std::optional<OrganizationId> organizationId;
    Instant usedAt{};
};

constexpr auto schemaOf(const GivenContext*)
{
    return describe(field<&GivenContext::serviceId>("service_id"), members<&GivenContext::organizationId, &GivenContext::usedAt>());
}

/// Uses of an API key in one hour.
struct GivenKeyUse
{
    std::string apiKeyId;
    Instant hour{};
    std::int64_t count = 0;
    Instant lastUsedAt{};
    std::string lastIpPrefix;
    std::string lastService;
};

constexpr auto schemaOf(const GivenKeyUse*)
{
    return describe(members<&GivenKeyUse::apiKeyId, &GivenKeyUse::hour, &GivenKeyUse::count, &GivenKeyUse::lastUsedAt,
                            &GivenKeyUse::lastIpPrefix, &GivenKeyUse::lastService>());
}

/// Uses of an API key in one service on one day.
struct GivenKeyDay
{
    std::string apiKeyId;
    Instant day{};
    std::string serviceId;
    std::int64_t ok = 0;
    std::int64_t denied = 0;
    std::int64_t rateLimited = 0;
};

constexpr auto schemaOf(const GivenKeyDay*)
{
    return describe(members<&GivenKeyDay::apiKeyId, &GivenKeyDay::day>(), field<&GivenKeyDay::serviceId>("service_id"),
                    members<&GivenKeyDay::ok, &GivenKeyDay::denied, &GivenKeyDay::rateLimited>());
}

/// Removes other actors' address and user agent, and the hashes, from which they could be derived.
AuditEvent withoutOthers(AuditEvent event, std::string_view userId)
{
    if (event.actor.id != userId || event.actor.impersonatorId)
    {
        event.actor.ip.clear();
        event.actor.userAgent.clear();
    }
    event.prevHash.clear();
    event.hash.clear();
    return event;
}

/// Reads records in batches, and holds no session while the receiver works.
class Giver
{
public:
    Giver(Database& database, const interfaces::PersonalData::Receiver& receive) : _database(database), _receive(receive) {}

    /// Reads kinds with few records at once.
    template <class T>
    void few(std::string_view kind, std::string_view sql, std::string_view whose) const
    {
        const auto records = _database.session().all<T>(sql, whose);
        for (const auto& record : records) _receive(kind, toJson(record));
    }
    /// Reads many records in the order of their id, which is $2 in the statement.
    template <class T>
    void many(std::string_view kind, std::string_view sql, std::string_view whose) const
    {
        std::string after;
        for (bool more = true; more;)
        {
            const auto records = _database.session().all<T>(
                std::string(sql) + " AND id > $2 ORDER BY id LIMIT " + std::to_string(pieceOfRecords), whose, after);
            for (const auto& record : records) _receive(kind, toJson(record));
            more = records.size() == pieceOfRecords;
            if (more) after = records.back().id.text();
        }
    }
    /// Writes audit entries of the user's actions, and of actions on the user.
    void trail(const std::string& userId) const
    {
        const auto last = _database.session().value<std::int64_t>("SELECT sequence FROM audit_chain WHERE id = 1").value_or(0);
        AuditFilter byThem, onThem;
        byThem.actor = onThem.target = userId;
        walk(AuditTrail(std::move(byThem)), last, userId, false);
        walk(AuditTrail(std::move(onThem)), last, userId, true);
    }

private:
    void walk(const AuditTrail& trail, std::int64_t last, std::string_view userId, bool byOthersOnly) const
    {
        std::int64_t after = 0;
        for (bool more = true; more;)
        {
            const auto events = [&]
            {
                auto session = _database.session();
                return trail.oldestAbove(session, after, last, pieceOfRecords);
            }();
            for (const auto& event : events)
                if (!byOthersOnly || event.actor.id != userId) _receive("auditEvents", toJson(withoutOthers(event, userId)));
            more = events.size() == pieceOfRecords;
            if (more) after = events.back().sequence;
        }
    }

    Database& _database;
    const interfaces::PersonalData::Receiver& _receive;
};

} // namespace

void OwnRecords::give(const interfaces::Person& person, const Receiver& receive)
{
    const Giver giver(_core.database, receive);
    const auto& id = person.userId;
    giver.few<User>("account", "SELECT " + columns<User>() + " FROM users WHERE id = $1", id);
    giver.few<GivenMembership>("memberships",
                               "SELECT m.organization_id, o.name AS organization_name, m.role, m.status, m.joined_at FROM memberships m "
                               "JOIN organizations o ON o.id = m.organization_id WHERE m.user_id = $1 ORDER BY m.organization_id",
                               id);
    giver.few<GivenHousehold>("households",
                              "SELECT h.id, h.name, m.role, m.joined_at FROM household_members m "
                              "JOIN households h ON h.id = m.household_id WHERE m.user_id = $1 ORDER BY h.id",
                              id);
    giver.few<GivenFactor>("factors", "SELECT id, name, last_used_at, created_at FROM totp_factors WHERE user_id = $1 ORDER BY id", id);
    giver.few<Passkey>("passkeys", "SELECT " + columns<Passkey>() + " FROM passkeys WHERE user_id = $1 ORDER BY id", id);
    giver.few<RecoveryEmail>("recoveryEmail", "SELECT " + columns<RecoveryEmail>() + " FROM recovery_emails WHERE user_id = $1", id);
    giver.few<Preferences>("preferences", "SELECT " + columns<Preferences>() + " FROM preferences WHERE user_id = $1", id);
    giver.few<GivenConsent>("consents", "SELECT client_id, scopes, created_at FROM oauth_consents WHERE user_id = $1 ORDER BY client_id",
                            id);
    giver.few<GivenLink>("linkedAccounts", "SELECT id, issuer, subject, linked_at FROM linked_accounts WHERE user_id = $1 ORDER BY id", id);
    giver.few<Developer>("developerApplications", "SELECT " + columns<Developer>() + " FROM developers WHERE email_key = $1",
                         emailKey(person.email));
    giver.many<AppSubmission>("appSubmissions", "SELECT " + columns<AppSubmission>() + " FROM app_submissions WHERE email_key = $1",
                              emailKey(person.email));
    giver.many<ApiKey>("apiKeys", "SELECT " + columns<ApiKey>() + " FROM api_keys WHERE owner_type = 'user' AND owner_id = $1", id);
    giver.few<GivenKeyUse>("apiKeyUses",
                           "SELECT u.api_key_id, u.hour, u.count, u.last_used_at, u.last_ip_prefix, u.last_service FROM api_key_uses u "
                           "JOIN api_keys k ON k.id = u.api_key_id WHERE k.owner_type = 'user' AND k.owner_id = $1 "
                           "ORDER BY u.hour, u.api_key_id",
                           id);
    giver.few<GivenKeyDay>("apiKeyDays",
                           "SELECT d.api_key_id, d.day, d.service_id, d.ok, d.denied, d.rate_limited FROM api_key_days d "
                           "JOIN api_keys k ON k.id = d.api_key_id WHERE k.owner_type = 'user' AND k.owner_id = $1 "
                           "ORDER BY d.day, d.api_key_id, d.service_id",
                           id);
    giver.few<GivenOnboarding>("onboarding",
                               "SELECT service_id, status, done, data, completed_at FROM service_onboarding WHERE owner_id = $1 "
                               "ORDER BY service_id",
                               id);
    giver.few<GivenDirectoryEntry>("directoryEntries",
                                   "SELECT organization_id, user_name, external_id, attributes, updated_at FROM scim_users "
                                   "WHERE user_id = $1 ORDER BY organization_id",
                                   id);
    giver.few<GivenDirectoryGroup>("directoryGroups",
                                   "SELECT m.organization_id, g.display_name FROM scim_group_members m JOIN scim_groups g "
                                   "ON g.organization_id = m.organization_id AND g.id = m.group_id WHERE m.user_id = $1 ORDER BY g.id",
                                   id);
    giver.few<GivenOverride>("permissionOverrides",
                             "SELECT organization_id, permission, effect, reason, expires_at, created_at FROM permission_overrides "
                             "WHERE user_id = $1 ORDER BY id",
                             id);
    // Matches invitations by address only if the address is verified.
    giver.few<GivenInvitation>("invitations",
                               "SELECT o.name AS place, i.email, i.role, i.message, i.status, i.expires_at, i.created_at "
                               "FROM invitations i JOIN organizations o ON o.id = i.organization_id WHERE i.user_id = $1 "
                               "OR i.email_key IN (SELECT email_key FROM users WHERE id = $1 AND email_verified) ORDER BY i.id",
                               id);
    giver.few<GivenInvitation>("householdInvitations",
                               "SELECT h.name AS place, i.email, i.role, '' AS message, i.status, i.expires_at, i.created_at "
                               "FROM household_invitations i JOIN households h ON h.id = i.household_id WHERE i.user_id = $1 "
                               "OR i.email_key IN (SELECT email_key FROM users WHERE id = $1 AND email_verified) ORDER BY i.id",
                               id);
    giver.few<GivenContext>("lastContexts",
                            "SELECT service_id, organization_id, used_at FROM last_contexts WHERE user_id = $1 ORDER BY service_id", id);
    giver.many<SignIn>("sessions", "SELECT " + columns<SignIn>() + " FROM sessions WHERE user_id = $1 AND impersonator_id IS NULL", id);
    giver.trail(id);
}

void OwnRecords::forget(const interfaces::Person& person)
{
    const auto ids = [&]
    {
        auto session = _core.database.session();
        auto found = account_credentials::concerned(session, UserId::parse(person.userId).value());
        // Their callers lose a household that ends with its last manager.
        for (auto& other : session.values<std::string>("SELECT DISTINCT o.user_id FROM household_members m JOIN household_members o "
                                                       "ON o.household_id = m.household_id WHERE m.user_id = $1",
                                                       person.userId))
            found.push_back(std::move(other));
        return found;
    }();
    auto concerned = account_credentials::tenants(ids);
    for (const auto& organization : person.organizationIds) concerned.push_back(Tenant::fromStored(organization));
    const auto ended =
        _core.changes.run(concerned, [&](Transaction& transaction) { return forgetting::run(transaction, person, _core.clock.now()); });
    _core.sessionEvents.ended(ended);
}

} // namespace portico::identity
