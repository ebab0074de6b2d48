#include "merges/DuplicateList.h"

#include "contacts/ContactDuplicates.h"
#include "contacts/ContactRow.h"
#include "merges/Dismissals.h"
#include "merges/DuplicateGroups.h"
#include "text/Similarity.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

namespace portico::crm
{

/// A pair's place in the list. It is the cursor, too: the SDK signs it, so it is ours.
struct DuplicatePlace
{
    std::uint8_t reason = 0;
    /// Shared value of the group: GroupKey.
    std::string value;
    std::string company;
    std::string first;
    std::string second;
    auto operator<=>(const DuplicatePlace&) const = default;

    GroupKey key() const { return {value, company}; }
};

constexpr auto schemaOf(const DuplicatePlace*)
{
    return describe(members<&DuplicatePlace::reason, &DuplicatePlace::value, &DuplicatePlace::company, &DuplicatePlace::first,
                            &DuplicatePlace::second>());
}

} // namespace portico::crm

namespace portico::crm
{

namespace
{

constexpr std::array<std::pair<DuplicateReason, double>, 4> reasons{{{DuplicateReason::Email, 1.0},
                                                                     {DuplicateReason::Phone, 0.9},
                                                                     {DuplicateReason::NameAndCompany, 0.7},
                                                                     {DuplicateReason::MailDomain, 0.6}}};

/// Maximum size of a group whose pairs are all listed.
constexpr std::size_t smallGroup = 20;
constexpr std::int64_t keysAtOnce = 100;
/// Behind every id: the group is done.
constexpr std::string_view behindAllPairs = "~";

/// How much one page may look at.
struct Effort
{
    std::size_t groups = 1000;
    std::size_t comparisons = 100000;
    std::size_t contacts = 2000;

    bool isSpent() const noexcept { return groups == 0 || comparisons == 0 || contacts == 0; }
    static void take(std::size_t& left, std::size_t amount = 1) noexcept { left -= std::min(left, amount); }
};

/// A pair that is to be shown.
struct Found
{
    DuplicatePlace place;
    Likeness likeness;
};

class DuplicateWalk
{
public:
    DuplicateWalk(Session& session, Tenant tenant, std::size_t limit, DuplicatePlace from)
        : _session(session), _tenant(tenant), _groups(session, tenant), _dismissals(session, tenant), _limit(limit), _at(std::move(from))
    {
    }

    void run(double minScore)
    {
        for (; _at.reason < reasons.size() && reasons[_at.reason].second >= minScore; enter(_at.reason + 1))
            if (!walkReason()) return;
        _atEnd = true;
    }

    const std::vector<Found>& found() const noexcept { return _found; }
    /// Returns the cursor of the next page, or none.
    std::optional<std::string> next() const
    {
        if (_atEnd) return std::nullopt;
        return toJson(_at);
    }

private:
    DuplicateReason reason() const { return reasons[_at.reason].first; }

    void enter(std::size_t reason) { _at = {static_cast<std::uint8_t>(reason), {}, {}, {}, {}}; }

    /// False when the page has ended.
    bool walkReason()
    {
        // In the middle of a group.
        if (!_at.value.empty() && _at.first != behindAllPairs && !walkGroup()) return false;
        while (true)
        {
            const auto keys = _groups.keysAfter(reason(), _at.key(), keysAtOnce);
            for (const auto& key : keys)
            {
                _at = {_at.reason, key[0], key[1], {}, {}};
                if (!walkGroup()) return false;
            }
            if (keys.size() < static_cast<std::size_t>(keysAtOnce)) return true;
        }
    }

    bool walkGroup()
    {
        const bool ended = reason() == DuplicateReason::MailDomain ? walkDomain() : walkSharedValue();
        if (!ended) return false;
        _at.first = _at.second = behindAllPairs;
        Effort::take(_effort.groups);
        return !_effort.isSpent();
    }

    bool walkSharedValue()
    {
        const auto members = _groups.membersAfter(reason(), _at.key(), {}, smallGroup + 1);
        if (members.size() > smallGroup) return walkOldest(members.front().id);
        for (std::size_t i = 0; i < members.size(); ++i)
            for (std::size_t k = i + 1; k < members.size(); ++k)
                if (!consider(members[i].id, members[k].id)) return false;
        return true;
    }

    /// The pairs of the oldest with every other.
    bool walkOldest(const ContactId& oldest)
    {
        std::string last = _at.first == oldest.text() ? _at.second : oldest.text();
        if (_at.first > oldest.text()) return true;
        while (true)
        {
            const auto members = _groups.membersAfter(reason(), _at.key(), last, keysAtOnce);
            for (const auto& member : members)
                if (!consider(oldest, member.id)) return false;
            if (members.size() < static_cast<std::size_t>(keysAtOnce)) return true;
            last = members.back().id.text();
        }
    }

