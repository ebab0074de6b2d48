#include "text/RichText.h"

#include "portico/Text.h"

namespace portico::social
{

namespace
{
constexpr std::size_t longestPath = 15;
constexpr std::size_t shortenedPath = 13;
} // namespace

std::string shortLink(std::string_view url)
{
    const auto slashes = url.find("://");
    if (slashes == std::string_view::npos) return std::string(url);
    const auto rest = url.substr(slashes + 3);
    const auto end = std::min(rest.find_first_of("/?#"), rest.size());
    const auto path = rest.substr(end);
    std::string shortened(rest.substr(0, end));
    if (path == "/") return shortened;
    if (characterCount(path) <= longestPath) return shortened.append(path);
    return shortened.append(firstCharacters(path, shortenedPath)).append("...");
}

RichText withShortLinks(std::string_view text, MentionForm mentions)
{
    RichText rich;
    std::size_t position = 0;
    for (auto& entity : findEntities(text, mentions))
    {
        rich.text += text.substr(position, entity.begin - position);
        position = entity.end;
        const auto begin = rich.text.size();
        rich.text +=
            entity.kind == EntityKind::Link ? shortLink(entity.value) : std::string(text.substr(entity.begin, entity.end - entity.begin));
        rich.entities.push_back({entity.kind, begin, rich.text.size(), std::move(entity.value)});
    }
    rich.text += text.substr(position);
    return rich;
}

} // namespace portico::social
