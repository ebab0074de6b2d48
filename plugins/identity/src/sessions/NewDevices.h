#pragma once

#include "mails/Mails.h"
#include "sessions/SignIn.h"
#include "users/User.h"

namespace portico::identity
{

/// To whom signs in from a browser and a network that they have never used together.
struct NewDeviceMail
{
    std::string device;
    std::string network;
    std::string at;
};

constexpr auto schemaOf(const NewDeviceMail*)
{
    return describe(members<&NewDeviceMail::device, &NewDeviceMail::network, &NewDeviceMail::at>());
}

/// Remembers the devices of users, hashed and for a year after the last use, and sends a mail for a new one. The first sign-in of an
/// account sends none. Thread-safe.
class NewDevices
{
public:
    explicit NewDevices(const Mails& mails) : _mail(mails.bind<NewDeviceMail>("new-device")) {}
    void note(Transaction& transaction, const User& user, const SignIn& signIn) const;

private:
    MailTemplate<NewDeviceMail> _mail;
};

} // namespace portico::identity
