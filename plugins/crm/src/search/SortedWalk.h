#pragma once

#include "search/ContactOrder.h"
#include "search/SearchPlan.h"
#include "search/SearchStatements.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Finds the contacts that have all words (searchWords), in the order of a sort. Used for common words: reading contacts in that order soon
/// fills a page, while the index would return thousands to sort. Gives up if too few of the first hundreds match, or if the page is not
/// full after some thousands, because the index is cheaper then. Cursors are those of `addCursor`.
class SortedWalk final : public SearchPlan
{
public:
    SortedWalk(Session& session, Tenant tenant, const std::vector<std::string>& words, const ContactOrder& order);
    std::string_view name() const noexcept override { return "sorted_walk"; }
    std::optional<Page<ContactView>> find(const Paging& paging) override;

private:
    bool isFull() const { return _found.size() > _limit; }
    /// False if the words are not common enough.
    bool findIds();
    Page<ContactView> readPage();
    /// The index says which texts fit, and the contacts are looked up in it in their order.
    bool findMatches();
    /// True if there are contacts behind those that were looked up.
    bool hasMore(const SqlConditions& walked);
    /// The first contacts in an order are no fair sample of the others, for example those of one first name, by their last names.
    bool areManyBeginnings() const;
    /// Reads the contacts after `_cursor`, which it moves on; true at the end of all of them.
    bool look(std::size_t count);

    Session& _session;
    const std::vector<std::string>& _words;
    const ContactOrder _order;
    const SearchStatements _statements;
    std::size_t _limit = 0;
    std::string _cursor;
    SqlConditions _filters;
    bool _someAreShort = false;
    /// Ids, and where each is in the order.
    std::vector<std::string> _found;
    std::vector<std::string> _cursors;
};

} // namespace portico::crm
