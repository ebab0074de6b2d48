#pragma once

#include "mails/Mails.h"

#include "portico/Schema.h"

#include <string>
#include <string_view>

namespace portico::identity
{

/// What has changed about how an account is opened: one of these.
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
    /// Masked, where it is about one.
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

/// Tells people at their address what has changed about how their account is opened: also when it was somebody else. Names that were typed
/// are left out, lest they say something of their own. Thread-safe.
class AccountNotices
{
public:
    using Change = bool AccountChangeMail::*;

    AccountNotices(const Mails& mails, std::string origin);
    /// Queues the mail. @param email What it is about where that is an address: shown masked.
    void tell(Session& session, std::string_view userId, Change change, std::string_view email = {}) const;

private:
    MailTemplate<AccountChangeMail> _mail;
    std::string _link;
};

} // namespace portico::identity
