#include "identity/IdentityHost.h"

#include "identity/PowSolver.h"
#include "users/User.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace portico::tests
{

namespace
{

bool isKey(std::string_view credential) { return credential.starts_with("pak_"); }

interfaces::Credential credentialOf(std::string_view text, std::string_view service, std::string_view address, bool requireAccess)
{
    return {isKey(text) ? CredentialKind::ApiKey : CredentialKind::AccessToken, text, service, address, requireAccess};
}

/// Returns the member names of a JSON object in their order, each with the type of its value.
std::string membersOf(std::string_view json)
{
    std::string out;
    const auto details = boost::json::parse(json);
    for (const auto& [name, value] : details.as_object())
        out += (out.empty() ? "" : ",") + std::string(name) + ':' + std::string(boost::json::to_string(value.kind()));
    return '{' + out + '}';
}

/// Returns the kind of an audit entry: everything that does not depend on ids, names and times.
std::string kindOf(const Row& row)
{
    const auto person = row.text(2).empty() ? "" : row.text(2) == row.text(4) ? "=target" : "=id";
    return std::string(row.text(0)) + ' ' + std::string(row.text(1)) + person + (row.text(4).empty() ? " - " : " target ") +
           std::string(row.text(3)) + ' ' + std::string(row.text(5)) + (row.text(6).empty() ? "" : " organization") +
           (row.text(7).empty() ? "" : " client") + ' ' + membersOf(row.text(8));
}

} // namespace

IdentityHost::IdentityHost(Settings changes)
    : TestHost(settings(std::move(changes)), [](PluginContext& context) { return std::make_unique<identity::IdentityPlugin>(context); })
{
    publish({identityManifest(), deskManifest()});
}

IdentityHost::~IdentityHost()
{
    const char* file = std::getenv("PORTICO_AUDIT_KINDS");
    if (!file) return;
    try
    {
        std::set<std::string> kinds;
        auto session = context().database().session();
        for (Row row : session.query("SELECT type, actor_type, actor_id, outcome, target, service_id, COALESCE(organization_id, ''), ip, "
                                     "details FROM audit_events"))
            kinds.insert(kindOf(row) + '\n');
        std::ofstream out(file, std::ios::app);
        for (const auto& kind : kinds) out << kind;
    }
    catch (const std::exception&)
    {
        // The test has damaged the database or the trail.
    }
}

testing::TestSettings IdentityHost::settings(Settings changes)
{
    // A challenge is solved at once.
    changes.try_emplace("identity.humanVerification.cost", "1");
    return {.pluginDirectory = pluginFolder(), .config = std::move(changes), .neighbours = {"desk"}};
}

std::filesystem::path IdentityHost::pluginFolder() { return PORTICO_IDENTITY_PLUGIN; }

std::string IdentityHost::identityManifest()
{
    std::stringstream text;
    text << std::ifstream(pluginFolder() / "manifest.json").rdbuf();
    return text.str();
}

std::string IdentityHost::deskManifest()
{
    return R"({"manifestVersion":1,"service_id":"desk","version":"1.0.0","name":"Desk","plugin":{},"surface_kind":"application",
      "surface_group":"business","contexts":["organization"],"launchUrl":"/","origins":["https://desk.example"],
      "permissions":[{"permission":"desk.tickets:read","title":"Read"},{"permission":"desk.tickets:write","title":"Write"},
        {"permission":"desk.tickets:purge","title":"Purge","risk":"high","apiKeyExempt":true},
        {"permission":"desk.settings:write","title":"Settings","risk":"high"},{"permission":"desk.api_keys:manage","title":"Keys","risk":"high"}],
      "roleBundles":[{"id":"desk-guest","title":"Guest","roles":["guest"],"permissions":[]},
        {"id":"desk-member","title":"Member","roles":["member"],"permissions":["desk.tickets:read","desk.tickets:write"]},
        {"id":"desk-admin","title":"Admin","roles":["admin","super_admin","owner"],"permissions":["desk.*:*"]}],
      "apiKeyScopes":[{"scope":"tickets.read","title":"Read","permissions":["desk.tickets:read"],"bindable":["queue"]},
        {"scope":"tickets.write","title":"Write","permissions":["desk.tickets:write"],"bindable":[]},
        {"scope":"settings.write","title":"Settings","permissions":["desk.settings:write"]},
        {"scope":"api_keys.write","title":"Keys","permissions":["desk.api_keys:manage"]}],
      "bindableResources":[{"type":"queue","title":"Queue","idPattern":"^que_[0-9a-z]{26}$"}],
      "texts":{"de":{"permissions":{"desk.tickets:read":{"title":"Vorgänge lesen"}}}},
      "webhookEvents":["desk.ticket.created"]})";
}

TestAnswer IdentityHost::call(TestRequest request, const std::string& credential) const
{
    if (isKey(credential))
        request.headers.emplace_back("X-Api-Key", credential);
    else if (!credential.empty())
        request.headers.emplace_back("Authorization", "Bearer " + credential);
    return TestHost::call(request);
}

