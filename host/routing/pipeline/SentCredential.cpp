#include "host/routing/pipeline/SentCredential.h"

#include "host/http/Characters.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::host::routing
{

namespace
{

constexpr std::size_t longestApiKey = 256;

[[noreturn]] void refuseMalformed()
{
    throw Problem::unauthorized("invalid_token", "The credential is malformed.").withDetails(R"({"reason":"malformed"})");
}

/// The b64token of RFC 6750: at least one character, `=` at the end only.
bool isToken(std::string_view text) noexcept
{
    const auto padding = text.find_last_not_of('=');
    if (padding == std::string_view::npos) return false;
    const auto body = text.substr(0, padding + 1);
    return http::all(body, http::octet::token68);
}

std::string_view bearerToken(std::string_view header)
{
    constexpr std::string_view scheme = "Bearer";
    if (header.size() <= scheme.size() || !equalsIgnoreCase(header.substr(0, scheme.size()), scheme) || header[scheme.size()] != ' ')
        refuseMalformed();
    const auto start = header.find_first_not_of(' ', scheme.size());
    if (start == std::string_view::npos || !isToken(header.substr(start))) refuseMalformed();
    return header.substr(start);
}

std::string_view apiKey(std::string_view header)
{
    const auto visible = [](char c) { return c > 0x20 && c < 0x7f; };
    if (header.empty() || header.size() > longestApiKey || !std::all_of(header.begin(), header.end(), visible)) refuseMalformed();
    return header;
}

} // namespace

SentCredential SentCredential::read(const Request& request)
{
    const HeaderField* authorization = nullptr;
    const HeaderField* key = nullptr;
    for (const HeaderField& field : request.headers)
    {
        const HeaderField** place = equalsIgnoreCase(field.name, "Authorization") ? &authorization
                                    : equalsIgnoreCase(field.name, "X-Api-Key")   ? &key
                                                                                  : nullptr;
        if (place == nullptr) continue;
        if (authorization != nullptr || key != nullptr)
            throw Problem::badRequest("multiple_credentials", "Send one credential: a bearer token or an API key.");
        *place = &field;
    }
    if (authorization != nullptr) return {CredentialKind::AccessToken, bearerToken(authorization->value)};
    if (key != nullptr) return {CredentialKind::ApiKey, apiKey(key->value)};
    return {};
}

} // namespace portico::host::routing
