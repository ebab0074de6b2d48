#pragma once

#include "IdentityPlugin.h"

#include "support/Suite.h"

#include "portico/interfaces/Accounts.h"
#include "portico/interfaces/Directory.h"
#include "portico/system/Credentials.h"
#include "portico/system/ServiceRegistry.h"
#include "portico/testing/TestHost.h"

#include <boost/json.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::tests
{

using testing::jsonWith;
using testing::TestAnswer;
using testing::TestRequest;

/// Identity at 2026-01-01T00:00:00Z with a second service (`desk`) in its catalog, and common steps of its tests.
class IdentityHost : public testing::TestHost
{
public:
    using Settings = std::map<std::string, std::string, std::less<>>;
    static constexpr std::string_view password = "correct horse battery";

    explicit IdentityHost(Settings settings = {});
    /// Appends the kinds of audit entries that the test caused to the file that `PORTICO_AUDIT_KINDS` names; `audit_kinds.py` reads it.
    ~IdentityHost();

    static testing::TestSettings settings(Settings changes = {});
    /// Returns the plugin's folder as installed for a host, without its library.
    static std::filesystem::path pluginFolder();
    static std::string identityManifest();
    static std::string deskManifest();

    template <class I>
    I& provided()
    {
        return *context().services().provided<I>();
    }

    /// @param credential access token or API key; its form determines how it is sent
    TestAnswer call(TestRequest request, const std::string& credential = {}) const;
    /// Returns the problem code of a deletion with a version that does not exist.
    std::string codeOfStaleDelete(const std::string& credential, std::string target) const;
    TestAnswer login(std::string_view email, std::string_view secret, std::string_view service = "desk", std::string_view extra = {},
                     std::vector<std::pair<std::string, std::string>> headers = {}, std::string origin = "identity") const;
    /// Signs in with cookies on desk's gateway.
    TestAnswer browserLogin(std::string_view email, std::string_view extra = {}) const;
    /// Signs in at a service and returns the access token.
    std::string signIn(std::string_view email, std::string_view service = "desk", std::string_view extra = {}) const;

    std::shared_ptr<const Caller> validate(std::string_view credential, std::string_view service = "desk", bool requireAccess = true,
                                           std::string_view address = "192.0.2.7");
    /// Validates from the cache, without the database; null if that is not possible.
    std::shared_ptr<const Caller> validateCached(std::string_view credential, std::string_view service = "desk");
    /// `details.reason` of the 401, the code of another problem, or `ok`.
    std::string verdict(std::string_view credential, std::string_view service = "desk", std::string_view address = "192.0.2.7");

    /// A solved challenge, as `humanVerification` of a body has it.
    std::string humanProof(std::string_view purpose) const;

    /// Return the token of the link in the newest mail to an address, and its code. Empty if it has none.
    std::string mailedToken(std::string_view address);
    std::string mailedCode(std::string_view address);

    std::string createUser(std::string_view email, std::string_view organization = {}, std::string_view role = "member",
                           std::string_view platformRole = {});
    std::string organizationId(std::string_view slug);
    std::vector<interfaces::Registration> publish(const std::vector<std::string>& manifests, std::string_view hostId = "one");

    /// Changes rows as a route of later will: through the same door.
    void change(std::string_view sql, const std::vector<std::string>& arguments = {});
    std::int64_t count(std::string_view sql);
};

} // namespace portico::tests
