#include "accounts/AccountLimits.h"

#include "common/Networks.h"
#include "users/User.h"

namespace portico::identity
{

namespace
{
constexpr std::chrono::seconds anHour{3600};
constexpr std::chrono::seconds aMinute{60};
} // namespace

AccountLimits::AccountLimits(StateStore& state, const Clock& clock, const AccountSettings& settings)
    : _registrations(state, clock, {.use = "registrations", .limit = settings.registrationsPerHour, .window = anHour}),
      _mailsToAddress(state, clock, {.use = "account-mails-to", .limit = settings.mailsPerAddress, .window = anHour}),
      _mailsFromClient(state, clock, {.use = "account-mails-from", .limit = settings.mailsPerNetwork, .window = anHour}),
      _codes(state, clock, {.use = "email-codes", .limit = settings.codesPerMinute, .window = aMinute}),
      _registrationsOfAddress(state, clock, {.use = "registrations-of", .limit = settings.mailsPerAddress, .window = anHour}),
      _codesOfAddress(state, clock, {.use = "email-codes-of", .limit = settings.codesPerAddress, .window = anHour})
{
}

void AccountLimits::countRegistration(std::string_view clientAddress) const { _registrations.require(clientNetwork(clientAddress)); }

void AccountLimits::countMail(std::string_view email, std::string_view clientAddress) const
{
    _mailsFromClient.require(clientNetwork(clientAddress));
    _mailsToAddress.require(emailKey(email));
}

bool AccountLimits::mayRegister(std::string_view email) const { return _registrationsOfAddress.count(emailKey(email)).allowed; }

bool AccountLimits::mayTryCode(std::string_view email) const { return _codesOfAddress.count(emailKey(email)).allowed; }

void AccountLimits::countCode(std::string_view clientAddress) const { _codes.require(clientNetwork(clientAddress)); }

} // namespace portico::identity
