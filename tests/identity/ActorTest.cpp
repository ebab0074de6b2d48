#include "identity/IdentityHost.h"

#include "common/Ids.h"
#include "permissions/Actor.h"

namespace portico::tests
{

/// Rules of who may act on a user: by current rows, not by an earlier state of the caller.
class ActorTest : public Suite<ActorTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _admin = _host->createUser("admin@acme.example", "acme", "admin");
        _member = _host->createUser("member@acme.example", "acme", "member");
        _operator = _host->createUser("op@admin.example", "", "member", "platform_admin");
        _stranger = _host->createUser("owner@other.example", "other", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(ranksDecide)
    {
        equal("ok", onSubject("admin@acme.example", _member));
        equal("outranked", onSubject("admin@acme.example", _admin));
        equal("outranked", onSubject("admin@acme.example", _owner));
        equal("not_found", onSubject("owner@acme.example", _stranger));
        equal("not_found", onSubject("owner@acme.example", "usr_01arz3ndektsv4rrffq69g5fav"));
        equal("ok", onSubject("op@admin.example", _owner));
        equal("ok", onSubject("op@admin.example", _stranger));
        equal("outranked", onSubject("op@admin.example", _operator));
        equal("role_above_own",
              verdict("admin@acme.example", [](const Actor& actor) { actor.requireMayGrant(*actor.organizationId(), Role::SuperAdmin); }));
        equal("ok", verdict("op@admin.example", [&](const Actor& actor)
                            { actor.requireMayGrant(OrganizationId::parse(_host->organizationId("acme")).value(), Role::Owner); }));
        equal("step_up_required",
              verdict("op@admin.example", [](const Actor& actor) { actor.requireMayGrant(*actor.organizationId(), Role::Member); }),
              "a place among operators needs a fresh proof");
    }

    TEST(aSuspendedOperatorIsActedUponAsOne)
    {
        // Applies to a suspended member of an organization too, whose administrators act on its members.
        _host->createUser("op@admin.example", "acme", "member");
        _host->createUser("clerk@admin.example", "admin", "admin");
        const auto inAdmin = [&](std::string_view status)
        {
            _host->change("UPDATE memberships SET status = $2 WHERE user_id = $1 AND organization_id = $3",
                          {_operator, std::string(status), _host->organizationId("admin")});
        };
        for (const auto* status : {"active", "suspended"})
        {
            inAdmin(status);
            for (const auto* email : {"admin@acme.example", "clerk@admin.example", "owner@acme.example"})
                equal("outranked", onSubject(email, _operator), email);
        }
        // Out of it the platform role is without effect.
        inAdmin("removed");
        equal("ok", onSubject("admin@acme.example", _operator));
    }

    TEST(ownersChangeOwnersWithAFreshProof)
    {
        const auto second = _host->createUser("second@acme.example", "acme", "owner");
        equal("step_up_required", onSubject("owner@acme.example", second));
        const auto token = _host->signIn("owner@acme.example", "desk");
        _host->change("UPDATE sessions SET elevated_until = 9999999999999");
        const auto caller = _host->validate(token);
        auto session = _host->context().database().session();
        const Actor actor(session, *caller, _host->context().clock().now());
        actor.requireMayChange(actor.rankOf(UserId::parse(second).value(), actor.organizationId()));
    }

    TEST(organizationsAreTheActiveOne)
    {
        const auto acme = OrganizationId::parse(_host->organizationId("acme")).value();
        const auto other = OrganizationId::parse(_host->organizationId("other")).value();
        const auto reaches = [&](std::string_view email, const OrganizationId& id)
        { return verdict(email, [&](const Actor& actor) { actor.requireOrganization(id); }); };
        equal("ok", reaches("owner@acme.example", acme));
        equal("not_found", reaches("owner@acme.example", other));
        equal("ok", reaches("op@admin.example", other));
    }

    TEST(adminRoutesAreOpenByRole)
    {
        const auto opens = [&](std::string_view email, std::string_view permission)
        { return verdict(email, [&](const Actor& actor) { actor.requireAdminRoute(permission); }); };
        equal("ok", opens("admin@acme.example", ""));
        equal("ok", opens("op@admin.example", ""));
        equal("permission_denied", opens("member@acme.example", ""));
        equal("permission_denied", opens("member@acme.example", "desk.tickets:purge"));
        equal("ok", opens("member@acme.example", "desk.tickets:read"));
    }

    TEST(rowsCountNotTheCaller)
    {
        const auto caller = _host->validate(_host->signIn("admin@acme.example"));
        _host->createUser("admin@acme.example", "acme", "member");
        const auto now = _host->context().clock().now();
        {
            auto session = _host->context().database().session();
            const Actor actor(session, *caller, now);
            equal(rank(Role::Member), actor.rank());
            CPPUNIT_ASSERT_THROW(actor.requireAdminRoute(), Problem);
        }
        _host->change("UPDATE memberships SET status = 'suspended' WHERE user_id = $1", {_admin});
        auto session = _host->context().database().session();
        CPPUNIT_ASSERT_THROW(Actor(session, *caller, now), Problem);
    }

    using Actor = identity::Actor;
    using Role = identity::Role;

    template <class F>
    std::string verdict(std::string_view email, F&& act)
    {
        const auto caller = _host->validate(_host->signIn(email, email.starts_with("op@") ? "identity" : "desk"),
                                            email.starts_with("op@") ? "identity" : "desk");
        auto session = _host->context().database().session();
        try
        {
            act(Actor(session, *caller, _host->context().clock().now()));
            return "ok";
        }
        catch (const Problem& problem)
        {
            return problem.code();
        }
    }
    std::string onSubject(std::string_view email, const std::string& subject)
    {
        return verdict(email, [&](const Actor& actor)
                       { actor.requireMayChange(actor.rankOf(UserId::parse(subject).value(), actor.organizationId())); });
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _admin, _member, _operator, _stranger;
};

} // namespace portico::tests
