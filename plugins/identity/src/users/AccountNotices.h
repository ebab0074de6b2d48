#pragma once

#include "mails/Mails.h"

#include "portico/Schema.h"

#include <string>
#include <string_view>

namespace portico::identity
{

/// Change of an account's credentials: one of these is set.
struct AccountChangeMail
{
    bool emailChangeRequested = false;
    bool recoverySet = false;
    bool recoveryVerified = false;
    bool recoveryRemoved = false;
    bool passkeyAdded = false;
    bool passkeyRemoved = false;
    bool appAdded = false;
    bool appRemoved = false;
    bool linked = false;
    bool unlinked = false;
    /// Masked address, if the change concerns one.
    std::string address;
    std::string link;
};

constexpr auto schemaOf(const AccountChangeMail*)
{
    return describe(members<&AccountChangeMail::emailChangeRequested, &AccountChangeMail::recoverySet, &AccountChangeMail::recoveryVerified,
                            &AccountChangeMail::recoveryRemoved, &AccountChangeMail::passkeyAdded, &AccountChangeMail::passkeyRemoved,
                            &AccountChangeMail::appAdded, &AccountChangeMail::appRemoved, &AccountChangeMail::linked,
                            &AccountChangeMail::unlinked, &AccountChangeMail::address, &AccountChangeMail::link>());
}

/// Notifies users by mail of changes to their credentials, also of those by others. Leaves out entered names, which could carry a message.
/// Thread-safe.
class AccountNotices
{
public:
    using Change = bool AccountChangeMail::*;

    AccountNotices(const Mails& mails, std::string origin);
    /// Queues the mail. @param email address that the change concerns, if any; shown masked
    void tell(Session& session, std::string_view userId, Change change, std::string_view email = {}) const;

private:
    MailTemplate<AccountChangeMail> _mail;
    std::string _link;
};

} // namespace portico::identity
