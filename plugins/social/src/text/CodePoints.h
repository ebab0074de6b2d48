#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace portico::social
{

/// One code point of a text and its length in bytes.
struct CodePoint
{
    std::int32_t value = 0;
    std::size_t size = 1;
};

/// Returns the code point at a byte position of a text. A byte that is not UTF-8 is U+FFFD with size 1. The position is inside the text.
CodePoint codePointAt(std::string_view text, std::size_t position) noexcept;
/// Returns the code point that ends before a byte position above 0.
CodePoint codePointBefore(std::string_view text, std::size_t position) noexcept;

bool isLetter(std::int32_t codePoint) noexcept;
bool isDigit(std::int32_t codePoint) noexcept;
/// True for marks that combine with the letter before them, such as vowel signs of Indic scripts.
bool isCombining(std::int32_t codePoint) noexcept;
/// True for white space and control characters.
bool isSpace(std::int32_t codePoint) noexcept;
/// True for punctuation in every script.
bool isPunctuation(std::int32_t codePoint) noexcept;

} // namespace portico::social
