#pragma once

#include "Ids.h"

#include "portico/Schema.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace portico::crm
{

enum class ImportFormat
{
    Auto,
    Csv,
    Vcard,
    Json,
    Ndjson
};

enum class ImportPreset
{
    Auto,
    Google,
    GoogleLegacy,
    Outlook,
    Hubspot,
    Generic
};

enum class ImportDelimiter
{
    Auto,
    Comma,
    Semicolon,
    Tab,
    Bar
};

enum class ImportEncoding
{
    Auto,
    Utf8,
    Utf16,
    Windows1252
};

enum class ImportDates
{
    Auto,
    Iso,
    DayFirst,
    MonthFirst
};

/// What to do with a row whose contact is there already.
enum class ImportOnDuplicate
{
    Create,
    Skip,
    Update, ///< overwrites with what the row gives
    Merge   ///< fills what is empty and adds to lists
};

enum class ImportKey
{
    Email,
    Phone,
    ExternalId
};

/// Column to field path; null: the column is left out.
using ImportMapping = std::map<std::string, std::optional<std::string>>;

/// Options of POST /api/contacts/import, as the JSON member `options`. As a query they are an ImportQuery.
struct ImportOptions
{
    ImportFormat format = ImportFormat::Auto;
    ImportPreset preset = ImportPreset::Auto;
    ImportMapping mapping;
    ImportDelimiter delimiter = ImportDelimiter::Auto;
    ImportEncoding encoding = ImportEncoding::Auto;
    bool hasHeader = true;
    ImportDates dateFormat = ImportDates::Auto;
    /// ISO 3166-1 alpha-2; `callingCode` turns it into what phone numbers need. Empty: the service's own setting.
    std::string defaultCountry;
    ImportOnDuplicate onDuplicate = ImportOnDuplicate::Skip;
    std::vector<ImportKey> matchBy = {ImportKey::Email, ImportKey::ExternalId};
    std::vector<std::string> tags;
    std::optional<UserId> ownerUserId;
    std::optional<PipelineId> pipelineId;
    std::optional<StageId> stageId;
    bool dryRun = false;
    bool atomic = false;
    bool async = false;
};

/// The same options as a query, where the mapping is JSON text: `mapping={"Mail":"emails[0].address"}`.
struct ImportQuery : ImportOptions
{
    std::string mappingText;

    /// @throws Problem 400 `validation_failed` when the mapping is not an object of texts and nulls.
    ImportOptions options() const;
};

/// Calling code (`49`) of a country (ISO 3166-1 alpha-2, any case); empty for an unknown one.
std::string_view callingCode(std::string_view country);

/// Rule of `defaultCountry`.
bool hasCallingCode(std::string_view country);

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::ImportFormat>
{
    using S = portico::crm::ImportFormat;
    static constexpr auto choices =
        portico::choices<S>({{"auto", S::Auto}, {"csv", S::Csv}, {"vcard", S::Vcard}, {"json", S::Json}, {"ndjson", S::Ndjson}});
};

template <>
struct portico::Schema<portico::crm::ImportPreset>
{
    using S = portico::crm::ImportPreset;
    static constexpr auto choices = portico::choices<S>({{"auto", S::Auto},
                                                         {"google", S::Google},
                                                         {"google_legacy", S::GoogleLegacy},
                                                         {"outlook", S::Outlook},
                                                         {"hubspot", S::Hubspot},
                                                         {"generic", S::Generic}});
};

template <>
struct portico::Schema<portico::crm::ImportDelimiter>
{
    using S = portico::crm::ImportDelimiter;
    static constexpr auto choices =
        portico::choices<S>({{"auto", S::Auto}, {",", S::Comma}, {";", S::Semicolon}, {"tab", S::Tab}, {"|", S::Bar}});
};

template <>
struct portico::Schema<portico::crm::ImportEncoding>
{
    using S = portico::crm::ImportEncoding;
    static constexpr auto choices =
        portico::choices<S>({{"auto", S::Auto}, {"utf-8", S::Utf8}, {"utf-16", S::Utf16}, {"windows-1252", S::Windows1252}});
};

template <>
struct portico::Schema<portico::crm::ImportDates>
{
    using S = portico::crm::ImportDates;
    static constexpr auto choices = portico::choices<S>({{"auto", S::Auto}, {"iso", S::Iso}, {"dmy", S::DayFirst}, {"mdy", S::MonthFirst}});
};

template <>
struct portico::Schema<portico::crm::ImportOnDuplicate>
{
    using S = portico::crm::ImportOnDuplicate;
    static constexpr auto choices =
        portico::choices<S>({{"create", S::Create}, {"skip", S::Skip}, {"update", S::Update}, {"merge", S::Merge}});
};

template <>
struct portico::Schema<portico::crm::ImportKey>
{
    using S = portico::crm::ImportKey;
    static constexpr auto choices = portico::choices<S>({{"email", S::Email}, {"phone", S::Phone}, {"externalId", S::ExternalId}});
};

namespace portico::crm
{

/// All but the mapping, for both forms.
template <class T>
constexpr auto importOptionFields()
{
    return describe(
        field("format", &T::format).description("auto: by the content type, the file's name and its beginning"),
        field("preset", &T::preset).description("Which program wrote the file; auto: by the names of the columns"),
        field("delimiter", &T::delimiter), field("encoding", &T::encoding),
        field("hasHeader", &T::hasHeader)
            .description("false: the columns are called 1, 2, 3 … in `mapping`, without which nothing can be read"),
        field("dateFormat", &T::dateFormat)
            .description("How 1/2/1990 is meant; auto refuses such a date unless another one in its column tells"),
        field("defaultCountry", &T::defaultCountry)
            .matches(hasCallingCode, "unknown_option", "ISO 3166-1 alpha-2")
            .description("For phone numbers without a calling code"),
        field("onDuplicate", &T::onDuplicate), field("matchBy", &T::matchBy).maxItems(3).description("How a duplicate is known"),
        field("tags", &T::tags).maxItems(50).maxLength(50), field("ownerUserId", &T::ownerUserId), field("pipelineId", &T::pipelineId),
        field("stageId", &T::stageId), field("dryRun", &T::dryRun).description("true: only the report, nothing is written"),
        field("atomic", &T::atomic).description("true: one bad row keeps all others out"),
        field("async", &T::async).description("true: answer at once, the report comes later"));
}

inline constexpr std::string_view mappingDescription =
    "Column to field path, as {\"Mail\":\"emails[0].address\"}; null leaves the column out";

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::ImportOptions>
{
    using T = portico::crm::ImportOptions;
    static constexpr auto fields = std::tuple_cat(portico::crm::importOptionFields<T>(),
                                                  describe(field("mapping", &T::mapping).description(portico::crm::mappingDescription)));
};

template <>
struct portico::Schema<portico::crm::ImportQuery>
{
    using T = portico::crm::ImportQuery;
    static constexpr auto fields =
        std::tuple_cat(portico::crm::importOptionFields<T>(),
                       describe(field("mapping", &T::mappingText).maxLength(65536).description(portico::crm::mappingDescription)));
};
