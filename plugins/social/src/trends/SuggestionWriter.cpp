#include "trends/SuggestionWriter.h"

#include "trends/SuggestionTexts.h"

#include <algorithm>

namespace portico::social
{

namespace
{
/// For all platforms of a request together.
constexpr std::chrono::seconds modelTime{60};

std::string linkBehind(const SourceItem& item, std::string_view text = {})
{
    return item.url.empty() || text.find(item.url) != std::string_view::npos ? std::string() : "\n\n" + item.url;
}

std::int64_t roomFor(const SourceItem& item, const NetworkLimits& limits)
{
    return std::max<std::int64_t>(limits.maxText - measure(limits, linkBehind(item)).length, 1);
}
} // namespace

SuggestionWriter::SuggestionWriter(const TextModel& model, const Clock& clock, Tenant organization, const TextWish& request)
    : _model(model), _clock(clock), _organization(organization), _wish(request), _until(clock.now() + modelTime)
{
}

std::optional<WrittenTexts> SuggestionWriter::ask(const TextWish& request)
{
    const auto left = _until - _clock.now();
    if (_hasFailed || !_model.isConfigured() || request.topics.empty() || left <= left.zero()) return std::nullopt;
    auto texts = _model.write(_organization, request, left);
    _hasFailed = !texts;
    return texts;
}

void SuggestionWriter::shorten(TextWish request, const NetworkLimits& limits, const std::vector<SourceItem>& items,
                               std::vector<std::vector<SuggestionText>>& texts)
{
    struct Place
    {
        std::size_t item, number;
    };
    std::vector<Place> places;
    request.topics.clear();
    request.perTopic = 1;
    const auto fits = [&](const SourceItem& item, const std::string& text) { return measure(limits, text + linkBehind(item, text)).fits; };
    for (std::size_t i = 0; i < items.size(); ++i)
        for (std::size_t number = 0; number < texts[i].size(); ++number)
            if (const auto& each = texts[i][number]; each.isByModel && !fits(items[i], each.text))
            {
                places.push_back({i, number});
                request.topics.push_back({items[i].title, items[i].summary, roomFor(items[i], limits), each.text});
            }
    const auto shorter = ask(request);
    for (std::size_t at = 0; at < places.size(); ++at)
    {
        auto& own = texts[places[at].item][places[at].number];
        if (shorter && !(*shorter)[at].empty()) own.text = (*shorter)[at].front();
        own.isCut = !fits(items[places[at].item], own.text);
    }
}

std::vector<std::vector<SuggestionText>> SuggestionWriter::write(Platform platform, const NetworkLimits& limits,
                                                                 const std::vector<SourceItem>& items)
{
    auto request = _wish;
    request.platform = platform;
    request.topics.clear();
    for (const auto& item : items) request.topics.push_back({item.title, item.summary, roomFor(item, limits), {}});
    std::vector<std::vector<SuggestionText>> texts(items.size());
    if (const auto written = ask(request))
        for (std::size_t i = 0; i < items.size(); ++i)
            for (const auto& text : (*written)[i]) texts[i].push_back({text, true, false});
    shorten(request, limits, items, texts);
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        for (auto& each : texts[i]) each.text = cutToFit(each.text, linkBehind(items[i], each.text), limits);
        for (auto number = texts[i].size(); number < static_cast<std::size_t>(request.perTopic); ++number)
            texts[i].push_back({suggestedText(items[i], request.language, number, limits), false, false});
    }
    return texts;
}

} // namespace portico::social
