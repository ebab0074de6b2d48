#pragma once

#include "ai/TextModel.h"
#include "networks/Limits.h"
#include "trends/SourceItem.h"

#include "portico/Clock.h"

#include <vector>

namespace portico::social
{

/// A text of a suggestion and where it comes from.
struct SuggestionText
{
    std::string text;
    bool isByModel = false;
    /// True if the model twice exceeded the network's limit.
    bool isCut = false;
};

/// Writes the texts of one request for suggestions: by the model that the operator has set up, else by templates. Each text fits its
/// network. After a failure of the model all further texts are templates. Used by one thread.
class SuggestionWriter
{
public:
    /// All of them outlive this.
    SuggestionWriter(const TextModel& model, const Clock& clock, Tenant organization, const TextWish& request);

    /// Returns `perTopic` texts of each item. May wait for the model.
    std::vector<std::vector<SuggestionText>> write(Platform platform, const NetworkLimits& limits, const std::vector<SourceItem>& items);
    /// Returns whether the model was asked and did not answer as expected.
    bool hasFailed() const noexcept { return _hasFailed; }

private:
    std::optional<WrittenTexts> ask(const TextWish& request);
    void shorten(TextWish request, const NetworkLimits& limits, const std::vector<SourceItem>& items,
                 std::vector<std::vector<SuggestionText>>& texts);

    const TextModel& _model;
    const Clock& _clock;
    const Tenant _organization;
    const TextWish _wish;
    const Instant _until;
    bool _hasFailed = false;
};

} // namespace portico::social
