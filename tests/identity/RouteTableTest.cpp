#include "identity/IdentityHost.h"

#include <set>

namespace portico::tests
{

/// Rules for all routes, read from their table, so that new routes are covered.
class RouteTableTest : public Suite<RouteTableTest>
{
    /// Every POST that creates, sends or charges supports Idempotency-Key. The listed ones create nothing, or only short-lived proofs.
    TEST(creatingRoutesAreIdempotent)
    {
        const std::set<std::string, std::less<>> makeNothing = {
            "/api/auth/step-up",
            "/api/auth/linked-accounts/{providerId}/start",
            "/api/auth/passkeys/register/options",
            "/api/auth/passkeys/register/verify",
            "/api/identity-providers/{id}/test",
            "/api/invitations/{token}/decline",
            "/api/organizations/{organizationId}/domains/{domain}/verify",
            "/api/permissions/check",
            "/api/services/{service_id}/activate",
            "/api/services/{service_id}/onboarding/complete",
            "/api/services/{service_id}/retire",
            "/api/services/{service_id}/suspend",
            "/api/users/{userId}/impersonate",
            "/sso/handoff-code",
        };
        std::set<std::string> without;
        for (const auto& route : _host.routes())
            if (route.method == Method::Post && route.access.bearer && !route.idempotencyKey) without.insert(route.pattern);
        for (const auto& pattern : without) CPPUNIT_ASSERT_MESSAGE(pattern, makeNothing.contains(pattern));
        for (const auto& pattern : makeNothing) CPPUNIT_ASSERT_MESSAGE("no longer: " + pattern, without.contains(pattern));
    }

    /// Administrators start a reset, and never choose (OWASP ASVS 5.0, 6.4).
    TEST(noRouteSetsThePasswordOfAnotherUser)
    {
        std::set<std::string> takesOne;
        for (const auto& route : _host.routes())
        {
            if (route.body == BodyKind::None) continue;
            auto text = route.operation.substr(route.operation.find("requestBody"));
            for (const auto& [name, schema] : *route.components)
                if (text.find("schemas/" + name + '"') != std::string::npos) text += schema;
            for (const auto* member : {"\"password\":", "\"newPassword\":", "\"passwordHash\":"})
                if (text.find(member) != std::string::npos) takesOne.insert(route.pattern);
        }
        CHECK(takesOne.contains("/api/auth/password/reset"));
        for (const auto& pattern : takesOne)
            CPPUNIT_ASSERT_MESSAGE(pattern, pattern.find("{userId}") == std::string::npos && !pattern.starts_with("/api/users") &&
                                                !pattern.starts_with("/api/organizations"));
    }

    IdentityHost _host;
};

} // namespace portico::tests
