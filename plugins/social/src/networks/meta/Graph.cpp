#include "networks/meta/Graph.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::social::meta
{

namespace
{
constexpr std::int64_t longestTokenLife = std::int64_t{10} * 365 * 86'400;
constexpr std::chrono::minutes limitWait{30};

Error errorOf(const Exchanged& exchanged)
{
    const auto answer = readAnswer<ErrorAnswer>(exchanged).value_or(ErrorAnswer{});
    return answer.error.value_or(Error{});
}
} // namespace

Exchanged Graph::get(std::string_view path, const QueryFields& fields, std::string_view token) const
{
    return exchange(_http, apiRequest("GET", _url + std::string(path) + "?" + toQuery(fields), token));
}

Exchanged Graph::post(std::string_view path, const QueryFields& fields, std::string_view token) const
{
    return post(path, toQuery(fields), token);
}

Exchanged Graph::post(std::string_view path, std::string form, std::string_view token) const
{
    auto request = apiRequest("POST", _url + std::string(path), token);
    request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    request.body = std::move(form);
    return exchange(_http, std::move(request));
}

Exchanged Graph::upload(std::string_view path, std::vector<HttpClient::FormPart> form, std::string_view token, std::stop_token stop) const
{
    auto request = apiRequest("POST", _url + std::string(path), token);
    request.form = std::move(form);
    request.timeout = Network::longestUpload;
    request.stop = std::move(stop);
    return exchange(_http, std::move(request));
}

Exchanged Graph::remove(std::string_view path, std::string_view token) const
{
    return exchange(_http, apiRequest("DELETE", _url + std::string(path), token));
}

StepOutcome graphOutcome(const Exchanged& exchanged, Instant now)
{
    const auto error = errorOf(exchanged);
    auto outcome = failedOutcome(exchanged, now, error.code == 0 ? std::string() : std::to_string(error.code), error.message);
    switch (error.code)
    {
    case 190:
        outcome.kind = StepOutcome::Kind::AuthRefused;
        break;
    case 4:
    case 17:
    case 32:
    case 613:
        outcome.kind = StepOutcome::Kind::Retry;
        outcome.code = FailureCode::RateLimited;
        if (!outcome.notBefore) outcome.notBefore = now + limitWait;
        break;
    case 506:
        outcome.code = FailureCode::DuplicateContent;
        break;
    case 10:
    case 200:
        outcome.code = FailureCode::PermissionDenied;
        break;
    default:
        break;
    }
    return outcome;
}

bool isDead(const Exchanged& exchanged) { return errorOf(exchanged).code == 190; }

void requireToken(const Exchanged& exchanged, std::string_view name)
{
    if (isDead(exchanged))
        throw ConnectFault(ConnectFault::Kind::Refused, "", "token_refused", std::string(name) + " refused the token: access has ended.");
}

Credentials requireCredentials(const Exchanged& exchanged, std::string_view name, Instant now)
{
    requireToken(exchanged, name);
    const auto answer = requireAnswer<Token>(exchanged, name);
    if (answer.accessToken.empty())
        throw ConnectFault(ConnectFault::Kind::Unreachable, "", "unexpected_answer", std::string(name) + " gave no token.");
    Credentials credentials;
    credentials.accessToken = answer.accessToken;
    credentials.issuedAt = now;
    if (answer.expiresIn > 0) credentials.expiresAt = now + std::chrono::seconds(std::min(answer.expiresIn, longestTokenLife));
    return credentials;
}

bool isGraphId(std::string_view text)
{
    return !text.empty() && text.size() <= 80 && std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '_'; });
}

} // namespace portico::social::meta