std::string IdentityHost::codeOfStaleDelete(const std::string& credential, std::string target) const
{
    return call({.method = Method::Delete, .target = std::move(target), .headers = {{"If-Match", "\"99\""}}}, credential).code();
}

TestAnswer IdentityHost::login(std::string_view email, std::string_view secret, std::string_view service, std::string_view extra,
                               std::vector<std::pair<std::string, std::string>> headers, std::string origin) const
{
    std::string body = jsonWith(R"({"identifier":"$","password":"$","service_id":"$"$})", email, secret, service, extra);
    return call({.method = Method::Post,
                 .target = "/api/auth/login",
                 .body = std::move(body),
                 .headers = std::move(headers),
                 .originService = std::move(origin)});
}

TestAnswer IdentityHost::browserLogin(std::string_view email, std::string_view extra) const
{
    return login(email, password, "desk", extra, {{"X-Platform-Auth", "1"}, {"Origin", "http://desk.localhost:8080"}}, "desk");
}

std::string IdentityHost::signIn(std::string_view email, std::string_view service, std::string_view extra) const
{
    const auto answer = login(email, password, service, extra);
    if (answer.status != 200) throw std::runtime_error("sign-in of " + std::string(email) + ": " + answer.body);
    return answer.at("/access_token");
}

std::shared_ptr<const Caller> IdentityHost::validate(std::string_view credential, std::string_view service, bool requireAccess,
                                                     std::string_view address)
{
    return provided<interfaces::Credentials>().validate(credentialOf(credential, service, address, requireAccess));
}

std::shared_ptr<const Caller> IdentityHost::validateCached(std::string_view credential, std::string_view service)
{
    return provided<interfaces::Credentials>().validateCached(credentialOf(credential, service, "192.0.2.7", true));
}

std::string IdentityHost::verdict(std::string_view credential, std::string_view service, std::string_view address)
{
    try
    {
        validate(credential, service, true, address);
        return "ok";
    }
    catch (const Problem& problem)
    {
        if (problem.details().empty()) return problem.code();
        return std::string(boost::json::parse(problem.details()).at("reason").as_string());
    }
}

std::string IdentityHost::humanProof(std::string_view purpose) const
{
    const auto challenge = call({.target = "/api/public/human-verification?format=altcha&purpose=" + std::string(purpose)});
    return jsonWith(R"({"provider":"pow","payload":"$"})", solvePow(challenge.body));
}

std::string IdentityHost::mailedToken(std::string_view address)
{
    const auto mails = context().mailer().sentTo(address);
    const auto text = mails.empty() ? std::string() : mails.back().text;
    const auto at = text.find("token=");
    return at == std::string::npos ? std::string() : text.substr(at + 6, text.find('\n', at) - at - 6);
}

std::string IdentityHost::mailedCode(std::string_view address)
{
    const auto mails = context().mailer().sentTo(address);
    const auto text = mails.empty() ? std::string() : mails.back().text;
    const auto at = text.find("\n    ");
    return at == std::string::npos ? std::string() : text.substr(at + 5, 6);
}

std::string IdentityHost::createUser(std::string_view email, std::string_view organization, std::string_view role,
                                     std::string_view platformRole)
{
    // Advances the clock, so that later records have later times.
    context().clock().advance(std::chrono::milliseconds(1));
    interfaces::Accounts::NewUser user;
    user.email = email;
    user.password = password;
    user.organizationSlug = organization;
    user.role = role;
    user.platformRole = platformRole;
    auto& accounts = provided<interfaces::Accounts>();
    const auto known =
        context().database().session().value<std::int64_t>("SELECT 1 FROM users WHERE email_key = $1", identity::emailKey(email));
    return (known ? accounts.joinUser(user) : accounts.createUser(user)).userId;
}

std::string IdentityHost::organizationId(std::string_view slug)
{
    return context().database().session().value<std::string>("SELECT id FROM organizations WHERE slug = $1", slug).value();
}

std::vector<interfaces::Registration> IdentityHost::publish(const std::vector<std::string>& manifests, std::string_view hostId)
{
    std::vector<interfaces::RegisteredService> services;
    for (const auto& text : manifests)
    {
        interfaces::RegisteredService service;
        service.manifest = text;
        service.manifestSha256 = std::string(64, 'a');
        service.origin = "http://" + std::string(boost::json::parse(text).at("service_id").as_string()) + ".localhost:8080";
        services.push_back(std::move(service));
    }
    return provided<interfaces::ServiceRegistry>().publish(hostId, services);
}

void IdentityHost::change(std::string_view sql, const std::vector<std::string>& arguments)
{
    std::vector<SqlValue> values(arguments.begin(), arguments.end());
    identity::Changes(context()).run([&](Transaction& transaction) { transaction.executeValues(sql, values); });
}

std::int64_t IdentityHost::count(std::string_view sql) { return context().database().session().value<std::int64_t>(sql).value_or(-1); }

} // namespace portico::tests
