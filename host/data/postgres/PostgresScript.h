#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace portico::host::data
{

/// Where the statements of a script of PostgreSQL begin. Quotes, dollar quotes and comments are skipped; the server itself parses the rest.
std::vector<std::size_t> statementStarts(std::string_view script);

/// The first of these statements that begins or ends a transaction, which would break a migration in two.
std::optional<std::size_t> findTransactionCommand(std::string_view script, const std::vector<std::size_t>& starts);

/// The byte at which a character (code point, from 1) of UTF-8 text begins.
std::size_t byteOfCharacter(std::string_view text, std::size_t character) noexcept;

} // namespace portico::host::data
