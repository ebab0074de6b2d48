#pragma once

#include "launchpad/SourceFolders.h"
#include "support/Suite.h"

#include "LaunchpadPlugin.h"

#include "portico/testing/FakeDirectory.h"
#include "portico/testing/FakeOnboarding.h"
#include "portico/testing/FakeServiceCatalog.h"
#include "portico/testing/FakeSignIns.h"
#include "portico/testing/TestHost.h"

#include <boost/json.hpp>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portico::tests
{

using testing::jsonWith;

/// The started service on the engine of the run at Monday, 2026-11-23T08:00:00Z, and callers with the permissions of the manifest's
/// bundles: every role of one organization, and an admin of another.
class LaunchpadFixture : public CppUnit::TestFixture
{
public:
    void setUp() override
    {
        std::ifstream file(launchpadPluginFolder() + "/manifest.json");
        manifest = boost::json::parse(std::string(std::istreambuf_iterator<char>(file), {})).as_object();
        settings.pluginDirectory = launchpadPluginFolder();
        host.reset();
        host = std::make_unique<testing::TestHost>(settings, [](PluginContext& context)
                                                   { return std::make_unique<launchpad::LaunchpadPlugin>(context); });
        host->context().clock().jumpTo(*parseInstant("2026-11-23T08:00:00Z"));
        organization = "org_" + makeUlid(Instant{});
        owner = newPerson("owner");
        superAdmin = newPerson("super_admin");
        admin = newPerson("admin");
        member = newPerson("member");
        guest = newPerson("guest");
        stranger = newPerson("admin", "org_" + makeUlid(Instant{}));
        registry = {};
        for (const auto* id : {"launchpad", "crm", "calendar", "social"}) registry.add(id).surfaceGroup = "business";
        for (const auto* id : {"crm", "calendar", "social"}) registry.entries.find(id)->second.contexts = {"organization"};
        registry.add("admin").surfaceGroup = "platform";
        onboarding = {};
        signIns = std::make_unique<testing::FakeSignIns>(host->context().clock());
        auto& services = host->context().services();
        services.offer<interfaces::Directory>(directory);
        services.offer<interfaces::ServiceCatalog>(registry);
        services.offer<interfaces::Onboarding>(onboarding);
        services.offer<interfaces::SignIns>(*signIns);
    }
    void tearDown() override { host.reset(); }

protected:
    /// Returns the permissions of a role's bundles.
    std::vector<std::string> permissionsOf(std::string_view role) const
    {
        std::vector<std::string> permissions;
        for (const auto& bundle : manifest.at("roleBundles").as_array())
            for (const auto& each : bundle.at("roles").as_array())
                if (each.as_string() == role)
                    for (const auto& permission : bundle.at("permissions").as_array()) permissions.emplace_back(permission.as_string());
        return permissions;
    }
    /// A member of an organization with a role; an empty organization: the fixture's.
    Caller newPerson(std::string_view role, std::string id = {})
    {
        if (id.empty()) id = organization;
        auto caller = testing::userOf(id, permissionsOf(role));
        caller.principalId = "usr_" + makeUlid(Instant{});
        caller.role = role;
        directory.add(id, caller.principalId, {caller.permissions.begin(), caller.permissions.end()});
        directory.written.at({id, caller.principalId}).profile.role = role;
        return caller;
    }
    /// The same person in personal context.
    Caller personal(Caller caller) const
    {
        caller.organizationId.clear();
        caller.role = "member";
        caller.permissions = permissionsOf("member");
        return caller;
    }
    /// Returns a key of the organization with the rights of the owner role.
    Caller newKey(std::vector<std::string> scopes) const { return testing::keyOf(organization, permissionsOf("owner"), std::move(scopes)); }

    testing::TestAnswer get(const Caller& caller, std::string_view target) const { return call(Method::Get, target, caller); }
    testing::TestAnswer post(const Caller& caller, std::string_view target, std::string_view body = "{}") const
    {
        return call(Method::Post, target, caller, body);
    }
    testing::TestAnswer put(const Caller& caller, std::string_view target, std::string_view body) const
    {
        return call(Method::Put, target, caller, body);
    }
    testing::TestAnswer patch(const Caller& caller, std::string_view target, std::string_view body) const
    {
        return call(Method::Patch, target, caller, body);
    }
    testing::TestAnswer del(const Caller& caller, std::string_view target) const { return call(Method::Delete, target, caller); }
    testing::TestAnswer call(Method method, std::string_view target, const Caller& caller, std::string_view body = {}) const
    {
        return host->call(method, target, body, caller);
    }
    /// Returns the answer of a creation. Fails the test unless it succeeded.
    static testing::TestAnswer made(testing::TestAnswer answer)
    {
        CPPUNIT_ASSERT_MESSAGE(answer.body, answer.status >= 200 && answer.status < 300);
        return answer;
    }
    /// Fails the test unless a list gives the same items in pages of one, and its total where the request includes it.
    /// @param ask sends a request to a target
    template <class Ask>
    static void assertPages(const std::string& path, const Ask& ask)
    {
        const auto whole = made(ask(path));
        const auto size = whole.count("/items");
        CPPUNIT_ASSERT_MESSAGE(path, size > 1);
        equal("null", whole.at("/nextCursor"), path);
        CPPUNIT_ASSERT_MESSAGE(path, !whole.has("/total"));
        std::string cursor;
        for (std::size_t i = 0; i < size; ++i)
        {
            const auto page = made(ask(path + "?limit=1&include=total" + cursor));
            equal(1, page.count("/items"), path);
            equal(whole.at("/items/" + std::to_string(i)), page.at("/items/0"), path);
            equal(std::to_string(size), page.at("/total"), path);
            cursor = "&cursor=" + page.at("/nextCursor");
        }
        equal("&cursor=null", cursor, path);
        refused(ask(path + "?limit=201"), 400, "validation_failed");
        refused(ask(path + "?cursor=x"), 400, "invalid_cursor");
    }
    void advance(std::chrono::milliseconds time) const { host->context().clock().advance(time); }

    // Browsers.
    /// Calls an open route from a browser.
    testing::TestAnswer visitor(Method method, std::string_view target, std::string_view body = {}, std::string_view address = "192.0.2.1",
                                std::vector<std::pair<std::string, std::string>> headers = {}) const
    {
        testing::TestRequest request{method, std::string(target), std::string(body), std::move(headers), Caller::nobody()};
        request.clientAddress = address;
        return host->call(request);
    }
    /// Returns the target of a redirect.
    static std::string locationOf(const testing::TestAnswer& answer)
    {
        const auto& headers = answer.headerBlock();
        const auto begin = headers.find("Location: ") + 10;
        return headers.substr(begin, headers.find('\r', begin) - begin);
    }
    /// Name of a cookie on this host.
    std::string cookieName(std::string_view name) const { return (host->context().host().plainHttp ? "" : "__Host-") + std::string(name); }
    /// The cookie of a browser in which a person is signed in.
    std::string signInCookie(const Caller& person)
    {
        signIns->cookies["handle"] = std::make_shared<const Caller>(person);
        return cookieName("platform_refresh") + "=handle";
    }
    /// Sends a form of a page that this browser was shown. @param shownAt path of that page; empty: the form's
    testing::TestAnswer sendForm(std::string_view path, const std::string& fields, const std::string& cookies = {},
                                 std::string_view shownAt = {}) const
    {
        const auto page = visitor(Method::Get, shownAt.empty() ? path : shownAt, {}, "192.0.2.1", {{"Cookie", cookies}});
        const auto begin = page.body.find("name=\"form_token\" value=\"") + 25;
        const auto token = page.body.substr(begin, page.body.find('"', begin) - begin);
        const auto name = host->context().host().plainHttp ? "form" : "__Host-form";
        const auto browser = std::string(name) + '=' + page.cookie(name);
        return visitor(
            Method::Post, path, fields + "&form_token=" + token, "192.0.2.1",
            {{"Content-Type", "application/x-www-form-urlencoded"}, {"Cookie", browser + (cookies.empty() ? "" : "; " + cookies)}});
    }

    boost::json::object manifest;
    testing::TestSettings settings;
    testing::FakeDirectory directory;
    /// launchpad, crm, calendar and social, for organizations only; admin, for both contexts.
    testing::FakeServiceCatalog registry;
    testing::FakeOnboarding onboarding;
    std::unique_ptr<testing::FakeSignIns> signIns;
    std::unique_ptr<testing::TestHost> host;
    std::string organization;
    Caller owner, superAdmin, admin, member, guest;
    /// An admin of another organization.
    Caller stranger;
};

} // namespace portico::tests
