#include "contacts/ContactDuplicates.h"

#include "contacts/ContactRow.h"
#include "text/EmailKey.h"
#include "text/Folding.h"
#include "text/Similarity.h"

#include <algorithm>
#include <array>
#include <set>

namespace portico::crm
{

namespace
{

bool isPublicMailHost(std::string_view domain)
{
    constexpr std::array<std::string_view, 28> hosts{
        "aol.com",        "fastmail.com", "free.fr",        "freenet.de",  "gmail.com",  "gmx.at",      "gmx.com",
        "gmx.de",         "gmx.net",      "googlemail.com", "hotmail.com", "icloud.com", "live.com",    "mac.com",
        "mail.com",       "mail.ru",      "me.com",         "msn.com",     "orange.fr",  "outlook.com", "proton.me",
        "protonmail.com", "qq.com",       "t-online.de",    "web.de",      "yahoo.com",  "yandex.ru",   "ymail.com"};
    return std::find(hosts.begin(), hosts.end(), domain) != hosts.end();
}

class Search
{
public:
    Search(Session& session, std::string_view organizationId, const Contact& contact)
        : _session(session), _organizationId(organizationId), _contact(contact)
    {
    }

    std::vector<DuplicateMatch> run()
    {
        byEmail();
        byExternalId();
        byPhone();
        byNameAndCompany();
        bySimilarName();
        std::stable_sort(_matches.begin(), _matches.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
        return std::move(_matches);
    }

private:
    /// A hundred are more than anyone looks at; a placeholder number in a list of thousands must not cost a read of them all.
    static constexpr std::string_view fromContact = " AND c.id <> $2 AND c.deleted_at IS NULL LIMIT 100";

    void byEmail()
    {
        for (const auto& email : _contact.emails)
            if (const auto key = emailKey(email.address))
                add("email", 1.0,
                    "SELECT c.id, c.display_name FROM contact_email e JOIN contact c ON c.organization_id = e.organization_id "
                    "AND c.id = e.contact_id WHERE e.organization_id = $1 AND e.address = $3",
                    *key);
    }

    void byPhone()
    {
        for (const auto& phone : _contact.phones)
            if (phone.e164)
                add("phone", 0.9,
                    "SELECT c.id, c.display_name FROM contact_phone p JOIN contact c ON c.organization_id = p.organization_id "
                    "AND c.id = p.contact_id WHERE p.organization_id = $1 AND p.number = $3",
                    *phone.e164);
    }

    void byExternalId()
    {
        for (const auto& external : _contact.externalIds)
            add("external_id", 1.0,
                "SELECT c.id, c.display_name FROM contact_external_id x JOIN contact c ON c.organization_id = x.organization_id "
                "AND c.id = x.contact_id WHERE x.organization_id = $1 AND x.system = $3 AND x.external_id = $4",
                external.system, external.id);
    }

    void byNameAndCompany()
    {
        const auto name = foldedFullName(_contact), company = fold(trim(_contact.companyName));
        if (name.empty() || company.empty()) return;
        add("name_and_company", 0.7,
            "SELECT c.id, c.display_name FROM contact c WHERE c.organization_id = $1 AND c.folded_name = $3 AND c.folded_company = $4",
            name, company);
    }

    void bySimilarName()
    {
        constexpr double alike = 0.93;
        const auto name = foldedFullName(_contact);
        if (name.empty()) return;
        for (const auto& domain : domains())
            for (Row row : _session.query("SELECT DISTINCT c.id, c.display_name, c.folded_name FROM contact_email e "
                                          "JOIN contact c ON c.organization_id = e.organization_id AND c.id = e.contact_id "
                                          "WHERE e.organization_id = $1 AND e.domain = $3" +
                                              std::string(fromContact),
                                          _organizationId, _contact.id, domain))
                if (jaroWinkler(name, row.text(2)) >= alike) note(row, "similar_name", 0.6);
    }

    std::set<std::string> domains() const
    {
        std::set<std::string> found;
        for (const auto& email : _contact.emails)
        {
            const auto key = emailKey(email.address);
            if (!key) continue;
            auto domain = key->substr(key->rfind('@') + 1);
            if (!isPublicMailHost(domain)) found.insert(std::move(domain));
        }
        return found;
    }

    template <class... A>
    void add(std::string_view matchedOn, double score, std::string_view select, const A&... arguments)
    {
        for (Row row : _session.query(std::string(select) + std::string(fromContact), _organizationId, _contact.id, arguments...))
            note(row, matchedOn, score);
    }

    void note(const Row& row, std::string_view matchedOn, double score)
    {
        const auto id = row.get<ContactId>(0);
        auto found = std::find_if(_matches.begin(), _matches.end(), [&](const auto& match) { return match.contact.id == id; });
        if (found == _matches.end()) found = _matches.insert(found, {{id, row.get<std::string>(1), {}}, score});
        auto& reasons = found->contact.matchedOn;
        if (std::find(reasons.begin(), reasons.end(), matchedOn) == reasons.end()) reasons.emplace_back(matchedOn);
        found->score = std::max(found->score, score);
    }

    Session& _session;
    std::string_view _organizationId;
    const Contact& _contact;
    std::vector<DuplicateMatch> _matches;
};

} // namespace

std::vector<DuplicateMatch> findDuplicates(Session& session, std::string_view organizationId, const Contact& contact)
{
    return Search(session, organizationId, contact).run();
}

} // namespace portico::crm
