#include "permissions/Evaluator.h"
#include "catalog/Catalog.h"
#include "support/Suite.h"

namespace portico::tests
{

using namespace identity;

/// Rules of permissions, without a database.
class EvaluatorTest : public Suite<EvaluatorTest>
{
    void setUp() override
    {
        _service.serviceId = "desk";
        _service.status = "active";
        _service.enabled = true;
        _service.contexts = {ContextKind::Organization};
        for (const auto* name : {"desk.tickets:read", "desk.tickets:write", "desk.notes:read", "desk.settings:write"})
            _service.permissions.push_back({name, name, "", Risk::Low, false});
        _service.bundles = {{"desk-guest", "", {Role::Guest}, {}},
                            {"desk-member", "", {Role::Member}, {"desk.tickets:read"}},
                            {"desk-readers", "", {Role::Member, Role::Admin}, {"desk.*:read"}},
                            {"desk-admin", "", {Role::Admin}, {"desk.tickets:*"}},
                            {"desk-owner", "", {Role::SuperAdmin, Role::Owner}, {"desk.*:*"}}};
        _service.expand();
        _input.context = ContextKind::Organization;
        _input.inGoodStanding = _input.organizationAccess = true;
    }

    TEST(ranksRoles)
    {
        const std::vector<Role> ladder = {Role::Guest, Role::Member, Role::Admin, Role::SuperAdmin, Role::Owner};
        for (std::size_t actor = 0; actor < ladder.size(); ++actor)
            for (std::size_t subject = 0; subject < ladder.size(); ++subject)
            {
                const bool ownersAmongThemselves = actor == 4 && subject == 4;
                equal(actor > subject || ownersAmongThemselves, mayChange(rank(ladder[actor]), rank(ladder[subject])));
                equal(actor >= subject, mayGrant(rank(ladder[actor]), ladder[subject]));
            }
        CHECK(!hasAdminRoutes(Role::Member));
        CHECK(hasAdminRoutes(Role::Admin));
        CHECK(rank(PlatformRole::PlatformAdmin) > rank(Role::Owner));
        CHECK(rank(PlatformRole::PlatformSuperAdmin) > rank(PlatformRole::PlatformAdmin));
    }

    TEST(matchesPatterns)
    {
        CHECK(covers("desk.tickets:read", "desk.tickets:read"));
        CHECK(covers("desk.*:*", "desk.tickets:read"));
        CHECK(covers("desk.tickets:*", "desk.tickets:read"));
        CHECK(covers("desk.*:read", "desk.tickets:read"));
        CHECK(!covers("desk.*:read", "desk.tickets:write"));
        CHECK(!covers("desk.ticket:*", "desk.tickets:read"));
        CHECK(!covers("*.*:*", "desk.tickets:read"));
        CHECK(!covers("*", "desk.tickets:read"));
        CHECK(!covers("", ""));
    }

    TEST(opensServices)
    {
        CHECK(mayEnter(_service, _input));
        _input.organizationAccess = false;
        CHECK(!mayEnter(_service, _input));
        CHECK(effectivePermissions(_service, _input, now).empty());
        _input.organizationAccess = true;
        _input.inGoodStanding = false;
        CHECK(!mayEnter(_service, _input));
        _input.context = ContextKind::Personal;
        CHECK(!mayEnter(_service, _input));
        _service.contexts = {ContextKind::Personal};
        CHECK(!mayEnter(_service, _input));
        _service.personalAccess = true;
        CHECK(mayEnter(_service, _input));
        _service.enabled = false;
        CHECK(!mayEnter(_service, _input));
        _service.enabled = true;
        for (const auto* status : {"draft", "ready", "suspended", "retired"})
        {
            _service.status = status;
            CHECK(!mayEnter(_service, _input));
        }
    }

    TEST(followsBundles)
    {
        expect(Role::Guest, {});
        expect(Role::Member, {"desk.notes:read", "desk.tickets:read"});
        expect(Role::Admin, {"desk.notes:read", "desk.tickets:read", "desk.tickets:write"});
        expect(Role::Owner, _service.all());
    }

    TEST(letsDenyWin)
    {
        _input.userOverrides = {{"desk.settings:write", Effect::Allow, {}}, {"desk.tickets:*", Effect::Deny, {}}};
        expect(Role::Member, {"desk.notes:read", "desk.settings:write"});
        expect(Role::Guest, {"desk.settings:write"});
        _input.userOverrides.push_back({"desk.settings:write", Effect::Deny, {}});
        expect(Role::Owner, {"desk.notes:read"});
        // Names that the catalog does not have open nothing.
        _input.userOverrides = {{"desk.secrets:read", Effect::Allow, {}}, {"crm.*:*", Effect::Allow, {}}};
        expect(Role::Guest, {});
    }

    TEST(forgetsExpiredOverrides)
    {
        _input.userOverrides = {{"desk.settings:write", Effect::Allow, now}, {"desk.tickets:read", Effect::Deny, now}};
        expect(Role::Member, {"desk.notes:read", "desk.tickets:read"});
        _input.userOverrides[0].expiresAt = _input.userOverrides[1].expiresAt = now + std::chrono::milliseconds(1);
        expect(Role::Member, {"desk.notes:read", "desk.settings:write"});
    }

    TEST(takesTheOrganizationsBundle)
    {
        _input.bundleOverrides = {{"desk-readers", "", {Role::Guest}, {"desk.notes:*"}}};
        expect(Role::Guest, {"desk.notes:read"});
        expect(Role::Member, {"desk.tickets:read"});
        // A bundle that the manifest does not have adds nothing.
        _input.bundleOverrides = {{"desk-other", "", {Role::Guest}, {"desk.*:*"}}};
        expect(Role::Guest, {});
    }

    TEST(givesOperatorsEverything)
    {
        _input.platformBypass = true;
        _input.organizationAccess = false;
        _input.userOverrides = {{"desk.*:*", Effect::Deny, {}}};
        expect(Role::Member, _service.all());
        // But not in an organization that is closed, or closed to them.
        _input.inGoodStanding = false;
        expect(Role::Owner, {});
        _input.inGoodStanding = true;
        // No permissions in a context that the service does not support.
        _input.context = ContextKind::Personal;
        expect(Role::Member, {});
    }

    void expect(Role role, const std::vector<std::string>& permissions)
    {
        _input.role = role;
        CHECK(permissions == effectivePermissions(_service, _input, now));
    }

    static constexpr Instant now{std::chrono::seconds(1000)};
    CatalogService _service;
    EvaluationInput _input;
};

} // namespace portico::tests
