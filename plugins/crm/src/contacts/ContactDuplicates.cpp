#include "contacts/ContactDuplicates.h"

#include "contacts/ContactRow.h"
#include "text/EmailKey.h"
#include "text/Similarity.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::crm
{

namespace
{

void sortUnique(std::vector<std::string>& texts)
{
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

/// Both sorted.
bool shareOne(const std::vector<std::string>& left, const std::vector<std::string>& right)
{
    return std::any_of(left.begin(), left.end(), [&](const auto& text) { return std::binary_search(right.begin(), right.end(), text); });
}

class DuplicateSearch
{
public:
    DuplicateSearch(Session& session, Tenant tenant, const Contact& contact) : _session(session), _tenant(tenant), _contact(contact) {}

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
        const auto name = foldedFullName(_contact);
        if (name.empty()) return;
        for (const auto& domain : mailDomainsOf(_contact))
        {
            struct Candidate
            {
                ContactId id;
                std::string displayName;
                std::string name;
            };
            std::vector<Candidate> candidates;
            // Without DISTINCT, for which PostgreSQL would read all contacts of the domain before the limit. `note` drops repetitions.
            for (Row row : _session.query("SELECT c.id, c.display_name, c.folded_name FROM contact_email e "
                                          "JOIN contact c ON c.organization_id = e.organization_id AND c.id = e.contact_id "
                                          "WHERE e.organization_id = $1 AND e.domain = $3 AND c.id <> $2 AND c.deleted_at IS NULL LIMIT $4",
                                          _tenant, _contact.id, domain, maxOfOneDomain + 1))
                candidates.push_back({row.get<ContactId>(0), row.get<std::string>(1), row.get<std::string>(2)});
            if (candidates.size() > static_cast<std::size_t>(maxOfOneDomain)) continue;
            for (const auto& candidate : candidates)
                if (jaroWinkler(name, candidate.name) >= alikeNames) note(candidate.id, candidate.displayName, "similar_name", 0.6);
        }
    }

    template <class... A>
    void add(std::string_view matchedOn, double score, std::string_view select, const A&... arguments)
    {
        for (Row row : _session.query(std::string(select) + std::string(fromContact), _tenant, _contact.id, arguments...))
            note(row.get<ContactId>(0), row.get<std::string>(1), matchedOn, score);
    }

    void note(const ContactId& id, const std::string& displayName, std::string_view matchedOn, double score)
    {
        auto found = std::find_if(_matches.begin(), _matches.end(), [&](const auto& match) { return match.contact.id == id; });
        if (found == _matches.end()) found = _matches.insert(found, {{id, displayName, {}}, score});
        auto& reasons = found->contact.matchedOn;
        if (std::find(reasons.begin(), reasons.end(), matchedOn) == reasons.end()) reasons.emplace_back(matchedOn);
        found->score = std::max(found->score, score);
    }

    Session& _session;
    Tenant _tenant;
    const Contact& _contact;
    std::vector<DuplicateMatch> _matches;
};

} // namespace

bool isPublicMailHost(std::string_view domain)
{
    constexpr std::array<std::string_view, 28> hosts{
        "aol.com",        "fastmail.com", "free.fr",        "freenet.de",  "gmail.com",  "gmx.at",      "gmx.com",
        "gmx.de",         "gmx.net",      "googlemail.com", "hotmail.com", "icloud.com", "live.com",    "mac.com",
        "mail.com",       "mail.ru",      "me.com",         "msn.com",     "orange.fr",  "outlook.com", "proton.me",
        "protonmail.com", "qq.com",       "t-online.de",    "web.de",      "yahoo.com",  "yandex.ru",   "ymail.com"};
    return std::find(hosts.begin(), hosts.end(), domain) != hosts.end();
}

std::vector<std::string> emailKeysOf(const Contact& contact)
{
    std::vector<std::string> keys;
    for (const auto& email : contact.emails)
        if (auto key = emailKey(email.address)) keys.push_back(*std::move(key));
    sortUnique(keys);
    return keys;
}

std::vector<std::string> e164NumbersOf(const Contact& contact)
{
    std::vector<std::string> numbers;
    for (const auto& phone : contact.phones)
        if (phone.e164) numbers.push_back(*phone.e164);
    sortUnique(numbers);
    return numbers;
}

std::vector<std::string> mailDomainsOf(const Contact& contact)
{
    std::vector<std::string> domains;
    for (const auto& key : emailKeysOf(contact))
        if (auto domain = key.substr(key.rfind('@') + 1); !isPublicMailHost(domain)) domains.push_back(std::move(domain));
    sortUnique(domains);
    return domains;
}

Likeness compareContacts(const Contact& left, const Contact& right)
{
    Likeness likeness;
    const auto add = [&](std::string_view reason, double score)
    {
        likeness.matchedOn.emplace_back(reason);
        likeness.score = std::max(likeness.score, score);
    };
    if (shareOne(emailKeysOf(left), emailKeysOf(right))) add("email", 1.0);
    if (shareOne(e164NumbersOf(left), e164NumbersOf(right))) add("phone", 0.9);
    const auto name = foldedFullName(left), other = foldedFullName(right);
    if (name.empty() || other.empty()) return likeness;
    const auto company = fold(trim(left.companyName));
    if (name == other && !company.empty() && company == fold(trim(right.companyName))) add("name_and_company", 0.7);
    if (jaroWinkler(name, other) >= alikeNames && shareOne(mailDomainsOf(left), mailDomainsOf(right))) add("similar_name", 0.6);
    return likeness;
}

std::string whatTheyShare(const Contact& left, const Contact& right)
{
    std::string shared;
    const auto add = [&](std::string_view what, const std::vector<std::string>& ours, const std::vector<std::string>& theirs)
    {
        for (const auto& text : ours)
            if (std::binary_search(theirs.begin(), theirs.end(), text)) shared.append(what).append(text).append("\n");
    };
    add("email ", emailKeysOf(left), emailKeysOf(right));
    add("phone ", e164NumbersOf(left), e164NumbersOf(right));
    const auto reasons = compareContacts(left, right).matchedOn;
    const auto matched = [&](std::string_view reason) { return std::find(reasons.begin(), reasons.end(), reason) != reasons.end(); };
    if (matched("name_and_company")) shared += "company " + fold(trim(left.companyName)) + '\n';
    if (matched("similar_name")) add("domain ", mailDomainsOf(left), mailDomainsOf(right));
    if (matched("name_and_company") || matched("similar_name"))
        shared += "names " + foldedFullName(left) + '\n' + foldedFullName(right) + '\n';
    return shared;
}

std::vector<DuplicateMatch> findDuplicates(Session& session, Tenant tenant, const Contact& contact)
{
    return DuplicateSearch(session, tenant, contact).run();
}

} // namespace portico::crm
