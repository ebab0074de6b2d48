#include "text/Comparison.h"

#include "text/CodePoints.h"
#include "text/Entities.h"

#include "portico/Text.h"

namespace portico::social
{

std::string lettersOf(std::string_view text)
{
    const auto folded = foldCase(text);
    std::string letters;
    for (std::size_t position = 0; position < folded.size();)
    {
        const auto c = codePointAt(folded, position);
        const bool isPicture = c.value >= 0x80 && !isSpace(c.value) && !isPunctuation(c.value) && !isCombining(c.value);
        if (isLetter(c.value) || isDigit(c.value) || isPicture) letters += folded.substr(position, c.size);
        position += c.size;
    }
    return letters;
}

std::string lettersWithoutLinks(std::string_view text)
{
    std::string rest;
    std::size_t position = 0;
    for (const auto& entity : findEntities(text, MentionForm::None))
    {
        if (entity.kind != EntityKind::Link) continue;
        rest += text.substr(position, entity.begin - position);
        position = entity.end;
    }
    rest += text.substr(position);
    return lettersOf(rest);
}

} // namespace portico::social
