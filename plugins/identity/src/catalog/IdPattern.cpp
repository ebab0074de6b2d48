#include "catalog/IdPattern.h"

#include <charconv>

namespace portico::identity
{

namespace
{

constexpr std::size_t maxSteps = 1000;

using Characters = std::bitset<256>;

void addRange(Characters& set, char first, char last)
{
    for (unsigned c = static_cast<unsigned char>(first); c <= static_cast<unsigned char>(last); ++c) set.set(c);
}

/// Adds an escaped character: a class by its letter, or a literal sign.
bool addEscaped(Characters& set, char c)
{
    if (c != 'd' && c != 'w')
    {
        const bool letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (!letter) addRange(set, c, c);
        return !letter;
    }
    addRange(set, '0', '9');
    if (c == 'd') return true;
    addRange(set, 'a', 'z');
    addRange(set, 'A', 'Z');
    addRange(set, '_', '_');
    return true;
}

/// Parses a class `[…]` after its opening bracket.
std::optional<Characters> readClass(std::string_view& rest)
{
    const bool inverted = rest.starts_with('^');
    if (inverted) rest.remove_prefix(1);
    Characters set;
    while (!rest.empty() && rest.front() != ']')
    {
        const char first = rest.front();
        rest.remove_prefix(1);
        if (first == '\\')
        {
            if (rest.empty() || !addEscaped(set, rest.front())) return std::nullopt;
            rest.remove_prefix(1);
            continue;
        }
        const bool range = rest.size() > 1 && rest[0] == '-' && rest[1] != ']';
        const char last = range ? rest[1] : first;
        if (first == '[' || last < first || last == '\\') return std::nullopt;
        addRange(set, first, last);
        if (range) rest.remove_prefix(2);
    }
    if (rest.empty() || set.none()) return std::nullopt;
    rest.remove_prefix(1);
    return inverted ? ~set : set;
}

std::optional<Characters> readCharacters(std::string_view& rest)
{
    const char c = rest.front();
    rest.remove_prefix(1);
    Characters set;
    if (c == '[') return readClass(rest);
    if (c == '.') return set.set();
    if (c == '\\')
    {
        if (rest.empty() || !addEscaped(set, rest.front())) return std::nullopt;
        rest.remove_prefix(1);
        return set;
    }
    if (std::string_view("()|*+?{}]^$").find(c) != std::string_view::npos) return std::nullopt;
    addRange(set, c, c);
    return set;
}

struct Times
{
    std::size_t least = 1;
    /// Empty: without end.
    std::optional<std::size_t> most = 1;
};

std::optional<std::size_t> readNumber(std::string_view& rest)
{
    std::size_t number = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (read.ec != std::errc() || number > maxSteps) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
    return number;
}

std::optional<Times> readTimes(std::string_view& rest)
{
    if (rest.empty()) return Times{};
    const char c = rest.front();
    if (std::string_view("?*+{").find(c) == std::string_view::npos) return Times{};
    rest.remove_prefix(1);
    if (c == '?') return Times{0, 1};
    if (c == '*') return Times{0, std::nullopt};
    if (c == '+') return Times{1, std::nullopt};
    const auto least = readNumber(rest);
    if (!least) return std::nullopt;
    Times times{*least, *least};
    if (rest.starts_with(','))
    {
        rest.remove_prefix(1);
        times.most = rest.starts_with('}') ? std::nullopt : readNumber(rest);
        if (!rest.starts_with('}') || (times.most && *times.most < *least)) return std::nullopt;
    }
    if (!rest.starts_with('}')) return std::nullopt;
    rest.remove_prefix(1);
    return times;
}

} // namespace

std::optional<IdPattern> IdPattern::parse(std::string_view text)
{
    IdPattern pattern;
    const Step anything{Characters().set(), true, true};
    if (text.starts_with('^'))
        text.remove_prefix(1);
    else
        pattern._steps.push_back(anything);
    const bool ends = text.ends_with('$') && !text.ends_with("\\$");
    if (ends) text.remove_suffix(1);
    while (!text.empty())
    {
        const auto characters = readCharacters(text);
        const auto times = characters ? readTimes(text) : std::nullopt;
        if (!times || pattern._steps.size() + times->most.value_or(times->least) > maxSteps) return std::nullopt;
        pattern._steps.insert(pattern._steps.end(), times->least, Step{*characters});
        if (times->most) pattern._steps.insert(pattern._steps.end(), *times->most - times->least, Step{*characters, true});
        if (!times->most) pattern._steps.push_back({*characters, true, true});
    }
    if (!ends) pattern._steps.push_back(anything);
    return pattern;
}

bool IdPattern::matches(std::string_view id) const
{
    // Positions that the pattern can have reached, like in an NFA; the last one is its end.
    std::vector<char> places(_steps.size() + 1), next(_steps.size() + 1);
    const auto skip = [&](std::vector<char>& reached)
    {
        for (std::size_t i = 0; i < _steps.size(); ++i)
            if (reached[i] && _steps[i].optional) reached[i + 1] = 1;
    };
    places[0] = 1;
    skip(places);
    for (const char c : id)
    {
        next.assign(next.size(), 0);
        for (std::size_t i = 0; i < _steps.size(); ++i)
            if (places[i] && _steps[i].characters.test(static_cast<unsigned char>(c))) next[_steps[i].repeats ? i : i + 1] = 1;
        skip(next);
        places.swap(next);
    }
    return places.back() != 0;
}

} // namespace portico::identity
