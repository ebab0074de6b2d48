#include "scim/Provisioning.h"

#include "accounts/EmailProofs.h"
#include "audit/Audit.h"
#include "organizations/Invitations.h"
#include "organizations/Plans.h"
#include "scim/DirectoryAccount.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignIn.h"

#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::identity::scim
{

namespace
{

constexpr std::int64_t batch = 200;

Problem personExists() { return Problem::conflict("uniqueness", "There is a person of that name, or with that address, already."); }

UserId userIdOf(std::string_view id)
{
    const auto parsed = UserId::parse(id);
    if (!parsed) throw Problem::notFound();
    return *parsed;
}

Person requirePerson(Session& session, const OrganizationId& organization, std::string_view id)
{
    auto person = people::find(session, organization, userIdOf(id));
    if (!person) throw Problem::notFound();
    return *std::move(person);
}

void requireFreeName(Session& session, const OrganizationId& organization, const boost::json::object& wanted,
                     const std::optional<UserId>& self = {})
{
    for (const auto& person : people::byUserName(session, organization, textOf(wanted, "userName")))
        if (person.id != self) throw personExists();
}

bool activeIn(const boost::json::object& resource, bool otherwise)
{
    const auto* active = resource.if_contains("active");
    return active != nullptr && active->is_bool() ? active->get_bool() : otherwise;
}

} // namespace

std::string baseOf(const Core& core) { return core.origin + "/scim/v2"; }

bool isWithinReach(Session& session, const Person& person)
{
    if (person.platformRole && organizations::belongsToAdmin(session, person.id)) return false;
    return mayChange(rank(Role::SuperAdmin), rank(person.role));
}

void requireWithinReach(Session& session, const Person& person)
{
    if (!isWithinReach(session, person))
        throw Problem::forbidden("outranked", "Directories do not suspend or remove super admins and owners: an owner does that.");
}

Provisioning::Provisioning(Core& core) : _core(core), _mails(core), _base(baseOf(core)) {}

boost::json::object Provisioning::resourceOf(Session& session, const OrganizationId& organization, const Person& person) const
{
    const auto groups = people::groupsOf(session, organization, {person});
    const auto own = groups.find(person.id.text());
    return people::resource(person, own == groups.end() ? GroupNames() : own->second, _base);
}

boost::json::object Provisioning::find(const Call& call, std::string_view id, const Projection&) const
{
    auto session = _core.database.snapshot();
    return resourceOf(session, call.organization, requirePerson(session, call.organization, id));
}

boost::json::object Provisioning::list(const Call& call, const ListQuery& query) const
{
    if (query.filter) return scan(call, query);
    auto session = _core.database.snapshot();
    ListBuilder builder(query, query.startIndex - 1);
    const auto persons = people::slice(session, call.organization, query.startIndex - 1, query.count);
    const auto groups = people::groupsOf(session, call.organization, persons);
    for (const auto& person : persons)
    {
        const auto own = groups.find(person.id.text());
        builder.add(people::resource(person, own == groups.end() ? GroupNames() : own->second, _base));
    }
    builder.setTotal(people::count(session, call.organization));
    return std::move(builder).response();
}

boost::json::object Provisioning::scan(const Call& call, const ListQuery& query) const
{
    auto session = _core.database.snapshot();
    ListBuilder builder(query);
    const auto addAll = [&](const std::vector<Person>& persons)
    {
        const auto groups = people::groupsOf(session, call.organization, persons);
        for (const auto& person : persons)
        {
            const auto own = groups.find(person.id.text());
            builder.add(people::resource(person, own == groups.end() ? GroupNames() : own->second, _base));
        }
    };
    // Uses an index for the queries that directories send before each change.
    if (const auto name = query.filter->demanded("userName"))
        addAll(people::byUserName(session, call.organization, *name));
    else if (const auto external = query.filter->demanded("externalId"))
        addAll(people::byExternalId(session, call.organization, *external));
    else if (const auto id = query.filter->demanded("id"))
    {
        const auto parsed = UserId::parse(*id);
        if (const auto person = parsed ? people::find(session, call.organization, *parsed) : std::nullopt) addAll({*person});
    }
    else
    {
        std::string last;
        for (auto persons = people::page(session, call.organization, last, batch); !persons.empty();
             persons = people::page(session, call.organization, last, batch))
        {
            addAll(persons);
            last = persons.back().id.text();
        }
    }
    return std::move(builder).response();
}

boost::json::object Provisioning::create(const Call& call, const boost::json::object& sent)
{
    const auto wanted = readResource(sent, userKind());
    const auto work = [&](Transaction& transaction)
    {
        const auto now = _core.clock.now();
        organizations::lock(transaction, call.organization);
        requireFreeName(transaction, call.organization, wanted);
        const auto id = accountFor(transaction, call, wanted);
        if (!membershipTable.exists(transaction, call.organization, id)) plans::requireSeat(_core.context, transaction, call.organization);
        memberships::join(transaction, call.organization, id, Role::Member, now);
        people::keep(transaction, call.organization, id, wanted, now);
        if (!activeIn(wanted, true))
        {
            auto membership = membershipTable.find(transaction, call.organization, id).value();
            membership.status = MembershipStatus::Suspended;
            memberships::update(transaction, call.organization, membership, now);
        }
        AuditLog::of(call.request, now).record(transaction, "membership.provisioned", id);
        return resourceOf(transaction, call.organization, requirePerson(transaction, call.organization, id.text()));
    };
    try
    {
        return _core.database.transact(work);
    }
    catch (const DatabaseError& error)
    {
        // A concurrent request has created the account elsewhere.
        if (error.kind() != DatabaseError::Kind::UniqueViolation) throw;
        return _core.database.transact(work);
    }
}

UserId Provisioning::accountFor(Transaction& transaction, const Call& call, const boost::json::object& wanted) const
{
    const auto email = requireAddress(wanted);
    const auto known = users::findByEmail(transaction, email);
    if (known && people::find(transaction, call.organization, known->id)) throw personExists();
    // Checked first, so that the answer does not reveal whether an address of another domain has an account.
    if (!isOwnDomain(transaction, call.organization, email))
        throw Problem::badRequest("invalidValue", "The address is in no domain that the organization has proved to be its own: prove the "
                                                  "domain, or invite this person.");
    if (!known) return makeAccount(transaction, call, wanted, email);
    if (known->principalType != PrincipalType::User || known->status == UserStatus::Deactivated || known->status == UserStatus::Deleted)
        throw personExists();
    // An unverified account may belong to a person who does not own the address. The owner recovers it by a password reset.
    if (!known->emailVerified && known->status != UserStatus::PendingVerification) throw personExists();
    // A user who joins the admin organization becomes an operator; only a person may decide that.
    const auto organization = organizations::find(transaction, call.organization);
    if (known->platformRole && organization && organization->kind == OrganizationKind::Admin)
        throw Problem::forbidden("outranked", "This person is joined by an operator.");
    if (known->status == UserStatus::PendingVerification)
        email_proofs::takeOver(transaction, *known, AccountNames(wanted).displayOr(email), User().locale, Client::of(call.request),
                               _core.clock.now());
    return known->id;
}

UserId Provisioning::makeAccount(Transaction& transaction, const Call& call, const boost::json::object& wanted,
                                 const std::string& email) const
{
    const auto now = _core.clock.now();
    const AccountNames names(wanted);
    User user;
    user.id = UserId::make(now);
    user.email = email;
    user.emailKey = emailKey(email);
    user.emailVerified = true;
    user.displayName = names.displayOr(email);
    user.givenName = names.given;
    user.familyName = names.family;
    user.status = UserStatus::Active;
    user.createdAt = user.updatedAt = now;
    users::insert(transaction, user);
    AuditLog::of(call.request, now).record(transaction, "user.created", user.id);
    return user.id;
}

boost::json::object Provisioning::change(const Call& call, std::string_view id, std::string_view ifMatch, const Edit& edit)
{
    const auto userId = userIdOf(id);
    std::vector<std::string> ended;
    auto changed =
        _core.changes.run({userId},
                          [&](Transaction& transaction)
                          {
                              ended.clear();
                              const auto now = _core.clock.now();
                              organizations::lock(transaction, call.organization);
                              const auto person = requirePerson(transaction, call.organization, id);
                              const auto before = resourceOf(transaction, call.organization, person);
                              requireVersion(ifMatch, before);
                              auto after = edit(before);
                              const bool active = activeIn(after, person.active());
                              rename(transaction, call, person, before, after, person.active() && !active);
                              if (active != person.active()) setActive(transaction, call, person, active, ended);
                              people::keep(transaction, call.organization, userId, after, now);
                              if (isWithinReach(transaction, person) && isOwnDomain(transaction, call.organization, person.email))
                                  renameAccount(transaction, person, AccountNames(after), now);
                              AuditLog::of(call.request, now).record(transaction, "scim.user_updated", userId, call.budget.details());
                              return resourceOf(transaction, call.organization, requirePerson(transaction, call.organization, id));
                          });
    tell(userId, ended);
    return changed;
}

void Provisioning::rename(Transaction& transaction, const Call& call, const Person& person, const boost::json::object& before,
                          boost::json::object& after, bool suspends) const
{
    try
    {
        requireFreeName(transaction, call.organization, after, person.id);
        const auto address = addressIn(after);
        // The userName was the address: the account would keep it, and a directory would not find the person by it.
        if (address.empty() && !addressIn(before).empty() && textOf(after, "userName") != textOf(before, "userName")) requireAddress(after);
        if (!address.empty() && emailKey(address) != emailKey(addressIn(before)))
            moveAccount(transaction, call, _mails, person, address, _core.clock.now());
    }
    catch (const Problem&)
    {
        // A name that cannot be given must not keep a person active.
        if (!suspends) throw;
        for (const auto* name : {"userName", "emails"})
        {
            after.erase(name);
            if (const auto* known = before.if_contains(name)) after[name] = *known;
            call.budget.passOver(name);
        }
    }
}

void Provisioning::setActive(Transaction& transaction, const Call& call, const Person& person, bool active,
                             std::vector<std::string>& ended) const
{
    requireWithinReach(transaction, person);
    const auto now = _core.clock.now();
    auto membership = membershipTable.find(transaction, call.organization, person.id).value();
    const auto wanted = active ? MembershipStatus::Active : MembershipStatus::Suspended;
    if (membership.status == wanted) return;
    membership.status = wanted;
    memberships::update(transaction, call.organization, membership, now);
    const auto log = AuditLog::of(call.request, now);
    if (!active) ended = memberships::endSignIns(transaction, call.organization, person.id, end_reason::userDisabled, now, &log);
    invitations::revokeBeyond(transaction, call.organization, person.id, membership, now);
    log.record(transaction, "membership.changed", person.id, {{"status", wanted}});
}

void Provisioning::remove(const Call& call, std::string_view id, std::string_view ifMatch)
{
    const auto userId = userIdOf(id);
    std::vector<std::string> ended;
    _core.changes.run({userId},
                      [&](Transaction& transaction)
                      {
                          const auto now = _core.clock.now();
                          organizations::lock(transaction, call.organization);
                          const auto person = requirePerson(transaction, call.organization, id);
                          requireVersion(ifMatch, resourceOf(transaction, call.organization, person));
                          requireWithinReach(transaction, person);
                          auto membership = membershipTable.find(transaction, call.organization, userId).value();
                          membership.status = MembershipStatus::Removed;
                          memberships::update(transaction, call.organization, membership, now);
                          const auto log = AuditLog::of(call.request, now);
                          ended = memberships::cleanUp(transaction, call.organization, userId, now, &log);
                          invitations::revokeBeyond(transaction, call.organization, userId, membership, now);
                          log.record(transaction, "membership.removed", userId);
                      });
    tell(userId, ended);
}

void Provisioning::tell(const UserId& id, const std::vector<std::string>& ended) const
{
    _core.sessionEvents.ended(ended);
    const auto user = _core.read([&](Session& session) { return users::find(session, id.text()); });
    if (user) _core.sessionEvents.revised(user->id.text(), user->revision);
}

} // namespace portico::identity::scim
