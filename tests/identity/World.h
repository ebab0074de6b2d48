#pragma once

#include "FakeContext.h"
#include "IdentityPlugin.h"

#include "portico/interfaces/Accounts.h"
#include "portico/interfaces/Credentials.h"
#include "portico/interfaces/Directory.h"
#include "portico/interfaces/ServiceRegistry.h"

#include <boost/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::tests
{

/// An answer of a route.
struct Answer
{
    int status = 0;
    std::string code;
    boost::json::value body;
    /// All headers as they are sent.
    std::string headers;
    std::string etag;

    const boost::json::value& at(std::string_view pointer) const { return body.at_pointer(pointer); }
    std::string text(std::string_view pointer) const { return std::string(at(pointer).as_string()); }
    /// Value of a cookie that is set, or empty.
    std::string cookie(std::string_view name) const;
};

/// A request of a test.
struct Call
{
    Method method = Method::Get;
    /// Path with its query.
    std::string path = {};
    std::string body = {};
    /// Access token or API key; sent by what it looks like.
    std::string credential = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    /// The service on whose origin it is made.
    std::string origin = "identity";
    std::string address = "192.0.2.7";
};

/// Identity as a host runs it, without the network: the plugin, a second service (`desk`) in its catalog, an organization with one user of
/// each role, and calls that pass the host's rules of who may call what.
class World
{
public:
    static constexpr std::string_view password = "correct horse battery";

    explicit World(Dialect dialect, std::map<std::string, std::string, std::less<>> settings = {});
    ~World();

    Answer call(const Call& call);
    /// Signs in at a service and returns the access token.
    std::string signIn(std::string_view email, std::string_view service = "desk", std::string_view extra = {});
    Answer login(std::string_view email, std::string_view secret, std::string_view service = "desk", std::string_view extra = {},
                 std::vector<std::pair<std::string, std::string>> headers = {}, std::string origin = "identity");
    /// A sign-in with cookies on desk's gateway.
    Answer browserLogin(std::string_view email, std::string_view extra = {});

    std::shared_ptr<const Caller> validate(std::string_view credential, std::string_view service = "desk", bool requireAccess = true,
                                           std::string_view address = "192.0.2.7");
    /// The same as far as it is known without the database; null otherwise.
    std::shared_ptr<const Caller> validateCached(std::string_view credential, std::string_view service = "desk");
    /// `details.reason` of the 401, the code of another problem, or `ok`.
    std::string verdict(std::string_view credential, std::string_view service = "desk", std::string_view address = "192.0.2.7");

    std::string createUser(std::string_view email, std::string_view organization = {}, std::string_view role = "member",
                           std::string_view platformRole = {});
    std::string organizationId(std::string_view slug);
    std::vector<interfaces::Registration> publish(const std::vector<std::string>& manifests, std::string_view hostId = "one");
    static std::string identityManifest();
    static std::string deskManifest();

    /// Changes rows as a route of later will: through the same door.
    void change(std::string_view sql, const std::vector<std::string>& arguments = {});
    std::int64_t count(std::string_view sql);

    /// A new generation of the plugin on the same data takes the place of the old one.
    void reload();

    FakeContext context;
    std::unique_ptr<identity::IdentityPlugin> plugin;

private:
    void start();
    Answer dispatch(const RouteDeclaration& route, const Call& call, Request& request);
    void authorize(const RouteDeclaration& route, const Call& call, Request& request);

    std::vector<RouteDeclaration> _routes;
    std::vector<std::shared_ptr<const Caller>> _callers;
    std::mutex _callersMutex;
};

std::map<std::string, std::string, std::less<>> defaultSettings();

} // namespace portico::tests
