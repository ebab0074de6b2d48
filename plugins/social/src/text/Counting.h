#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portico::social
{

// How networks count the length of a text. Each function counts the text as it is sent. Thread-safe.

/// Mastodon: graphemes; a link counts 23 and a mention of a remote account without its domain.
std::int64_t mastodonCount(std::string_view text, std::int64_t linkLength = 23);

/// X (twitter-text, version 3): most characters of Latin, Greek, Cyrillic and Semitic scripts count 1, others and emoji 2, a link 23.
/// A domain name without a scheme counts as a link if its last label is a common top-level domain.
std::int64_t weightedCount(std::string_view text);

/// Threads: characters; an emoji counts as many as its UTF-8 bytes.
std::int64_t threadsCount(std::string_view text);

/// Returns a text with the reserved characters of LinkedIn's little text format escaped.
std::string escapedLittleText(std::string_view text);
/// LinkedIn: characters of the escaped text.
std::int64_t littleTextCount(std::string_view text);

} // namespace portico::social
