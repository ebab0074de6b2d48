#include "imports/ImportSample.h"

#include "contacts/ContactRules.h"
#include "imports/ImportIds.h"

#include "portico/Json.h"

namespace portico::crm
{

namespace
{

constexpr std::size_t shownRows = 20;

/// An earlier row of the file that makes this contact. Only the first rows are shown, so there are few to look at.
std::optional<std::int64_t> rowThatMakes(const ImportId& import, const ContactId& contact)
{
    if (!isMadeBy(import, contact)) return std::nullopt;
    for (std::int64_t row = 1; row <= static_cast<std::int64_t>(shownRows); ++row)
        if (contactIdOf(import, row) == contact) return row;
    return std::nullopt;
}

/// One that is not there yet has no id.
Json shown(const Contact& contact)
{
    constexpr std::string_view noId = R"("id":"",)";
    auto text = toJson(contact);
    if (text.compare(1, noId.size(), noId) == 0) text.erase(1, noId.size());
    return {std::move(text)};
}

ImportSampleMatch matchOf(const RowResult& result, const ImportScope& scope)
{
    ImportSampleMatch match;
    match.matchedOn = result.matchedOn;
    match.row = rowThatMakes(scope.importId(), *result.match);
    if (match.row) return match;
    match.contactId = result.match;
    match.displayName = scope.transaction.value<std::string>("SELECT display_name FROM contact WHERE organization_id = $1 AND id = $2",
                                                             scope.tenant, *result.match);
    return match;
}

} // namespace

bool wantsSample(const ImportState& state) noexcept { return state.dryRun && state.sample.size() < shownRows; }

ImportSample sampleOf(const ImportRow& row, const RowResult& result, const ImportScope& scope)
{
    ImportSample sample;
    sample.row = row.parsed.row;
    sample.line = row.parsed.line;
    sample.fate = result.outcome;
    auto contact = result.changed.value_or(row.problems.empty() ? row.made : row.parsed.contact);
    if (contact.displayName.empty()) contact.displayName = builtDisplayName(contact);
    if (!result.changed)
    {
        contact.createdAt = contact.updatedAt = scope.now;
        contact.createdBy = scope.state.createdBy;
    }
    sample.contact = shown(contact);
    if (result.match) sample.match = matchOf(result, scope);
    return sample;
}

} // namespace portico::crm
