#pragma once

#include "data/SqlText.h"
#include "search/SearchPlan.h"
#include "search/SearchStatements.h"

#include "portico/Database.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace portico::crm
{

/// The end of a page. It is the cursor, which the SDK signs, so that clients cannot make one.
struct SearchPlace
{
    /// False among the contacts in which each word begins a word.
    bool inside = false;
    /// Index of the word that led.
    std::uint32_t leading = 0;
    std::string word;
    std::string name;
    std::int64_t row = 0;

    bool isBefore(const SearchPlace& other) const
    {
        return std::tie(inside, word, name, row) < std::tie(other.inside, other.word, other.name, other.row);
    }
};

constexpr auto schemaOf(const SearchPlace*)
{
    return describe(members<&SearchPlace::inside, &SearchPlace::leading, &SearchPlace::word, &SearchPlace::name, &SearchPlace::row>());
}

/// Base of the two ranked plans, which find the contacts that have all words (searchWords, at least one), best matches first. First come
/// contacts in which each word begins a word, by the found word (whole words before longer ones), then by name. Then come those in which a
/// word is inside another, in the order of storage. Uses keyset cursors and bounded work: a page of a common word costs no more than one of
/// a rare word. If the filters exclude thousands of matches, a page ends before it is full, with a cursor.
class RankedSearch : public SearchPlan
{
public:
    std::optional<Page<ContactView>> find(const Paging& paging) final;

protected:
    /// A contact whose text fits.
    struct Found
    {
        SearchPlace place;
        std::string contactId;
    };

    /// `filters` are the conditions on contacts `c`, with the organization bound first.
    RankedSearch(Session& session, const std::vector<std::string>& words, SqlConditions filters);

    /// Finds contacts after `_place` and puts them on the page.
    virtual void read() = 0;

    bool isFull() const { return _page.nextCursor.has_value(); }
    bool beginsAll(std::string_view text) const;
    /// A contact that has several words with that beginning is ranked by the first of them.
    std::string firstKey(std::string_view text) const;
    /// Puts the contacts that were found on the page, as far as the filters allow them.
    void takeFound();

    Session& _session;
    const std::vector<std::string>& _words;
    const SqlConditions _filters;
    const SearchStatements _statements;
    std::size_t _limit = 0;
    std::vector<std::string> _longWords;
    /// The leading word in the index, and the end of the words that it begins.
    std::string _key;
    std::string _behindKey;
    SearchPlace _place;
    std::vector<Found> _found;
    Page<ContactView> _page;

private:
    void start(const std::string& cursor);
    /// Returns the index of the word that begins the fewest words, as far as counting is cheap.
    std::uint32_t chooseLeading() const;
    void take(const SearchPlace& place, ContactView contact);

    /// The place of the last contact on the page.
    SearchPlace _last;
};

} // namespace portico::crm
