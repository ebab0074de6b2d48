#pragma once

#include "Json.h"
#include "Shell.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::mobile
{

/// A copy of pm_config that was checked.
struct Settings
{
    /// @throws Failure PM_INVALID_ARGUMENT
    explicit Settings(const pm_config& config);

    std::string issuer, launchpadUrl, serviceId, serviceUrl, clientId, redirectUri, callbackUrl, appName;
};

/// Record of a sign-in in the keychain group.
struct StoredSession
{
    /// Random, the same for the life of the sign-in: cached documents belong to it.
    std::string id;
    std::string refreshToken;
    /// The token before, which the server exchanges for `refreshToken` for a short time.
    std::string previousToken;
    /// When `refreshToken` was stored, in seconds.
    std::int64_t rotatedAt = 0;
    /// The stored form, to compare with.
    std::string bytes;
};

struct Document
{
    std::string json;
    bool fromCache = false;
    std::int64_t age = 0;
};

struct LaunchChoice
{
    pm_launch_kind kind = PM_LAUNCH_WEB;
    std::string url;
};

/// One app of a keychain group. Throws Failure. Not thread-safe.
class Client
{
public:
    Client(const pm_config& config, const pm_shell& shell) : _settings(config), _shell(shell) {}
    ~Client() { wipe(); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    std::string startSignIn();
    void finishSignIn(std::string_view callbackUrl);
    bool isSignedIn() const { return stored().has_value(); }
    void refresh();
    void signOut();
    std::string exchange(std::string_view link);

    Document catalog(pm_source source);
    Document preferences(pm_source source);
    Document actions(pm_source source);
    LaunchChoice launch(const std::string& serviceId, pm_platform platform, const std::string& returnTo);

    std::string lastProblem = {};

private:
    struct CachedDocument
    {
        std::string etag, json;
        std::int64_t savedAt = 0;
    };

    std::string secretName(std::string_view kind) const;
    std::optional<StoredSession> stored() const;
    std::string storedForm(const StoredSession& session) const;
    StoredSession requireStored();
    void store(const json::object& tokens);
    void keepAccess(const json::object& tokens, const std::string& sessionId);
    /// Forgets what this app has of a sign-in.
    void forget();
    void forgetCache() const;
    void wipe() noexcept;
    /// Ends the sign-in of which this was the stored form. False: another app has stored a newer one.
    bool end(const StoredSession& session);

    std::string proof(const std::string& method, const std::string& url, std::string_view accessToken);
    std::string keyObject() const;
    /// Sends a form to the token endpoint, once more if the server asks for a nonce.
    std::optional<HttpAnswer> askTokens(const std::string& path, const std::string& form);
    /// Sends a request with the access token; renews the token when it has expired. Empty: no response.
    std::optional<HttpAnswer> ask(HttpCall call);
    HttpAnswer authorized(HttpCall call, const std::string& token, bool& answered);
    [[noreturn]] void refuse(const HttpAnswer& answer);

    std::optional<CachedDocument> cachedDocument(const char* name);
    void cacheDocument(const char* name, const std::string& etag, std::string_view json) const;
    Document read(const char* name, const std::string& path, pm_source source);
    std::string restOfList(std::string first);
    std::string nativeId(const std::string& serviceId, pm_platform platform);

    const Settings _settings;
    const Shell _shell;
    std::string _accessToken;
    std::int64_t _expiresAt = 0;
    /// Sign-in that the access token is of.
    std::string _sessionId;
    std::string _nonce;
};

/// Draws the lockup.
std::string lockup(pm_theme theme, std::uint32_t height);

} // namespace portico::mobile