    bool walkDomain()
    {
        if (isPublicMailHost(_at.value)) return true;
        const auto members = _groups.membersAfter(reason(), _at.key(), {}, maxOfOneDomain);
        Effort::take(_effort.comparisons, members.size() * members.size() / 2);
        for (std::size_t i = 0; i < members.size(); ++i)
            for (std::size_t k = i + 1; k < members.size(); ++k)
                if (jaroWinkler(members[i].foldedName, members[k].foldedName) >= alikeNames && !consider(members[i].id, members[k].id))
                    return false;
        return true;
    }

    /// Lists a pair unless it was before. False when the page has ended.
    bool consider(const ContactId& first, const ContactId& second)
    {
        const DuplicatePlace place{_at.reason, _at.value, _at.company, first.text(), second.text()};
        if (place <= _at) return true;
        if (_effort.isSpent()) return false;
        Effort::take(_effort.contacts);
        makeRoom();
        const auto& left = contact(first);
        const auto& right = contact(second);
        if (isListedBefore(left, right) || _dismissals.hide(left, right))
        {
            _at = place;
            return true;
        }
        if (_found.size() == _limit) return false;
        _at = place;
        _found.push_back({place, compareContacts(left, right)});
        return true;
    }

    /// Returns true if the walk has already listed this pair for a better reason or a smaller value.
    bool isListedBefore(const Contact& left, const Contact& right)
    {
        return isListedUnder(DuplicateReason::Email, emailKeysOf(left), emailKeysOf(right), left) ||
               isListedUnder(DuplicateReason::Phone, e164NumbersOf(left), e164NumbersOf(right), left) ||
               (reason() > DuplicateReason::NameAndCompany && sameNameAndCompany(left, right)) || isListedUnderDomain(left, right);
    }

    bool isListedUnder(DuplicateReason other, const std::vector<std::string>& left, const std::vector<std::string>& right,
                       const Contact& first)
    {
        if (other > reason()) return false;
        for (const auto& value : left)
        {
            if (other == reason() && value >= _at.value) return false;
            if (std::binary_search(right.begin(), right.end(), value) && listsPairsOf(other, {value, {}}, first)) return true;
        }
        return false;
    }

    /// Large groups list only the pairs with their oldest contact.
    bool listsPairsOf(DuplicateReason other, const GroupKey& key, const Contact& first)
    {
        const auto members = _groups.membersAfter(other, key, {}, smallGroup + 1);
        return members.size() <= smallGroup || members.front().id == first.id;
    }

    bool sameNameAndCompany(const Contact& left, const Contact& right)
    {
        const GroupKey key = nameAndCompany(left);
        return !key[0].empty() && !key[1].empty() && key == nameAndCompany(right) &&
               listsPairsOf(DuplicateReason::NameAndCompany, key, left);
    }

    static GroupKey nameAndCompany(const Contact& contact) { return {foldedFullName(contact), fold(trim(contact.companyName))}; }

    bool isListedUnderDomain(const Contact& left, const Contact& right)
    {
        if (reason() != DuplicateReason::MailDomain) return false;
        const auto others = mailDomainsOf(right);
        for (const auto& domain : mailDomainsOf(left))
        {
            if (domain >= _at.value) return false;
            if (std::binary_search(others.begin(), others.end(), domain) && _groups.isTelling(domain)) return true;
        }
        return false;
    }

    /// Pairs of one group follow each other, so some contacts are kept, but not all that were ever seen.
    void makeRoom()
    {
        constexpr std::size_t maxKept = 64;
        if (_contacts.size() > maxKept) _contacts.clear();
    }

    const Contact& contact(const ContactId& id)
    {
        if (const auto kept = _contacts.find(id.text()); kept != _contacts.end()) return kept->second;
        return _contacts.emplace(id.text(), _store.read(_session, _tenant, id).value()).first->second;
    }

    Session& _session;
    ContactStore _store;
    Tenant _tenant;
    DuplicateGroups _groups;
    Dismissals _dismissals;
    std::size_t _limit;
    /// Position of the walk.
    DuplicatePlace _at;
    Effort _effort;
    std::vector<Found> _found;
    std::map<std::string, Contact> _contacts;
    bool _atEnd = false;
};

} // namespace

Page<DuplicatePair> listDuplicates(Session& session, Tenant tenant, const DuplicateFilter& filter, const Paging& paging)
{
    if (paging.includeTotal)
        throw Problem::invalid("include", "not_supported", "How many pairs there are is known only when all pages have been read");
    DuplicateWalk walk(session, tenant, static_cast<std::size_t>(paging.limit),
                       paging.cursor.empty() ? DuplicatePlace{} : fromJson<DuplicatePlace>(paging.cursor));
    walk.run(filter.minScore);
    Page<DuplicatePair> page;
    page.nextCursor = walk.next();
    for (const auto& [place, likeness] : walk.found())
    {
        auto& pair = page.items.emplace_back(DuplicatePair{likeness.score, likeness.matchedOn, {}});
        for (const auto& id : {place.first, place.second}) pair.contacts.push_back(readContact(session, tenant, *ContactId::parse(id)));
    }
    return page;
}

} // namespace portico::crm
