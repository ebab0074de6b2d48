#pragma once

#include "Ids.h"
#include "text/PhoneNumber.h"

#include "portico/Schema.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
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

constexpr auto schemaOf(const ImportFormat*)
{
    using enum ImportFormat;
    return portico::choices<ImportFormat>({{"auto", Auto}, {"csv", Csv}, {"vcard", Vcard}, {"json", Json}, {"ndjson", Ndjson}});
}

enum class ImportPreset
{
    Auto,
    Google,
    GoogleLegacy,
    Outlook,
    Hubspot,
    Generic
};

constexpr auto schemaOf(const ImportPreset*)
{
    using enum ImportPreset;
    return portico::choices<ImportPreset>({{"auto", Auto},
                                           {"google", Google},
                                           {"google_legacy", GoogleLegacy},
                                           {"outlook", Outlook},
                                           {"hubspot", Hubspot},
                                           {"generic", Generic}});
}

enum class ImportDelimiter
{
    Auto,
    Comma,
    Semicolon,
    Tab,
    Bar
};

constexpr auto schemaOf(const ImportDelimiter*)
{
    using enum ImportDelimiter;
    return portico::choices<ImportDelimiter>({{"auto", Auto}, {",", Comma}, {";", Semicolon}, {"tab", Tab}, {"|", Bar}});
}

enum class ImportEncoding
{
    Auto,
    Utf8,
    Utf16,
    Windows1252
};

constexpr auto schemaOf(const ImportEncoding*)
{
    using enum ImportEncoding;
    return portico::choices<ImportEncoding>({{"auto", Auto}, {"utf-8", Utf8}, {"utf-16", Utf16}, {"windows-1252", Windows1252}});
}

enum class ImportDates
{
    Auto,
    Iso,
    DayFirst,
    MonthFirst
};

constexpr auto schemaOf(const ImportDates*)
{
    using enum ImportDates;
    return portico::choices<ImportDates>({{"auto", Auto}, {"iso", Iso}, {"dmy", DayFirst}, {"mdy", MonthFirst}});
}

/// Action for a row whose contact already exists.
enum class ImportOnDuplicate
{
    Create,
    Skip,
    Update, ///< overwrites with the values of the row
    Merge   ///< fills empty members and extends lists
};

constexpr auto schemaOf(const ImportOnDuplicate*)
{
    using enum ImportOnDuplicate;
    return portico::choices<ImportOnDuplicate>({{"create", Create}, {"skip", Skip}, {"update", Update}, {"merge", Merge}});
}

enum class ImportKey
{
    Email,
    Phone,
    ExternalId
};

constexpr auto schemaOf(const ImportKey*)
{
    using enum ImportKey;
    return portico::choices<ImportKey>({{"email", Email}, {"phone", Phone}, {"externalId", ExternalId}});
}

/// Column to field path; null: the column is left out.
using ImportMapping = std::map<std::string, std::optional<std::string>>;

/// Options of POST /api/contacts/import, as the JSON member `options`. For their form as a query see ImportQuery.
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

inline constexpr std::string_view mappingDescription =
    "Field paths by column, for example {\"Mail\":\"emails[0].address\"}; null ignores the column";

/// All but the mapping, for both forms.
constexpr auto importOptionFields()
{
    return describe(
        field<&ImportOptions::format>().description("`auto` detects the format from the content type, the file name and the first bytes"),
        field<&ImportOptions::preset>().description("Program that wrote the file; `auto` detects it from the column names"),
        members<&ImportOptions::delimiter, &ImportOptions::encoding>(),
        field<&ImportOptions::hasHeader>().description("If false, `mapping` is required, with the columns named 1, 2, 3 …"),
        field<&ImportOptions::dateFormat>().description(
            "Order of day and month; `auto` rejects ambiguous dates such as 1/2/1990 unless another date of "
            "the column is unambiguous"),
        field<&ImportOptions::defaultCountry>()
            .matches(hasCallingCode, "unknown_option", "a country code of ISO 3166-1 alpha-2")
            .description("Country of phone numbers without a calling code"),
        field<&ImportOptions::onDuplicate>(), field<&ImportOptions::matchBy>().maxItems(3).description("Members that identify a duplicate"),
        field<&ImportOptions::tags>().maxItems(50).maxLength(50),
        members<&ImportOptions::ownerUserId, &ImportOptions::pipelineId, &ImportOptions::stageId>(),
        field<&ImportOptions::dryRun>().description("Returns the report without changes"),
        field<&ImportOptions::atomic>().description("One failed row cancels the whole import"),
        field<&ImportOptions::async>().description("Returns immediately; the report is completed in the background"));
}

constexpr auto schemaOf(const ImportOptions*)
{
    return describe(importOptionFields(), field<&ImportOptions::mapping>().description(mappingDescription));
}

/// The same options as a query, where the mapping is JSON text: `mapping={"Mail":"emails[0].address"}`.
struct ImportQuery : ImportOptions
{
    std::string mappingText;

    /// @throws Problem 400 `validation_failed` when the mapping is not an object of texts and nulls.
    ImportOptions options() const;
};

constexpr auto schemaOf(const ImportQuery*)
{
    return describe(importOptionFields(), field<&ImportQuery::mappingText>("mapping").maxLength(65536).description(mappingDescription));
}

} // namespace portico::crm
