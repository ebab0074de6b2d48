#pragma once

#include "jose/JsonWebKey.h"
#include "providers/UpstreamCalls.h"

#include "portico/Clock.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace portico::identity
{

/// Members of a discovery document that are read (OpenID Connect Discovery, 3).
struct UpstreamMetadata
{
    std::string issuer;
    std::string authorizationEndpoint;
    std::string tokenEndpoint;
    std::string userinfoEndpoint;
    std::string jwksUri;
    std::vector<std::string> tokenEndpointAuthMethods = {"client_secret_basic"};
    /// RFC 9207.
    bool issParameter = false;
};

constexpr auto schemaOf(const UpstreamMetadata*)
{
    return describe(field<&UpstreamMetadata::issuer>(), field<&UpstreamMetadata::authorizationEndpoint>("authorization_endpoint"),
                    field<&UpstreamMetadata::tokenEndpoint>("token_endpoint"),
                    field<&UpstreamMetadata::userinfoEndpoint>("userinfo_endpoint"), field<&UpstreamMetadata::jwksUri>("jwks_uri"),
                    field<&UpstreamMetadata::tokenEndpointAuthMethods>("token_endpoint_auth_methods_supported"),
                    field<&UpstreamMetadata::issParameter>("authorization_response_iss_parameter_supported"));
}

/// Caches discovery documents and keys of providers for an hour. One thread reads for an issuer; others that need the result wait. If
/// renewal fails, the old copy stays valid for up to a week, and retries back off. Thread-safe.
class Discovery
{
public:
    Discovery(HttpClient& http, const Clock& clock, bool plainHttp) : _calls(http), _clock(clock), _plainHttp(plainHttp) {}

    /// @throws UpstreamFailure while there is no copy and the issuer does not answer
    UpstreamMetadata metadata(const std::string& issuer);
    /// @throws UpstreamFailure as `metadata`
    JsonWebKeys keys(const UpstreamMetadata& metadata);
    /// Read again, because a token names a key that was not there; the same as before where that was tried in the last seconds.
    /// Reads without the cache, for administrators of a provider. A failure does not affect sign-ins. @throws UpstreamFailure
    JsonWebKeys freshKeys(const UpstreamMetadata& metadata);
    UpstreamMetadata readNow(const std::string& issuer);
    JsonWebKeys readKeysNow(const UpstreamMetadata& metadata);

private:
    template <class T>
    struct Copy
    {
        std::shared_ptr<const T> value;
        Instant readAt{};
        /// No thread reads before.
        Instant nextTry{};
        int failures = 0;
        bool reading = false;
        /// Error of the last attempt; empty: it succeeded.
        std::string failure;
        UpstreamFailure::Kind failureKind = UpstreamFailure::Kind::Unreachable;
    };
    template <class T>
    using Copies = std::map<std::string, Copy<T>, std::less<>>;
    enum class Wanted : bool
    {
        Any,
        Newer ///< Newer than the copy, unless that is only some seconds old.
    };

    UpstreamMetadata read(const std::string& issuer) const;
    template <class T>
    std::shared_ptr<const T> keep(Copies<T>& copies, const std::string& issuer, T value);
    JsonWebKeys keys(const UpstreamMetadata& metadata, Wanted wanted);
    template <class T, class Read>
    std::shared_ptr<const T> current(Copies<T>& copies, const std::string& issuer, Wanted wanted, const Read& readIt);

    UpstreamCalls _calls;
    const Clock& _clock;
    const bool _plainHttp;
    std::mutex _mutex;
    std::condition_variable _wasRead;
    Copies<UpstreamMetadata> _metadata;
    Copies<std::vector<JsonWebKey>> _keys;
};

} // namespace portico::identity
