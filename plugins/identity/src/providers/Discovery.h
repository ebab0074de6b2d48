#pragma once

#include "oauth/JsonWebKey.h"
#include "providers/UpstreamCalls.h"

#include "portico/Clock.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace portico::identity
{

/// What we read of a discovery document (OpenID Connect Discovery, 3).
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
    return describe(field("issuer", &UpstreamMetadata::issuer), field("authorization_endpoint", &UpstreamMetadata::authorizationEndpoint),
                    field("token_endpoint", &UpstreamMetadata::tokenEndpoint),
                    field("userinfo_endpoint", &UpstreamMetadata::userinfoEndpoint), field("jwks_uri", &UpstreamMetadata::jwksUri),
                    field("token_endpoint_auth_methods_supported", &UpstreamMetadata::tokenEndpointAuthMethods),
                    field("authorization_response_iss_parameter_supported", &UpstreamMetadata::issParameter));
}

/// Discovery documents and keys of providers, remembered for an hour; that one is away, for some seconds, so that waiting for it does not
/// take all who wait. Thread-safe.
class Discovery
{
public:
    Discovery(HttpClient& http, const Clock& clock, bool plainHttp) : _calls(http), _clock(clock), _plainHttp(plainHttp) {}

    using Keys = std::shared_ptr<const std::vector<JsonWebKey>>;
    /// @throws UpstreamFailure
    UpstreamMetadata metadata(const std::string& issuer);
    Keys keys(const UpstreamMetadata& metadata);
    /// Read again, because a token names a key that was not there; the same as before where that was tried in the last seconds.
    Keys freshKeys(const UpstreamMetadata& metadata);
    /// What was read before counts no more.
    void forget(const std::string& issuer);

private:
    struct Entry
    {
        UpstreamMetadata metadata;
        Keys keys;
        Instant readAt{};
        Instant keysTriedAt{};
        bool readsKeys = false;
        /// Empty: it answered.
        std::string failure;
        UpstreamFailure::Kind failureKind = UpstreamFailure::Kind::Unreachable;
    };
    UpstreamMetadata read(const std::string& issuer) const;
    Entry& place(const std::string& issuer);

    UpstreamCalls _calls;
    const Clock& _clock;
    const bool _plainHttp;
    std::mutex _mutex;
    std::condition_variable _keysRead;
    std::map<std::string, Entry, std::less<>> _entries;
};

} // namespace portico::identity
