#pragma once

#include "search/RankedSearch.h"

namespace portico::crm
{

/// Looks for the words in the index, and at each contact whether the filters allow it.
class WordsFirst final : public RankedSearch
{
public:
    WordsFirst(Session& session, const std::vector<std::string>& words, SqlConditions filters)
        : RankedSearch(session, words, std::move(filters))
    {
    }
    std::string_view name() const noexcept override { return "words_first"; }

private:
    struct Looked
    {
        std::size_t rows = 0;
        std::size_t matches = 0;
        /// The window was read to its end, and there is nothing behind it.
        bool ended = false;
    };

    void read() override;
    bool readBeginnings();
    void readInsides();
    void readMatches();
    /// Common words are found soon in the texts themselves; rare ones by the index, which looks up all that there are.
    void readTexts();
    template <class Values>
    Looked readWindow(const std::string& sql, std::size_t window, Values addValues);
    template <class Statement, class Values>
    bool readWindows(Statement statement, Values addValues, std::size_t least = 0);
    void look(const Row& row);
    bool fitsAt(const SearchPlace& place, std::string_view text, bool isIndexed) const;

    std::size_t _looked = 0;
};

} // namespace portico::crm
