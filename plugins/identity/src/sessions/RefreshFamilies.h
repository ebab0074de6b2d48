#pragma once

#include "common/Core.h"
#include "sessions/SignIn.h"

#include "portico/Clock.h"
#include "portico/Table.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// A refresh handle, `prt1.<kid>.<familyId>.<gen>.<mac>`: it names its family and generation, and the MAC shows that we made it. Nothing
/// of it is stored, so the same successor can be answered again.
struct RefreshHandle
{
    std::string macKeyId;
    std::string familyId;
    std::int64_t generation = 0;
    std::string mac;

    /// @param macKey secret of the MAC key; @param familySecret secret of the family's row.
    static RefreshHandle make(std::string macKeyId, std::string_view macKey, std::string familyId, std::string_view familySecret,
                              std::int64_t generation);
    /// Checks the form only.
    static std::optional<RefreshHandle> parse(std::string_view text);
    std::string text() const;
    bool isGenuine(std::string_view macKey, std::string_view familySecret) const;
};

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
    return describe(members<&RefreshFamily::id, &RefreshFamily::sessionId, &RefreshFamily::serviceId, &RefreshFamily::clientId,
                            &RefreshFamily::macKeyId, &RefreshFamily::secret, &RefreshFamily::currentGen, &RefreshFamily::rotatedAt,
                            &RefreshFamily::idleSeconds, &RefreshFamily::idleExpiresAt, &RefreshFamily::absoluteExpiresAt,
                            &RefreshFamily::remembered, &RefreshFamily::dpopJkt, &RefreshFamily::originHash, &RefreshFamily::revokedAt,
                            &RefreshFamily::revokeReason, &RefreshFamily::createdAt>());
}

/// Families that were not revoked, by their sign-in.
inline constexpr GlobalTable refreshFamilyTable{"refresh_families", {.where = "revoked_at IS NULL"}, &RefreshFamily::sessionId};

/// How a refresh ended.
enum class RefreshOutcome : std::uint8_t
{
    Rotated, ///< the successor, or the same successor again within the grace period
    Expired, ///< also for an unknown handle
    Reused,  ///< an old handle was reused, so that it or its successor was probably stolen
    SessionEnded
};

struct RefreshResult
{
    RefreshOutcome outcome = RefreshOutcome::Expired;
    RefreshFamily family;
    std::string successor;
};

/// Refresh token families, one row each, rotated by compare-and-swap. Of concurrent requests with the same handle one rotates; the others
/// get the same successor. Thread-safe.
class RefreshFamilies
{
public:
    explicit RefreshFamilies(Core& core) : _core(core) {}

    struct Lifetime
    {
        std::chrono::seconds idle;
        Instant absoluteEnd{};
        bool remembered = true;
    };
    /// Starts a family; returns its first handle.
    std::string start(Session& session, const SignIn& signIn, const Lifetime& lifetime, std::string_view origin);
    /// Changes nothing except by the swap. After a reuse or expiry, the caller must end the sign-in.
    RefreshResult rotate(std::string_view handle, std::string_view origin);
    /// The family of a genuine handle of any generation, and only that.
    std::optional<RefreshFamily> identify(std::string_view handle);
    /// The family that a handle opens: the newest of an active one, or the one before it while the time of grace lasts.
    std::optional<RefreshFamily> live(std::string_view handle);

private:
    std::optional<RefreshFamily> find(Session& session, const RefreshHandle& handle);
    std::string handleText(const RefreshFamily& family, std::int64_t generation);
    /// True when the row was moved from that generation to the next.
    bool swap(const RefreshFamily& family, Instant now);
    bool sameBinding(const RefreshFamily& family, std::string_view origin) const;

    Core& _core;
};

} // namespace portico::identity
