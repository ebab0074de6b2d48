#pragma once

#include "networks/NetworkCalls.h"

#include "portico/Clock.h"
#include "portico/Jwt.h"

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace portico::social::bluesky
{

/// Sends requests with a proof of the account's key (RFC 9449). Remembers the last nonce of each server, for all accounts. Thread-safe.
class Proofs
{
public:
    explicit Proofs(const Clock& clock) : _clock(clock) {}

    /// Repeats a request once if the server requires another nonce; the server has not processed it in that case.
    /// @param accessToken empty: a request for a token
    Exchanged send(HttpClient& http, HttpClient::Request request, const JwtKey& key, std::string_view accessToken = {});

private:
    std::string nonceOf(const std::string& origin) const;
    void remember(const std::string& origin, const std::string& nonce);

    const Clock& _clock;
    mutable std::mutex _mutex;
    std::map<std::string, std::string> _nonces;
};

} // namespace portico::social::bluesky
