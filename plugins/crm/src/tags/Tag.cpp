#include "tags/Tag.h"

#include "data/SqlText.h"

#include "portico/Text.h"

#include <algorithm>
#include <map>
#include <utility>

namespace portico::crm
{

namespace
{

/// Sort key of a tag: folded, then exact.
using SortKey = std::pair<std::string, std::string>;

SortKey keyOf(std::string tag)
{
    auto folded = fold(tag);
    return {std::move(folded), std::move(tag)};
}

/// Returns the matching names, sorted.
std::vector<SortKey> sortedMatches(std::vector<std::string> names, std::string_view query)
{
    const auto wanted = fold(trim(query));
    std::vector<SortKey> matches;
    for (auto& name : names)
        if (auto key = keyOf(std::move(name)); key.first.find(wanted) != std::string::npos) matches.push_back(std::move(key));
    std::sort(matches.begin(), matches.end());
    return matches;
}

/// How many contacts have each of some tags.
std::map<std::string, std::int64_t> countTags(Session& session, Tenant tenant, const std::vector<std::string>& tags)
{
    std::map<std::string, std::int64_t> counted;
    for (const auto& tag : tags) counted[tag] = 0;
    SqlConditions conditions;
    conditions.add("t.organization_id = " + conditions.bind(std::string(tenant.text())));
    conditions.addIn("t.tag", tags);
    for (Row row : session.queryValues("SELECT t.tag, count(*) FROM contact_tag t WHERE " + conditions.text() + " GROUP BY t.tag",
                                       conditions.values()))
        counted[row.get<std::string>(0)] = row.get<std::int64_t>(1);
    // The deleted ones are few: from them to their tags, not the other way round.
    for (Row row :
         session.queryValues("SELECT t.tag, count(*) FROM contact c CROSS JOIN contact_tag t WHERE " + conditions.text() +
                                 " AND c.organization_id = $1 AND c.deleted_at IS NOT NULL AND t.contact_id = c.id GROUP BY t.tag",
                             conditions.values()))
        counted[row.get<std::string>(0)] -= row.get<std::int64_t>(1);
    return counted;
}

std::vector<std::string> namesOfTags(Session& session, Tenant tenant)
{
    // Skips from tag to tag in the index, regardless of the number of contacts.
    return session.values<std::string>(
        "WITH RECURSIVE tags (tag) AS (SELECT min(tag) FROM contact_tag WHERE organization_id = $1 UNION ALL "
        "SELECT (SELECT min(t.tag) FROM contact_tag t WHERE t.organization_id = $1 AND t.tag > tags.tag) "
        "FROM tags WHERE tags.tag IS NOT NULL) SELECT tag FROM tags WHERE tag IS NOT NULL",
        tenant);
}

} // namespace

Page<Tag> listTags(Session& session, Tenant tenant, const TagFilter& filter, const Paging& paging)
{
    const auto matches = sortedMatches(namesOfTags(session, tenant), filter.q);
    auto next = matches.begin();
    if (!paging.cursor.empty()) next = std::upper_bound(matches.begin(), matches.end(), keyOf(paging.cursor));
    if (paging.includeTotal) next = matches.begin();

    Page<Tag> page;
    std::int64_t total = 0;
    const auto limit = static_cast<std::size_t>(paging.limit);
    // Some may be of deleted contacts only, so there may be more to look at than a page has.
    while (next != matches.end() && (paging.includeTotal || !page.nextCursor))
    {
        std::vector<std::string> some;
        for (; next != matches.end() && some.size() <= limit; ++next) some.push_back(next->second);
        const auto counted = countTags(session, tenant, some);
        for (auto& name : some)
        {
            const auto count = counted.at(name);
            if (count == 0) continue;
            ++total;
            if (!paging.cursor.empty() && keyOf(name) <= keyOf(paging.cursor)) continue;
            if (page.items.size() < limit)
                page.items.push_back({std::move(name), count});
            else if (!page.nextCursor)
                page.nextCursor = page.items.back().name;
        }
    }
    if (paging.includeTotal) page.total = total;
    return page;
}

std::int64_t countTag(Session& session, Tenant tenant, const std::string& name) { return countTags(session, tenant, {name}).at(name); }

std::vector<ContactId> contactsWithTag(Session& session, Tenant tenant, std::string_view tag, std::string_view after, std::int64_t limit)
{
    return session.values<ContactId>("SELECT contact_id FROM contact_tag WHERE organization_id = $1 AND tag = $2 AND contact_id > $3 "
                                     "ORDER BY contact_id LIMIT $4",
                                     tenant, tag, after, limit);
}

} // namespace portico::crm
