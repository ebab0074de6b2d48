#include "pages/Embedding.h"

#include "portico/Json.h"

#include <algorithm>
#include <array>

namespace portico::calendar
{

namespace
{
/// Language tags are shorter (RFC 5646, 4.4.1).
constexpr std::size_t longestLocale = 35;

struct ToldCode
{
    std::string code;
};

constexpr auto schemaOf(const ToldCode*) { return describe(field<&ToldCode::code>()); }

struct ToldProblem
{
    std::string type = "error";
    ToldCode payload;
};

constexpr auto schemaOf(const ToldProblem*) { return describe(members<&ToldProblem::type, &ToldProblem::payload>()); }
} // namespace

Fields embedFieldsOf(const Fields& fields)
{
    constexpr std::array<std::string_view, 6> names{"embed", "from", "theme", "accentColor", "hideHeader", "locale"};
    Fields kept;
    if (fieldOf(fields, "embed").empty()) return kept;
    for (const auto name : names)
        if (const auto value = fieldOf(fields, name); !value.empty()) kept.emplace_back(name, value);
    return kept;
}

Embedding embeddingOf(const Request& request, Session& session, const EmbedOrigins& origins, const Host& host,
                      const std::optional<EventTypeId>& type, const Fields& fields)
{
    Embedding embedding;
    embedding.embedId = fieldOf(fields, "embed");
    // Detects frames by Fetch Metadata (2.1 and 2.4). Older browsers do not send it; there only frame-ancestors protects the page.
    const bool elsewhere = request.header("Sec-Fetch-Dest") == "iframe" && request.header("Sec-Fetch-Site") != "same-origin";
    if (embedding.embedId.empty() && !elsewhere) return embedding;
    auto grant = origins.requireGranted(session, host, embedding.embedId, type);
    embedding.origins = std::move(grant.origins);
    embedding.ofHost = !grant.eventTypeId;
    if (const auto theme = fieldOf(fields, "theme"); theme == "light" || theme == "dark") embedding.theme = theme;
    if (const auto color = fieldOf(fields, "accentColor"); isColor(color)) embedding.accentColor = color;
    if (const auto locale = fieldOf(fields, "locale"); locale.size() <= longestLocale) embedding.locale = locale;
    const auto hide = fieldOf(fields, "hideHeader");
    embedding.hideHeader = hide == "true" || hide == "1";
    embedding.fields = embedFieldsOf(fields);
    return embedding;
}

std::string toldOfProblem(const std::string& code) { return toJson(ToldProblem{.payload = {code}}); }

std::vector<PickerField> hiddenFields(const Fields& fields)
{
    std::vector<PickerField> hidden;
    for (const auto& [name, value] : fields) hidden.push_back({name, value});
    return hidden;
}

} // namespace portico::calendar
