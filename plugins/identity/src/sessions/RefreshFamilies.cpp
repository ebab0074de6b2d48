#include "sessions/RefreshFamilies.h"

#include "tokens/KeyRing.h"

#include "portico/Crypto.h"
#include "portico/Id.h"
#include "portico/Problem.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace portico::identity
{

namespace
{

constexpr std::string_view version = "prt1";

std::string macOf(std::string_view macKey, std::string_view familySecret, std::string_view familyId, std::int64_t generation)
{
    const auto key = std::string(macKey) + std::string(familySecret);
    return toBase64Url(hmacSha256(key, std::string(familyId) + std::to_string(generation)).bytes());
}

std::optional<std::int64_t> parseGeneration(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0 || std::to_string(value) != text) return std::nullopt;
    return value;
}

} // namespace

RefreshHandle RefreshHandle::make(std::string macKeyId, std::string_view macKey, std::string familyId, std::string_view familySecret,
                                  std::int64_t generation)
{
    auto mac = macOf(macKey, familySecret, familyId, generation);
    return {std::move(macKeyId), std::move(familyId), generation, std::move(mac)};
}

std::optional<RefreshHandle> RefreshHandle::parse(std::string_view text)
{
    std::array<std::string_view, 5> parts;
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        const auto dot = text.find('.');
        if ((dot == std::string_view::npos) != (i + 1 == parts.size())) return std::nullopt;
        parts[i] = text.substr(0, dot);
        text.remove_prefix(dot == std::string_view::npos ? text.size() : dot + 1);
    }
    const auto generation = parseGeneration(parts[3]);
    if (parts[0] != version || !isUlid(parts[1]) || !isUlid(parts[2]) || !generation || parts[4].size() != 43) return std::nullopt;
    return RefreshHandle{std::string(parts[1]), std::string(parts[2]), *generation, std::string(parts[4])};
}

std::string RefreshHandle::text() const
{
    return std::string(version) + '.' + macKeyId + '.' + familyId + '.' + std::to_string(generation) + '.' + mac;
}

bool RefreshHandle::isGenuine(std::string_view macKey, std::string_view familySecret) const
{
    return sameSecret(mac, macOf(macKey, familySecret, familyId, generation));
}

namespace
{
constexpr auto grace = std::chrono::seconds(30);
}

std::string RefreshFamilies::start(Session& session, const SignIn& signIn, const Lifetime& lifetime, std::string_view origin)
{
    const auto now = _core.clock.now();
    RefreshFamily family;
    family.id = makeUlid(now);
    family.sessionId = signIn.id.text();
    family.serviceId = signIn.serviceId;
    family.clientId = signIn.clientId;
    family.macKeyId = _core.keys.newestMacKeyId();
    family.secret = randomToken();
    family.rotatedAt = family.createdAt = now;
    family.idleSeconds = lifetime.idle.count();
    family.idleExpiresAt = std::min(now + lifetime.idle, lifetime.absoluteEnd);
    family.absoluteExpiresAt = lifetime.absoluteEnd;
    family.remembered = lifetime.remembered;
    family.dpopJkt = signIn.dpopJkt;
    if (!origin.empty()) family.originHash = sha256(origin).hex();
    session.insert("refresh_families", family, {});
    return handleText(family, family.currentGen);
}

std::string RefreshFamilies::handleText(const RefreshFamily& family, std::int64_t generation)
{
    return RefreshHandle::make(family.macKeyId, _core.keys.macKey(family.macKeyId), family.id, family.secret, generation).text();
}

std::optional<RefreshFamily> RefreshFamilies::find(Session& session, const RefreshHandle& handle)
{
    auto family =
        session.one<RefreshFamily>("SELECT " + columns<RefreshFamily>() + " FROM refresh_families WHERE id = $1", handle.familyId);
    if (!family || family->macKeyId != handle.macKeyId || !handle.isGenuine(_core.keys.macKey(family->macKeyId), family->secret))
        return std::nullopt;
    return family;
}

std::optional<RefreshFamily> RefreshFamilies::identify(std::string_view text)
{
    const auto handle = RefreshHandle::parse(text);
    if (!handle) return std::nullopt;
    auto session = _core.database.session();
    return find(session, *handle);
}

std::optional<RefreshFamily> RefreshFamilies::live(std::string_view text)
{
    const auto handle = RefreshHandle::parse(text);
    auto family = handle ? identify(text) : std::nullopt;
    const auto now = _core.clock.now();
    if (!family || !family->active(now)) return std::nullopt;
    // Another tab may have rotated it just now.
    const bool justNow = handle->generation + 1 == family->currentGen && now - family->rotatedAt <= grace;
    return handle->generation == family->currentGen || justNow ? family : std::nullopt;
}

bool RefreshFamilies::swap(const RefreshFamily& family, Instant now)
{
    const auto idleExpiresAt = std::min(now + std::chrono::seconds(family.idleSeconds), family.absoluteExpiresAt);
    return _core.database.transact(
        [&](Transaction& transaction)
        {
            // A switch of context may have shortened its time since it was read.
            const auto changed = refreshFamilyTable.select()
                                     .where(&RefreshFamily::id, family.id)
                                     .where(&RefreshFamily::currentGen, family.currentGen)
                                     .where(&RefreshFamily::idleSeconds, family.idleSeconds)
                                     .where(&RefreshFamily::absoluteExpiresAt, family.absoluteExpiresAt)
                                     .set(transaction, &RefreshFamily::currentGen, increment, &RefreshFamily::rotatedAt, now,
                                          &RefreshFamily::idleExpiresAt, idleExpiresAt);
            if (changed > 0) transaction.execute("UPDATE sessions SET last_seen_at = $2 WHERE id = $1", family.sessionId, now);
            return changed > 0;
        });
}

bool RefreshFamilies::sameBinding(const RefreshFamily& family, std::string_view origin) const
{
    return !family.originHash || *family.originHash == sha256(origin).hex();
}

RefreshResult RefreshFamilies::rotate(std::string_view text, std::string_view origin)
{
    const auto handle = RefreshHandle::parse(text);
    if (!handle) return {};
    // A lost swap means that the row moved on: the second look judges the handle by where the row is then.
    for (int attempt = 0; attempt < 3; ++attempt)
    {
        auto family = _core.read([&](Session& session) { return find(session, *handle); });
        if (!family) return {};
        const auto now = _core.clock.now();
        RefreshResult result{RefreshOutcome::Expired, *std::move(family), {}};
        const auto& row = result.family;
        if (row.revokedAt)
        {
            result.outcome = row.revokeReason == end_reason::reuse ? RefreshOutcome::Reused : RefreshOutcome::SessionEnded;
            return result;
        }
        if (row.idleExpiresAt <= now || row.absoluteExpiresAt <= now) return result;
        const bool current = handle->generation == row.currentGen;
        const bool inGrace = handle->generation == row.currentGen - 1 && now - row.rotatedAt <= grace && sameBinding(row, origin);
        if (!current && !inGrace)
        {
            result.outcome = RefreshOutcome::Reused;
            return result;
        }
        if (current && !swap(row, now)) continue;
        result.outcome = RefreshOutcome::Rotated;
        result.successor = handleText(row, handle->generation + 1);
        return result;
    }
    throw Problem::unavailable("overloaded", "This sign-in is being refreshed by too many at once.");
}

} // namespace portico::identity
