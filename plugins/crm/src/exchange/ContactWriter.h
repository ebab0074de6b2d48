#pragma once

#include "records/Contact.h"
#include "records/ContactView.h"

#include "portico/Schema.h"

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

enum class ExportFormat
{
    Csv,
    Vcard,
    Json,
    Ndjson
};

constexpr auto schemaOf(const ExportFormat*)
{
    using enum ExportFormat;
    return portico::choices<ExportFormat>({{"csv", Csv}, {"vcard", Vcard}, {"json", Json}, {"ndjson", Ndjson}});
}

enum class ExportPreset
{
    Generic,
    Google,
    Outlook,
    Hubspot
};

constexpr auto schemaOf(const ExportPreset*)
{
    using enum ExportPreset;
    return portico::choices<ExportPreset>({{"generic", Generic}, {"google", Google}, {"outlook", Outlook}, {"hubspot", Hubspot}});
}

/// Format of an exported file.
struct ExportStyle
{
    ExportFormat format = ExportFormat::Csv;
    ExportPreset preset = ExportPreset::Generic;
    /// Adds a byte order mark to CSV; Outlook always gets one.
    bool bom = false;
    /// Members to write; empty: all that can be read again.
    std::vector<std::string> fields;

    bool wants(std::string_view member) const;
};

/// Maximum list lengths of a file's contacts, which determine its columns. Its size does not depend on the number of contacts.
struct ExportShape
{
    std::size_t emails = 0;
    std::size_t phones = 0;
    std::size_t addresses = 0;
    std::size_t websites = 0;
    std::size_t socialProfiles = 0;
    std::size_t externalIds = 0;
    /// The primary one is not always the first.
    bool emailPrimaries = false;
    bool phonePrimaries = false;
    bool doNotContact = false;
    std::set<std::string> customFields;

    void see(const Contact& contact);
};

/// Writes contacts one after the other to the end of a text. Used by one thread.
class ContactWriter
{
public:
    virtual ~ContactWriter() = default;
    /// Before the first contact, also when there is none.
    virtual void begin(std::string&) {}
    virtual void write(std::string& out, const ContactView& contact) = 0;
    /// After the last contact.
    virtual void end(std::string&) {}
};

/// Returns true for files whose columns depend on the contacts' values.
bool needsShape(const ExportStyle& style);

/// The contact for a file of another form than JSON: without members that are not wanted, and plain.
Contact exportedContact(const ContactView& view, const ExportStyle& style);

} // namespace portico::crm
