#pragma once

#include "portico/Instant.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace portico::social
{

/// An entry of a feed. Texts are plain: markup is removed.
struct FeedEntry
{
    std::string title;
    std::string summary;
    /// Absolute, or empty.
    std::string url;
    std::optional<Instant> publishedAt;
    std::vector<std::string> tags;
};

struct Feed
{
    std::string title;
    std::string language;
    std::vector<FeedEntry> entries;
};

/// Thrown for a text that is not a supported feed. The message is for the user.
class FeedError final : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// Reads RSS 2.0, RSS 1.0 and Atom with expat: the first 200 entries, with limits of depth and length. A document type is refused, so that
/// no entity expands and no file is read. Thread-safe.
/// @param url of the feed: relative links begin there
/// @throws FeedError
Feed readFeed(std::string_view bytes, std::string_view url);

/// Reads the date of a feed: RFC 3339, RFC 822 or RFC 2822; empty for anything else.
std::optional<Instant> parseFeedDate(std::string_view text);

} // namespace portico::social
