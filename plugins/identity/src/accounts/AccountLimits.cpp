#include "accounts/AccountLimits.h"

#include "common/Networks.h"
#include "users/User.h"

namespace portico::identity
{

namespace
{
constexpr std::chrono::seconds anHour{3600};
constexpr std::chrono::seconds aMinute{60};

/// One client: an address of IPv4, a /56 of IPv6, of which everybody has many addresses.
std::string clientOf(std::string_view address)
{
    const auto network = Network::parse(address);
    return network && network->isIPv4() ? std::string(address) : networkPrefix(address);
}
} // namespace

AccountLimits::AccountLimits(StateStore& state, const Clock& clock, const AccountSettings& settings)
    : _registrations(state, clock, {.use = "registrations", .limit = settings.registrationsPerHour, .window = anHour}),
      _mailsToAddress(state, clock, {.use = "account-mails-to", .limit = settings.mailsPerAddress, .window = anHour}),
      _mailsFromClient(state, clock, {.use = "account-mails-from", .limit = settings.mailsPerNetwork, .window = anHour}),
      _codes(state, clock, {.use = "email-codes", .limit = settings.codesPerMinute, .window = aMinute})
{
}

void AccountLimits::countRegistration(std::string_view clientAddress) const { _registrations.require(clientOf(clientAddress)); }

void AccountLimits::countMail(std::string_view email, std::string_view clientAddress) const
{
    _mailsFromClient.require(clientOf(clientAddress));
    _mailsToAddress.require(emailKey(email));
}

void AccountLimits::countCode(std::string_view clientAddress) const { _codes.require(clientOf(clientAddress)); }

} // namespace portico::identity
