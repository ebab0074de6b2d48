#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace portico::detail
{

/// The parts of a dotted name; an empty list is `.`, the current value.
using NamePath = std::vector<std::string>;

/// Letters, digits, `_` and `-`, with dots between the parts, or one dot. @throws std::runtime_error
NamePath parseName(std::string_view text);

/// One piece of a template. The contents of a section follow it, up to `end`.
struct TemplateNode
{
    enum class Kind : std::uint8_t
    {
        Text,
        Variable,
        Message, ///< `{{messages.<key>}}`: text of the catalog
        Section,
        Inverted,
        Partial
    };
    Kind kind = Kind::Text;
    /// Variable, Message: not by `{{{x}}}` or `{{&x}}`.
    bool escaped = true;
    /// The literal text, the name as it is written, the message's key or the partial's name.
    std::string text = {};
    NamePath path = {};
    /// Text before a partial that is alone on its line: prefix for each line of the partial.
    std::string indent = {};
    /// Section, Inverted: index of the first node behind it.
    std::size_t end = 0;
    std::size_t line = 0;
};
using TemplateNodes = std::vector<TemplateNode>;

struct TemplateSyntaxError : std::runtime_error
{
    TemplateSyntaxError(std::size_t at, const std::string& what) : std::runtime_error(what), line(at) {}
    std::size_t line;
};

/// Mustache as its specification has it (comments, delimiters, interpolation, sections, inverted sections, partials, lines that tags have
/// for themselves); without the optional lambdas and inheritance. @throws TemplateSyntaxError
TemplateNodes parseMustache(std::string_view source);

} // namespace portico::detail
