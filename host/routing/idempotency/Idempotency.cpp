#include "host/routing/idempotency/Idempotency.h"

#include "portico/Id.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::host::routing
{

namespace
{

constexpr std::string_view keyHeader = "Idempotency-Key";
constexpr std::size_t largestKeptBody = 1024 * 1024;

std::string_view readKey(const Request& request)
{
    if (std::ranges::count_if(request.headers, [](const auto& field) { return equalsIgnoreCase(field.name, keyHeader); }) > 1)
        throw Problem::invalid(keyHeader, "duplicate", "Sent more than once");
    const auto key = request.header(keyHeader);
    const auto visible = [](char c) { return c > 0x20 && c < 0x7f; };
    if (key.size() < 8 || key.size() > 128 || !std::all_of(key.begin(), key.end(), visible))
        throw Problem::invalid(keyHeader, "invalid_key", "Expected 8 to 128 visible ASCII characters");
    return key;
}

/// Streams and files cannot be kept; what sets a cookie must not be, as the cookie would undo what happened since.
bool canKeep(const Response& response) noexcept
{
    const bool success = response.status >= 200 && response.status < 300;
    return success && !response.source && !response.file && !response.live && response.body.size() <= largestKeptBody &&
           !response.hasHeader("Set-Cookie");
}

/// The older it is, the less likely it ends: its host may have died, and then the key stays closed.
Problem stillRunning(std::chrono::seconds age)
{
    const auto retry = std::clamp<std::int64_t>(age.count(), 1, 60);
    return Problem::conflict("request_in_progress", "The first request with this Idempotency-Key has not ended, or its outcome is unknown.")
        .withHeader("Retry-After", std::to_string(retry));
}

} // namespace

IdempotencyTicket& IdempotencyTicket::operator=(IdempotencyTicket&& other) noexcept
{
    release();
    _stage = std::exchange(other._stage, nullptr);
    _request = std::move(other._request);
    _owner = std::move(other._owner);
    return *this;
}

void IdempotencyTicket::settle(const Response& response) noexcept
{
    if (_stage == nullptr) return;
    if (!canKeep(response)) return release();
    const auto& stage = *std::exchange(_stage, nullptr);
    try
    {
        stage._store.complete(_request.id, _owner, encryptResponse(response, _request.seal, _request.id), stage._clock.now());
    }
    catch (const std::exception& error)
    {
        // The request has taken effect, so the client must learn its answer: an error now would make it try again.
        stage._log.error("an answer could not be kept for its Idempotency-Key", {{"error", error.what()}});
    }
}

void IdempotencyTicket::release() noexcept
{
    if (_stage == nullptr) return;
    const auto& stage = *std::exchange(_stage, nullptr);
    try
    {
        stage._store.abandon(_request.id, _owner);
    }
    catch (const std::exception& error)
    {
        stage._log.warning("an Idempotency-Key could not be freed; it frees itself", {{"error", error.what()}});
    }
}

IdempotencyTicket Idempotency::begin(const Request& request, std::string_view service, Response& response) const
{
    const auto now = _clock.now();
    auto keyed = KeyedRequest::of(request, service, readKey(request), _secret);
    auto owner = makeUlid(now);
    const auto begun = _store.begin(keyed.id, keyed.fingerprint, owner, now);
    switch (begun.outcome)
    {
    case IdempotencyStore::Outcome::Started:
        return {*this, std::move(keyed), std::move(owner)};
    case IdempotencyStore::Outcome::Running:
        throw stillRunning(begun.age);
    case IdempotencyStore::Outcome::Different:
        throw Problem(422, "idempotency_key_reused", "This Idempotency-Key was used with another request.");
    case IdempotencyStore::Outcome::Answered:
        decryptResponse(begun.sealedAnswer, keyed.seal, keyed.id, response);
        response.addHeader("Idempotency-Replayed", "true");
    }
    return {};
}

} // namespace portico::host::routing
