#include "vcard/VcardReader.h"

#include "exchange/ContactBuilder.h"
#include "exchange/PlainValues.h"
#include "text/PhoneNumber.h"
#include "vcard/VcardCards.h"
#include "vcard/VcardWriter.h"

#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

namespace
{

constexpr std::size_t largestPhoto = 1024 * 1024;
bool startsWithFolded(std::string_view text, std::string_view prefix) { return fold(text.substr(0, prefix.size())) == prefix; }

/// Returns the preference of a property: 1 is the highest; 1000: not specified.
int rankOf(const VcardProperty& property)
{
    int rank = 1000;
    const auto text = property.parameter("PREF");
    if (!text.empty()) std::from_chars(text.data(), text.data() + text.size(), rank);
    return property.hasType("pref") ? 1 : std::clamp(rank, 1, 1000);
}

/// The parts of a list in one component, as `King,Byron`.
std::string componentText(std::string_view component, std::string_view separator)
{
    std::string text;
    for (const auto part : splitVcard(component, ','))
    {
        auto plain = unescapeVcard(part);
        if (trim(plain).empty()) continue;
        if (!text.empty()) text += separator;
        text += plain;
    }
    return text;
}

std::string decodePercent(std::string_view text)
{
    std::string escaped(text);
    std::replace(escaped.begin(), escaped.end(), '=', '\x01');
    std::replace(escaped.begin(), escaped.end(), '%', '=');
    auto plain = decodeQuotedPrintable(escaped);
    std::replace(plain.begin(), plain.end(), '=', '%');
    std::replace(plain.begin(), plain.end(), '\x01', '=');
    return plain;
}

std::string_view sniffImage(std::string_view bytes)
{
    if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
    if (bytes.starts_with("\x89PNG")) return "image/png";
    if (bytes.starts_with("GIF8")) return "image/gif";
    if (bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP")) return "image/webp";
    return {};
}

/// Unwraps Apple's predefined labels. Labels that users have entered are unchanged.
std::string groupLabel(std::string label) { return label.starts_with("_$!<") ? plainLabel(label) : label; }

bool isLatin(std::string_view charset)
{
    return charset == "iso-8859-1" || charset == "latin1" || charset == "windows-1252" || charset == "cp1252";
}

/// Returns true for date parts that RFC 6350 allows beside a date: a year, with or without a month, a month or a day alone, a time.
bool isPartOfDate(std::string_view text)
{
    const bool isTime = text.size() > 1 && text[0] == 'T' && (text[1] == '-' || (text[1] >= '0' && text[1] <= '9'));
    if (isTime) return true;
    const auto hyphens = text.starts_with("---") ? 3U : text.starts_with("--") ? 2U : 0U;
    const auto digits = digitsOf(text);
    if (hyphens > 0) return digits.size() == 2 && text.size() == hyphens + 2;
    return (digits.size() == 4 && text.size() == 4) || (digits.size() == 6 && text.size() == 7 && text[4] == '-');
}

/// Contacts from vCards 2.1, 3.0 and 4.0, as they come.
class VcardReader final : public ImportReader
{
public:
    VcardReader(ImportFile& file, const ImportPlan& plan, const ImportPosition& from)
        : _plan(plan),
          // In 8-bit files each value declares its charset.
          _window(file, plan.encoding == ImportEncoding::Utf16 ? ImportEncoding::Utf16 : ImportEncoding::Utf8, plan.bigEndian, from.offset),
          _cards(_window, from.line),
          _builder(ImportDates::Auto),
          _row(from.row)
    {
        for (const auto& column : plan.columns)
        {
            std::string name = column.name;
            for (char& c : name)
                if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
            _mapping[name] = column.mappedTo ? FieldPath::parse(*column.mappedTo) : std::nullopt;
        }
    }

    bool next(ParsedRow& record) override
    {
        if (!_cards.next(_card)) return false;
        _record = &record;
        record.row = ++_row;
        record.line = _card.line;
        _builder.start(record);
        record.warnings = _card.warnings;
        if (_card.ending == VcardEnding::NoBegin)
            _builder.addProblem("vcard_syntax", "Lines outside of a card: BEGIN:VCARD is missing", "", {});
        else if (_card.ending == VcardEnding::NoEnd)
            _builder.addProblem("vcard_syntax", "The card has no end: END:VCARD is missing", "", {});
        else
            readCard();
        record.next = {_row, _cards.line(), _cards.offset()};
        return true;
    }

private:
    void readCard()
    {
        _texts.clear();
        _groupLabels.clear();
        _emails = _phones = _addresses = _websites = _profiles = 0;
        _preferredEmail = {};
        _preferredPhone = {};
        _photoLink = {};
        if (isGroup())
        {
            _record->skipped = true;
            return;
        }
        if (_card.cut) _builder.addProblem("too_long", "The card is longer than 4 MiB or has more than 2000 properties", "", {});
        checkVersion();
        _ownCard = std::any_of(_card.properties.begin(), _card.properties.end(),
                               [](const VcardProperty& p) { return p.name == "PRODID" && p.value == ownProduct; });
        for (const auto& property : _card.properties)
            if (property.name == "X-ABLABEL" && !property.group.empty())
                _groupLabels[property.group] = groupLabel(unescapeVcard(textOf(property)));
        for (const auto& property : _card.properties) read(property);
        givePreferred();
        givePhotoLink();
        _builder.finish();
    }

    bool isGroup() const
    {
        return std::any_of(_card.properties.begin(), _card.properties.end(),
                           [](const VcardProperty& p)
                           { return (p.name == "KIND" || p.name == "X-ADDRESSBOOKSERVER-KIND") && fold(trim(p.value)) == "group"; });
    }

    void checkVersion()
    {
        const auto found =
            std::find_if(_card.properties.begin(), _card.properties.end(), [](const VcardProperty& p) { return p.name == "VERSION"; });
        if (found == _card.properties.end()) return _builder.addWarning("vcard_version", "VERSION is missing", "", {});
        const auto version = trim(found->value);
        if (version != "2.1" && version != "3.0" && version != "4.0")
            _builder.addProblem("vcard_version", "Expected 2.1, 3.0 or 4.0", "", {"VERSION", keep(repairedText(version))});
    }

    void read(const VcardProperty& property)
    {
        const auto& name = property.name;
        if (const auto mapped = _mapping.find(name); mapped != _mapping.end())
        {
            if (mapped->second) giveMapped(property, *mapped->second);
        }
        else if (name == "FN")
            giveText(Target::DisplayName, property, textOf(property));
        else if (name == "N")
            readName(property);
        else if (name == "NICKNAME")
            giveText(Target::Nickname, property, textOf(property));
        else if (name == "EMAIL")
            readEmail(property);
        else if (name == "TEL")
            readPhone(property);
        else if (name == "ADR")
            readAddress(property);
        else if (name == "ORG")
            readOrganization(property);
        else if (name == "TITLE")
            giveText(Target::JobTitle, property, textOf(property));
        else if (name == "URL")
            giveText(Target::Website, property, textOf(property), _websites++);
        else if (name == "BDAY")
            readBirthday(property);
        else if (name == "NOTE")
            giveText(Target::Notes, property, textOf(property));
        else if (name == "CATEGORIES")
            readCategories(property);
        else if (name == "UID")
            give({{Target::ExternalIdOf, 0, "vcard"}}, keep(unescapeVcard(textOf(property))), property);
        else if (name == "X-SOCIALPROFILE" || name == "SOCIALPROFILE")
            readProfile(property);
        else if (name == "IMPP")
            readMessaging(property);
        else if (name == "PHOTO")
            readPhoto(property);
    }

    void readName(const VcardProperty& property)
    {
        constexpr std::array targets{Target::LastName, Target::FirstName, Target::MiddleName, Target::Prefix, Target::Suffix};
        const auto parts = splitVcard(textOf(property), ';');
        for (std::size_t i = 0; i < parts.size() && i < targets.size(); ++i)
            give({{targets[i], 0, {}}}, keep(componentText(parts[i], " ")), property);
    }

    void readEmail(const VcardProperty& property)
    {
        _preferredEmail.see(_emails, rankOf(property));
        giveText(Target::EmailAddress, property, textOf(property), _emails++, labelOf(property), listStyle());
    }

    void readPhone(const VcardProperty& property)
    {
        auto text = textOf(property);
        if (startsWithFolded(text, "tel:"))
            if (auto number = decodePercent(text.substr(4)); !isDamaged(number, ImportEncoding::Utf8)) text = keep(std::move(number));
        _preferredPhone.see(_phones, rankOf(property));
        giveText(Target::PhoneNumber, property, text, _phones++, labelOf(property), listStyle());
    }

    void readAddress(const VcardProperty& property)
    {
        // Post office box, extended address, street, city, region, code, country.
        constexpr std::array targets{Target::Street2, Target::Street2,    Target::Street, Target::City,
                                     Target::Region,  Target::PostalCode, Target::Country};
        const auto label = labelOf(property);
        const auto parts = splitVcard(textOf(property), ';');
        for (std::size_t i = 0; i < parts.size() && i < targets.size(); ++i)
            give({{targets[i], _addresses, {}}, label}, keep(componentText(parts[i], ", ")), property);
        ++_addresses;
    }

    void readOrganization(const VcardProperty& property)
    {
        const auto parts = splitVcard(textOf(property), ';');
        give({{Target::CompanyName, 0, {}}}, keep(unescapeVcard(parts.front())), property);
        std::string department;
        for (std::size_t i = 1; i < parts.size(); ++i)
        {
            if (trim(parts[i]).empty()) continue;
            if (!department.empty()) department += ", ";
            department += unescapeVcard(parts[i]);
        }
        give({{Target::Department, 0, {}}}, keep(std::move(department)), property);
    }

    void readBirthday(const VcardProperty& property)
    {
        const auto text = trim(textOf(property));
        const auto without = property.parameter("X-APPLE-OMIT-YEAR");
        if (fold(property.parameter("VALUE")) == "text")
            _builder.addWarning("invalid_date", "A birthday in words is left out", "birthday", {property.name, text});
        else if (!without.empty() && text.starts_with(without))
            // Apple's way to write a birthday without its year.
            give({{Target::Birthday, 0, {}}}, keep("-" + std::string(text.substr(without.size()))), property);
        else if (isPartOfDate(text))
            _builder.addWarning("invalid_date", "A birthday without its day or month is left out", "birthday", {property.name, text});
        else
            give({{Target::Birthday, 0, {}}}, text, property);
    }

    void readCategories(const VcardProperty& property)
    {
        // Version 2.1 has semicolons.
        for (const auto part : splitVcard(textOf(property), ','))
            for (const auto tag : splitVcard(part, ';'))
            {
                const auto text = keep(unescapeVcard(tag));
                // Ignores the group that Google adds to all contacts.
                if (_ownCard || trim(text) != "myContacts") give({{Target::Tags, 0, {}}}, text, property);
            }
    }

    void readProfile(const VcardProperty& property)
    {
        auto service = property.parameter("SERVICE-TYPE");
        if (service.empty()) service = property.parameter("X-SERVICE-TYPE");
        if (service.empty()) service = property.parameter("TYPE");
        auto value = std::string_view(keep(unescapeVcard(textOf(property))));
        const auto user = property.parameter("X-USER");
        if (!user.empty() && (trim(value).empty() || startsWithFolded(value, "x-apple:"))) value = keep(repairedText(user));
        if (trim(value).empty()) return;
        give({{Target::ProfileService, _profiles, {}}}, service.empty() ? "other" : keep(repairedText(service)), property);
        give({{Target::ProfileValue, _profiles++, {}}}, value, property);
    }

    void readMessaging(const VcardProperty& property)
    {
        const auto text = std::string_view(keep(unescapeVcard(textOf(property))));
        if (trim(text).empty()) return;
        const auto colon = text.find(':');
        const auto scheme = colon == std::string_view::npos ? std::string_view{} : text.substr(0, colon);
        const bool web = scheme == "http" || scheme == "https";
        auto service = property.parameter("X-SERVICE-TYPE");
        if (service.empty()) service = property.parameter("SERVICE-TYPE");
        if (service.empty() && !web) service = scheme;
        const auto value = web || scheme.empty() ? text : text.substr(colon + 1);
        give({{Target::ProfileService, _profiles, {}}}, service.empty() ? "impp" : keep(repairedText(service)), property);
        give({{Target::ProfileValue, _profiles++, {}}}, value, property);
    }

    void readPhoto(const VcardProperty& property)
    {
        const std::string_view value = property.value;
        if (property.isBase64())
        {
            const auto types = property.types();
            const auto type = types.empty() ? std::string{} : "image/" + types.front();
            return readPhotoText(property, type, value);
        }
        const auto text = trim(textOf(property));
        if (startsWithFolded(text, "data:"))
        {
            const auto comma = text.find(',');
            const auto head = text.substr(5, comma == std::string_view::npos ? comma : comma - 5);
            if (comma != std::string_view::npos && head.find(";base64") != std::string_view::npos)
                return readPhotoText(property, head.substr(0, head.find(';')), text.substr(comma + 1));
            // Version 3.0 escapes the comma, and some 4.0 writers, too.
            return _builder.addWarning("vcard_syntax", "A photo that is not valid base64 was left out", "", {"PHOTO", {}});
        }
        if (startsWithFolded(text, "http")) _photoLink = text;
    }

    void readPhotoText(const VcardProperty& property, std::string_view contentType, std::string_view base64)
    {
        auto bytes = decodeBase64(base64);
        if (!bytes || bytes->empty())
            return _builder.addWarning("vcard_syntax", "A photo that is not valid base64 was left out", "", {property.name, {}});
        if (bytes->size() > largestPhoto)
            return _builder.addWarning("photo_too_large", "Photos are kept up to 1 MiB", "", {property.name, {}});
        const auto sniffed = sniffImage(*bytes);
        if (!sniffed.empty()) contentType = sniffed;
        if (!_record->photo)
            _record->photo = ImportedPhoto{contentType.empty() ? "application/octet-stream" : std::string(contentType), *std::move(bytes)};
    }
    /// A photo that is only named stays a link: nothing is fetched.
    void givePhotoLink()
    {
        constexpr std::size_t maxWebsites = 5;
        if (_photoLink.empty()) return;
        if (_websites >= maxWebsites)
            return _builder.addWarning("too_many_values", "The photo's link is left out", "websites", {"PHOTO", _photoLink});
        _builder.give({{Target::Website, _websites++, {}}}, _photoLink, {"PHOTO", _photoLink});
    }

    void giveMapped(const VcardProperty& property, const FieldPath& path)
    {
        give({path, {}, path.target == Target::Tags ? ListStyle::Escaped : ListStyle::None}, keep(unescapeVcard(textOf(property))),
             property);
    }

    void giveText(Target target, const VcardProperty& property, std::string_view value, std::size_t index = 0, std::string_view label = {},
                  ListStyle list = ListStyle::None)
    {
        give({{target, index, {}}, label, list}, keep(unescapeVcard(value)), property);
    }

    /// Some programs put all addresses of a person into one property.
    ListStyle listStyle() const { return _ownCard ? ListStyle::None : ListStyle::Several; }

    void givePreferred()
    {
        constexpr int unsaid = 1000;
        if (_preferredEmail.rank < unsaid) _builder.give({{Target::EmailPrimary, _preferredEmail.index, {}}}, "true", {});
        if (_preferredPhone.rank < unsaid) _builder.give({{Target::PhonePrimary, _preferredPhone.index, {}}}, "true", {});
    }

    /// Returns the value as UTF-8, with escapes; reports invalid bytes.
    std::string_view textOf(const VcardProperty& property)
    {
        auto bytes = property.isQuotedPrintable() ? decodeQuotedPrintable(property.value) : property.value;
        if (property.isBase64())
            if (auto decoded = decodeBase64(bytes)) bytes = *std::move(decoded);
        const auto charset = fold(property.parameter("CHARSET"));
        const bool unnamed = charset.empty() && (_plan.encoding == ImportEncoding::Windows1252 || property.isQuotedPrintable());
        const bool zero = bytes.find('\0') != std::string::npos;
        const bool latin = !zero && (isLatin(charset) || (unnamed && !isUtf8(bytes)));
        if (latin)
        {
            std::string text;
            appendWindows1252(text, bytes);
            bytes = std::move(text);
        }
        const auto decoded = latin                                     ? ImportEncoding::Windows1252
                             : _plan.encoding == ImportEncoding::Utf16 ? ImportEncoding::Utf16
                                                                       : ImportEncoding::Utf8;
        if (isDamaged(bytes, decoded))
        {
            bytes = repairedText(bytes);
            _builder.addProblem("bad_encoding", "Bytes that are not text in this encoding", "", {property.name, bytes});
        }
        return keep(std::move(bytes));
    }

    std::string_view keep(std::string text) { return _texts.emplace_back(std::move(text)); }

    /// The value lives until the builder has finished.
    void give(const Binding& binding, std::string_view value, const VcardProperty& property)
    {
        _builder.give(binding, value, {property.name, value});
    }

    std::string_view labelOf(const VcardProperty& property)
    {
        if (const auto label = _groupLabels.find(property.group); !property.group.empty() && label != _groupLabels.end())
            return label->second;
        const auto types = property.types();
        const auto has = [&](std::string_view type) { return std::find(types.begin(), types.end(), type) != types.end(); };
        if (has("fax")) return has("work") ? "work fax" : has("home") ? "home fax" : "fax";
        if (has("cell") || has("mobile") || has("iphone")) return "mobile";
        if (has("pager")) return "pager";
        if (has("work")) return "work";
        if (has("home")) return "home";
        if (has("car")) return "car";
        if (has("main")) return "main";
        return {};
    }

    /// The preferred element of a list: its index and rank.
    struct Preferred
    {
        std::size_t index = 0;
        int rank = 1000;
        void see(std::size_t place, int itsRank)
        {
            if (itsRank < rank) *this = {place, itsRank};
        }
    };

    const ImportPlan& _plan;
    std::map<std::string, std::optional<FieldPath>> _mapping;
    TextWindow _window;
    VcardCards _cards;
    ContactBuilder _builder;
    std::int64_t _row;

    ParsedRow* _record = nullptr;
    Vcard _card;
    /// We wrote it.
    bool _ownCard = false;
    std::map<std::string, std::string> _groupLabels;
    /// Texts that the builder looks at until it is finished.
    std::deque<std::string> _texts;
    std::size_t _emails = 0, _phones = 0, _addresses = 0, _websites = 0, _profiles = 0;
    Preferred _preferredEmail, _preferredPhone;
    std::string_view _photoLink;
};

} // namespace

ImportPlan planVcard(const TextEncoding& encoding, const ImportOptions& options)
{
    ImportPlan plan;
    plan.format = ImportFormat::Vcard;
    plan.encoding = encoding.encoding;
    plan.bigEndian = encoding.bigEndian;
    plan.dataOffset = static_cast<std::int64_t>(encoding.markBytes);
    std::vector<FieldError> errors;
    for (const auto& [property, path] : options.mapping)
    {
        if (path && !FieldPath::parse(*path)) errors.push_back({"mapping." + property, "unknown_option", "Contacts have no " + *path});
        plan.columns.push_back({property, path});
    }
    if (!errors.empty()) throw Problem::invalid(std::move(errors));
    return plan;
}

std::unique_ptr<ImportReader> readVcards(ImportFile& file, const ImportPlan& plan, const ImportPosition& from)
{
    return std::make_unique<VcardReader>(file, plan, from);
}

} // namespace portico::crm
