#pragma once

#include "portico/Plugin.h"
#include "portico/system/Credentials.h"
#include "portico/testing/JsonWith.h"
#include "portico/testing/TestContext.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::testing
{

/// A request as a test writes it.
struct TestRequest
{
    Method method = Method::Get;
    /// Path with its query, encoded as on the wire.
    std::string target = {};
    std::string body = {};
    /// A body without Content-Type is sent as `application/json`. `Authorization` and `X-Api-Key` are used if the plugin itself provides
    /// `interfaces::Credentials`, which then authenticates the caller.
    std::vector<std::pair<std::string, std::string>> headers = {};
    Caller caller = {};
    /// The service on whose origin it is made; empty: the plugin's own. Other origins have only the gateway's routes.
    std::string originService = {};
    std::string clientAddress = "192.0.2.1";
};

/// An answer, and a look into its body.
class PORTICO_API TestAnswer : public Response
{
public:
    // NOLINTNEXTLINE(google-explicit-constructor): it is one
    TestAnswer(Response&& response = {});

    /// Returns the value at a pointer (RFC 6901) of the JSON body: a string as its text, anything else as JSON, for example
    /// `at("/items/0/id")`.
    /// @throws std::out_of_range with the body if there is no such value
    std::string at(std::string_view pointer) const;
    bool has(std::string_view pointer) const;
    /// How many elements the array there has, or members the object. @throws std::out_of_range with the body when there is none
    std::size_t count(std::string_view pointer) const;
    /// The code of a problem; empty of any other answer.
    std::string code() const;
    /// Returns `field code` of each field error of a problem.
    std::vector<std::string> errors() const;
    /// The value of a cookie that is set, percent-encoding and all; empty if it is not.
    std::string cookie(std::string_view name) const;
};

/// A user with an access token for an organization; permissions are full names (`crm.contacts:read`).
PORTICO_API Caller userOf(std::string_view organizationId, std::vector<std::string> permissions);
/// An API key whose owner has the permissions.
PORTICO_API Caller keyOf(std::string_view organizationId, std::vector<std::string> permissions, std::vector<std::string> scopes);

/// Runs a plugin without a server: creates and starts it, compares its declared routes with its manifest as a host does at loading, and
/// calls them as the host would, with access checks and problem documents. Other work of a server (CORS, idempotency keys, limits,
/// conditional requests) is left out.
///
///     TestHost host({}, [](PluginContext& context) { return std::make_unique<CrmPlugin>(context); }); // runs in the folder of
///     manifest.json const auto made = host.call(Method::Post, "/api/contacts", R"({"name":"Ada"})", userOf("org_1",
///     {"crm.contacts:write"})); host.context().jobs().runDue(); host.call(Method::Get, "/api/contacts/" + made.at("/id"), "", …
///
/// Used by one thread; `call` may be used by many.
class PORTICO_API TestHost
{
public:
    using Make = std::function<std::unique_ptr<Plugin>(PluginContext&)>;

    /// @throws what the plugin's constructor, `start` or `declare` throws, std::runtime_error with everything for which a host would refuse
    /// the plugin or warn of it (permissions, scopes, bound resources, interfaces), and std::logic_error for two routes of one method and
    /// pattern.
    TestHost(const TestSettings& settings, const Make& make);
    /// Calls `stop` and drops routes and plugin, in the host's order.
    ~TestHost();
    TestHost(const TestHost&) = delete;
    TestHost& operator=(const TestHost&) = delete;

    /// Calls the route that matches; for the path of a page (`web` of the manifest) the page guard, where an empty 200 means that the page
    /// is served. Forwarded paths lead nowhere: their routes are another plugin's. Problems become their documents; other exceptions of a
    /// handler come out here, so that a test shows them.
    TestAnswer call(const TestRequest& request) const;
    TestAnswer call(Method method, std::string_view target, std::string_view body = {}, const Caller& caller = Caller::nobody()) const;
    /// The body of a response, also one that is streamed or a file.
    static std::string bodyOf(Response& response);
    /// Replaces the plugin by a new generation on the same data, as a reload does: it is created, started and declares its routes
    /// before the old one is stopped. References to the old one end. @throws exceptions of the constructor; the host is then
    /// unusable.
    void reload();

    TestContext& context() noexcept { return _context; }
    Plugin& plugin() noexcept { return *_plugin; }
    const std::vector<RouteDeclaration>& routes() const noexcept { return _routes; }

private:
    /// Returns the plugin that was there before.
    std::unique_ptr<Plugin> begin();
    std::vector<RouteDeclaration> routesOf(Plugin& plugin);
    std::shared_ptr<const Caller> callerOf(const TestRequest& sent, const Request& request, const RouteDeclaration& route) const;
    bool runPageGuard(Request& request, Response& response) const;
    const RouteDeclaration& match(const TestRequest& request, std::string_view path, std::vector<std::string>& parameters) const;
    void checkAccess(const Request& request, const Access& access) const;
    void run(const TestRequest& request, Response& response) const;

    TestContext _context;
    const Make _make;
    std::unique_ptr<Plugin> _plugin;
    interfaces::Credentials* _credentials = nullptr;
    std::vector<RouteDeclaration> _routes;
};

} // namespace portico::testing
