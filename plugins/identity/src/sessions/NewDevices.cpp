#include "sessions/NewDevices.h"

#include "portico/Crypto.h"
#include "portico/Table.h"

namespace portico::identity
{

namespace
{
constexpr auto memory = std::chrono::hours(24 * 365);

/// A row of `known_devices`.
struct KnownDevice
{
    std::string mark;
    Instant seenAt{};
};

constexpr auto schemaOf(const KnownDevice*) { return describe(members<&KnownDevice::mark, &KnownDevice::seenAt>()); }

constexpr Table knownDeviceTable{"known_devices", {.tenant = "user_id"}, &KnownDevice::mark};
} // namespace

void NewDevices::note(Transaction& transaction, const User& user, const SignIn& signIn) const
{
    const auto now = signIn.createdAt;
    const auto mark = sha256({signIn.userAgent, "\n", signIn.ipPrefix}).hex();
    if (knownDeviceTable.set(transaction, user.id, mark, &KnownDevice::seenAt, now)) return;
    knownDeviceTable.select(user.id).where("seen_at < ?", now - memory).remove(transaction);
    const auto others = knownDeviceTable.count(transaction, user.id);
    // Only one of two concurrent sign-ins inserts and sends the mail.
    if (knownDeviceTable.insertIfAbsent(transaction, user.id, {mark, now}) && others > 0)
        _mail.send(transaction, mailRecipient(user), {signIn.userAgent, signIn.ipPrefix, toString(now)});
}

} // namespace portico::identity
