#include "fuzz/Require.h"

#include "text/Counting.h"
#include "text/Graphemes.h"
#include "text/RichText.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace portico::social;
    const auto text = portico::fuzz::textOf(data, size);
    for (const auto form : {MentionForm::None, MentionForm::Domain, MentionForm::Fediverse})
    {
        const auto rich = withShortLinks(text, form);
        std::size_t last = 0;
        for (const auto& entity : rich.entities)
        {
            // Runs are within the text and follow each other.
            portico::fuzz::require(last <= entity.begin && entity.begin < entity.end && entity.end <= rich.text.size());
            last = entity.end;
        }
    }
    const auto graphemes = graphemeCount(text);
    portico::fuzz::require(graphemes >= 0 && graphemes <= static_cast<std::int64_t>(size));
    portico::fuzz::require(firstGraphemes(text, graphemes).size() == size && firstGraphemes(text, 0).empty());
    portico::fuzz::require(mastodonCount(text) >= 0 && weightedCount(text) >= 0 && threadsCount(text) >= 0 && littleTextCount(text) >= 0);
    return 0;
}
