#pragma once

#include "common/Crypto.h"
#include "sessions/RefreshHandle.h"
#include "sessions/SignIn.h"
#include "tokens/KeyRing.h"

#include "portico/Clock.h"
#include "portico/Database.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// A row of `refresh_families`: all refresh handles of one sign-in.
struct RefreshFamily
{
    std::string id;
    std::string sessionId;
    std::string serviceId;
    std::string clientId;
    std::string macKeyId;
    std::string secret;
    std::int64_t currentGen = 1;
    Instant rotatedAt{};
    std::int64_t idleSeconds = 0;
    Instant idleExpiresAt{};
    Instant absoluteExpiresAt{};
    /// False: the cookie ends with the browser.
    bool remembered = true;
    std::optional<std::string> dpopJkt;
    std::optional<std::string> originHash;
    std::optional<Instant> revokedAt;
    std::optional<std::string> revokeReason;
    Instant createdAt{};

    bool active(Instant now) const noexcept { return !revokedAt && now < idleExpiresAt && now < absoluteExpiresAt; }
};

constexpr auto schemaOf(const RefreshFamily*)
{
    return describe(field("id", &RefreshFamily::id), field("sessionId", &RefreshFamily::sessionId),
                    field("serviceId", &RefreshFamily::serviceId), field("clientId", &RefreshFamily::clientId),
                    field("macKeyId", &RefreshFamily::macKeyId), field("secret", &RefreshFamily::secret),
                    field("currentGen", &RefreshFamily::currentGen), field("rotatedAt", &RefreshFamily::rotatedAt),
                    field("idleSeconds", &RefreshFamily::idleSeconds), field("idleExpiresAt", &RefreshFamily::idleExpiresAt),
                    field("absoluteExpiresAt", &RefreshFamily::absoluteExpiresAt), field("remembered", &RefreshFamily::remembered),
                    field("dpopJkt", &RefreshFamily::dpopJkt), field("originHash", &RefreshFamily::originHash),
                    field("revokedAt", &RefreshFamily::revokedAt), field("revokeReason", &RefreshFamily::revokeReason),
                    field("createdAt", &RefreshFamily::createdAt));
}

/// How a refresh ended.
enum class RefreshOutcome : std::uint8_t
{
    Rotated, ///< the successor, or the same successor again within the time of grace
    Expired, ///< also a handle that is none of ours
    Reused,  ///< an old handle came back: whoever holds it is not the one who holds the successor
    SessionEnded
};

struct RefreshResult
{
    RefreshOutcome outcome = RefreshOutcome::Expired;
    RefreshFamily family;
    std::string successor;
};

/// Refresh families in one row each, moved on by compare-and-swap: of many that present the same handle at once one rotates, the others are
/// answered the same successor. Thread-safe.
class RefreshFamilies
{
public:
    RefreshFamilies(Database& database, KeyRing& keys, const Clock& clock) : _database(database), _keys(keys), _clock(clock) {}

    struct Lifetime
    {
        std::chrono::seconds idle;
        Instant absoluteEnd{};
        bool remembered = true;
    };
    /// Starts a family; returns its first handle.
    std::string start(Session& session, const SignIn& signIn, const Lifetime& lifetime, std::string_view origin);
    /// Never changes anything but by the swap; what a reuse or an expiry ends is the caller's to end.
    RefreshResult rotate(std::string_view handle, std::string_view origin);
    /// The family of a genuine handle of any generation, and only that.
    std::optional<RefreshFamily> identify(std::string_view handle);

private:
    std::optional<RefreshFamily> find(Session& session, const RefreshHandle& handle);
    std::string handleText(const RefreshFamily& family, std::int64_t generation);
    /// True when the row was moved from that generation to the next.
    bool swap(const RefreshFamily& family, Instant now);
    bool sameBinding(const RefreshFamily& family, std::string_view origin) const;

    Database& _database;
    KeyRing& _keys;
    const Clock& _clock;
    Sha256 _sha256;
};

} // namespace portico::identity
