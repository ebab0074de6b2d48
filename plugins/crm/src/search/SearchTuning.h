#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace portico::crm
{

/// Constants that choose between the plans of a search and bound their work. Measure by the benchmark `search` before and after a change.
struct SearchTuning
{
    /// Contacts that a filter allows at most for a search that reads all of them.
    std::int64_t narrowFilter = 1000;

    /// A walk in the order of a sort (SortedWalk.cpp): rows of the first statement and of those after it, and of all together.
    std::size_t walkSample = 512;
    std::size_t walkWindow = 1024;
    std::size_t walkRows = 6000;
    /// Matches in the sample below which a word is not common.
    std::size_t walkMatches = 4;
    /// Words of an organization that begin with the searched word from which a walk is cheaper than the index.
    std::int64_t walkBeginnings = 2000;
    /// SQLite: texts of the index from which a walk is cheaper than sorting them.
    std::int64_t walkTexts = 1500;
    /// SQLite: contacts that a walk looks up in the index.
    std::size_t walkLookups = 12'000;

    /// Ranked searches (RankedSearch.cpp, WordsFirst.cpp): rows of one statement, which grow while few match, and of one page.
    std::array<std::size_t, 4> windows{64, 256, 512, 1024};
    std::size_t pageRows = 2500;
    /// Bytes of a word that the index of trigrams is asked for.
    std::size_t indexedBytes = 8;
    /// Counting of beginnings ends here when the leading word is chosen.
    std::int64_t leadingCount = 3000;
    /// PostgreSQL: rows of texts that are read before the index is asked, and the matches in them from which a word is common.
    std::size_t insideSample = 512;
    std::size_t insideMatches = insideSample / 50;
};

inline constexpr SearchTuning searchTuning;

} // namespace portico::crm
