#include "MessageCatalog.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <stdexcept>

namespace portico::detail
{

namespace
{

constexpr std::size_t deepestGroup = 8;

[[noreturn]] void failAt(std::string_view key, const std::string& what) { throw std::runtime_error(std::string(key) + ": " + what); }

MessageText parseText(std::string_view key, std::string_view text)
{
    MessageText parsed;
    std::string literal;
    while (!text.empty())
    {
        const auto brace = text.find_first_of("{}");
        literal += text.substr(0, brace);
        if (brace == std::string_view::npos) break;
        text.remove_prefix(brace);
        if (text.size() > 1 && text[1] == text[0])
        {
            literal += text[0];
            text.remove_prefix(2);
            continue;
        }
        const auto end = text.find('}');
        if (text[0] == '}' || end == std::string_view::npos)
            failAt(key, "expected a name in braces, as {name}, or doubled braces, found one alone");
        if (!literal.empty()) parsed.pieces.push_back({.text = std::exchange(literal, {})});
        try
        {
            parsed.pieces.push_back({.path = parseName(text.substr(1, end - 1))});
        }
        catch (const std::runtime_error& error)
        {
            failAt(key, error.what());
        }
        text.remove_prefix(end + 1);
    }
    if (!literal.empty()) parsed.pieces.push_back({.text = std::move(literal)});
    return parsed;
}

bool isText(const Json& value) noexcept { return value.text.starts_with('"'); }

using Members = std::map<std::string, Json>;

Message parsePlural(std::string_view key, const Members& members)
{
    Message message;
    for (const auto& [name, value] : members)
    {
        if (!isText(value)) failAt(key, "expected texts in a message with the member plural, found another value for \"" + name + '"');
        const auto text = fromJson<std::string>(value.text);
        const auto category = parsePluralCategory(name);
        if (name == "plural")
            message.plural = parseName(text);
        else if (category)
            message.texts[static_cast<std::size_t>(*category)] = parseText(key, text);
        else
            failAt(key, "expected plural, zero, one, two, few, many and other, found \"" + name + '"');
    }
    if (!message.texts[static_cast<std::size_t>(PluralCategory::Other)])
        failAt(key, "expected a text for \"other\", which every language has, found none");
    return message;
}

void addGroup(MessageCatalog& catalog, std::string_view json, const std::string& prefix, std::size_t depth)
{
    for (const auto& [name, value] : fromJson<Members>(json))
    {
        const auto key = prefix + name;
        if (parseName(name).empty()) failAt(key, "expected a name, found a dot");
        Message message;
        if (isText(value))
            message.texts[static_cast<std::size_t>(PluralCategory::Other)] = parseText(key, fromJson<std::string>(value.text));
        else if (!value.text.starts_with('{') || depth == deepestGroup)
            failAt(key, "expected a text, or an object of texts, up to 8 in each other");
        else if (const auto members = fromJson<Members>(value.text); members.contains("plural"))
            message = parsePlural(key, members);
        else
        {
            addGroup(catalog, value.text, key + '.', depth + 1);
            continue;
        }
        if (!catalog.emplace(key, std::move(message)).second) failAt(key, "expected each key once, found it twice");
    }
}

} // namespace

MessageCatalog parseCatalog(std::string_view json)
{
    MessageCatalog catalog;
    try
    {
        addGroup(catalog, json, "", 1);
    }
    catch (const Problem& problem)
    {
        std::string text = problem.detail();
        for (const auto& error : problem.errors()) text.append(" ").append(error.field).append(": ").append(error.message);
        throw std::runtime_error("expected a JSON object of messages: " + text);
    }
    return catalog;
}

} // namespace portico::detail
