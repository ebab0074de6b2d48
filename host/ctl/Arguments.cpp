#include "host/ctl/Arguments.h"

#include <algorithm>
#include <charconv>

namespace portico::host::ctl
{

Arguments::Arguments(std::span<const Option> known, std::span<const std::string> words)
{
    for (std::size_t i = 0; i < words.size(); ++i)
    {
        const std::string_view word = words[i];
        if (word == "--")
        {
            _words.insert(_words.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
            return;
        }
        if (!word.starts_with("--"))
        {
            _words.emplace_back(word);
            continue;
        }
        const auto equals = word.find('=');
        const auto name = word.substr(2, equals == std::string_view::npos ? equals : equals - 2);
        const auto option = std::find_if(known.begin(), known.end(), [&](const Option& each) { return each.name == name; });
        if (option == known.end()) throw UsageError("There is no option --" + std::string(name) + " here.");
        if (option->value.empty())
        {
            if (equals != std::string_view::npos) throw UsageError("The option --" + std::string(name) + " takes no value.");
            _options.insert_or_assign(std::string(name), std::string{});
            continue;
        }
        if (equals == std::string_view::npos && i + 1 == words.size())
            throw UsageError("The option --" + std::string(name) + " needs a value: --" + std::string(name) + " " +
                             std::string(option->value));
        _options.insert_or_assign(std::string(name), equals == std::string_view::npos ? words[++i] : std::string(word.substr(equals + 1)));
    }
}

std::optional<std::string> Arguments::option(std::string_view name) const
{
    const auto found = _options.find(name);
    return found == _options.end() ? std::nullopt : std::optional(found->second);
}

void Arguments::expectWords(std::size_t least, std::size_t most) const
{
    if (_words.size() < least) throw UsageError("A word is missing.");
    if (_words.size() > most) throw UsageError("'" + _words[most] + "' is one word too many.");
}

std::int64_t wholeNumber(const std::string& value)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() || number < 1)
        throw UsageError("'" + value + "' is not a number of 1 or more.");
    return number;
}

} // namespace portico::host::ctl
