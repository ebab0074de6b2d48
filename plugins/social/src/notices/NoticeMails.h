#pragma once

#include "brands/Brand.h"
#include "notices/NoticeChoice.h"

#include "portico/Plugin.h"
#include "portico/Templates.h"
#include "portico/interfaces/Directory.h"

#include <map>
#include <string>

namespace portico::social
{

/// Content of a mail.
struct Notice
{
    std::int64_t approvals = 0;
    std::int64_t accounts = 0;
    bool hasApprovals = false;
    bool hasAccounts = false;
    std::string approvalsLink;
    std::string accountsLink;
    std::string settingsLink;
};
constexpr auto schemaOf(const Notice*)
{
    using N = Notice;
    return describe(
        members<&N::approvals, &N::accounts, &N::hasApprovals, &N::hasAccounts, &N::approvalsLink, &N::accountsLink, &N::settingsLink>());
}

/// Mails users who can approve waiting items or reconnect an account, at most once per hour and organization. Considers only users who
/// have worked on the brand. Thread-safe.
class NoticeMails
{
public:
    static constexpr std::string_view sweepJob = "notices";
    /// A person gets no second mail of an organization within this time.
    static constexpr std::chrono::hours pause{1};

    explicit NoticeMails(PluginContext& context);

    void start();
    /// Sends the mails that are due.
    void sweep() const;

private:
    struct Waiting;
    std::map<std::string, Waiting> waiting(Session& session, Instant now) const;
    void tell(Tenant tenant, const Waiting& waiting, interfaces::Directory& directory) const;
    void send(Tenant tenant, const interfaces::DirectoryMember& member, Notice notice, const std::string& language, Instant now) const;

    PluginContext& _context;
    const Templates _templates;
    const Template<Notice> _text;
};

} // namespace portico::social
