#include "notices/NoticeMails.h"

#include "portico/Mailer.h"
#include "portico/Problem.h"

#include <algorithm>
#include <set>
#include <vector>

namespace portico::social
{

namespace
{
/// Items that are younger wait for the next sweep, so that one mail counts several.
constexpr std::chrono::minutes batchTime{5};
constexpr std::int64_t maxNotifiedBrands = 1'000, maxPeople = 200;
constexpr std::string_view approvePermission = "social.content:approve", connectPermission = "social.accounts:write";

/// The first line is the subject.
constexpr std::string_view noticeText = R"({{messages.subject}}
{{messages.greeting}}
{{#hasApprovals}}

{{messages.approvals}}
{{approvalsLink}}
{{/hasApprovals}}
{{#hasAccounts}}

{{messages.accounts}}
{{accountsLink}}
{{/hasAccounts}}

{{messages.settings}}
{{settingsLink}}
)";

constexpr std::string_view english = R"({"subject":"Social needs your attention","greeting":"Hello,",
"approvals":{"plural":"approvals","one":"{approvals} item is waiting for approval:","other":"{approvals} items are waiting for approval:"},
"accounts":{"plural":"accounts","one":"{accounts} account must be reconnected:","other":"{accounts} accounts must be reconnected:"},
"settings":"Change your email notifications:"})";

constexpr std::string_view german = R"({"subject":"Social braucht Ihre Aufmerksamkeit","greeting":"Guten Tag,",
"approvals":{"plural":"approvals","one":"{approvals} Eintrag wartet auf Freigabe:","other":"{approvals} Einträge warten auf Freigabe:"},
"accounts":{"plural":"accounts","one":"{accounts} Konto muss neu verbunden werden:","other":"{accounts} Konten müssen neu verbunden werden:"},
"settings":"E-Mail-Benachrichtigungen ändern:"})";

Templates::Files noticeFiles()
{
    return {{"templates/notice.txt", std::string(noticeText)},
            {"messages/en.json", std::string(english)},
            {"messages/de.json", std::string(german)}};
}
} // namespace

/// Counts of one brand.
struct NoticeMails::Waiting
{
    BrandId brand;
    std::string organization;
    std::int64_t approvals = 0, accounts = 0;
    /// When the newest of them began to wait.
    Instant approvalsAt{}, accountsAt{};
};

NoticeMails::NoticeMails(PluginContext& context)
    : _context(context), _templates(noticeFiles(), context.logger()), _text(_templates.bind<Notice>("notice.txt"))
{
}

void NoticeMails::start()
{
    _context.jobs().handle(sweepJob, [this](const Job&) { sweep(); });
    _context.jobs().every(sweepJob, std::chrono::minutes(5));
}

std::map<std::string, NoticeMails::Waiting> NoticeMails::waiting(Session& session, Instant now) const
{
    std::map<std::string, Waiting> found;
    for (const auto& row : session.query("SELECT organization_id, brand_id, count(*), max(submitted_at) FROM content_item WHERE "
                                         "queue_state = 'pending' AND submitted_at <= $1 GROUP BY organization_id, brand_id LIMIT $2",
                                         now - batchTime, maxNotifiedBrands))
    {
        auto& waiting = found[row.get<std::string>(1)];
        waiting.organization = row.get<std::string>(0);
        waiting.brand = row.get<BrandId>(1);
        waiting.approvals = row.get<std::int64_t>(2);
        waiting.approvalsAt = row.get<Instant>(3);
    }
    for (const auto& row : session.query("SELECT organization_id, brand_id, count(*), max(updated_at) FROM integration WHERE "
                                         "connection_state = 'reconnect_required' GROUP BY organization_id, brand_id LIMIT $1",
                                         maxNotifiedBrands))
    {
        auto& waiting = found[row.get<std::string>(1)];
        waiting.organization = row.get<std::string>(0);
        waiting.brand = row.get<BrandId>(1);
        waiting.accounts = row.get<std::int64_t>(2);
        waiting.accountsAt = row.get<Instant>(3);
    }
    return found;
}

void NoticeMails::sweep() const
{
    const auto directory = _context.services().find<interfaces::Directory>();
    if (!directory) return;
    std::map<std::string, Waiting> found;
    {
        auto session = _context.database().session();
        found = waiting(session, _context.clock().now());
    }
    for (const auto& [brand, waiting] : found) tell(Tenant::fromStored(waiting.organization), waiting, *directory);
}

void NoticeMails::tell(Tenant tenant, const Waiting& waiting, interfaces::Directory& directory) const
{
    const auto now = _context.clock().now();
    std::optional<Brand> brand;
    std::vector<std::string> people;
    std::map<std::string, NoticeChoice> choices;
    {
        auto session = _context.database().session();
        brand = brandTable.find(session, tenant, waiting.brand);
        if (!brand) return;
        for (const auto& row : session.query("SELECT DISTINCT actor_id FROM audit_event WHERE organization_id = $1 AND brand_id = $2 AND "
                                             "actor_id LIKE 'usr%' ORDER BY actor_id LIMIT $3",
                                             tenant, waiting.brand, maxPeople))
            people.push_back(row.get<std::string>(0));
        for (auto& choice : noticeChoiceTable.select(tenant).all(session)) choices[choice.userId] = std::move(choice);
    }
    for (const auto& userId : people)
    {
        const auto choice = choices.contains(userId) ? choices[userId] : NoticeChoice{userId, true, true, {}};
        if (choice.lastMailAt && now - *choice.lastMailAt < pause) continue;
        const auto isNew = [&](Instant at) { return !choice.lastMailAt || at > *choice.lastMailAt - batchTime; };
        Notice notice;
        if (choice.approvals && waiting.approvals > 0 && isNew(waiting.approvalsAt) &&
            directory.memberMay(tenant, userId, approvePermission))
            notice.approvals = waiting.approvals;
        if (choice.accounts && waiting.accounts > 0 && isNew(waiting.accountsAt) && directory.memberMay(tenant, userId, connectPermission))
            notice.accounts = waiting.accounts;
        if (notice.approvals + notice.accounts == 0) continue;
        if (const auto member = directory.member(tenant, userId); member && member->active && !member->email.empty())
            send(tenant, *member, std::move(notice), brand->language, now);
    }
}

void NoticeMails::send(Tenant tenant, const interfaces::DirectoryMember& member, Notice notice, const std::string& language,
                       Instant now) const
{
    const auto& origin = _context.host().origin;
    notice.hasApprovals = notice.approvals > 0;
    notice.hasAccounts = notice.accounts > 0;
    notice.approvalsLink = origin + "/approvals";
    notice.accountsLink = origin + "/accounts";
    notice.settingsLink = origin + "/settings";
    const auto text = _text.render(notice, _templates.localeFor(language));
    const auto line = text.find('\n');
    Mail mail;
    mail.to = member.email;
    mail.toName = member.displayName;
    mail.subject = text.substr(0, line);
    mail.text = text.substr(line + 1);
    _context.database().transact(
        [&](Transaction& transaction)
        {
            transaction.execute("INSERT INTO notice_choice (organization_id, user_id, approvals, accounts, last_mail_at) VALUES ($1, $2, "
                                "TRUE, TRUE, $3) ON CONFLICT (organization_id, user_id) DO UPDATE SET last_mail_at = excluded.last_mail_at",
                                tenant, member.userId, now);
            try
            {
                _context.mailer().send(transaction, mail);
            }
            catch (const Problem& problem)
            {
                _context.logger().warning("Failed to send a mail about approvals or accounts", {{"reason", problem.detail()}});
            }
        });
}

} // namespace portico::social
