#pragma once

#include "exchange/FieldPath.h"
#include "exchange/ImportSource.h"
#include "exchange/ListCell.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// How the values of one column or property are taken.
struct Binding
{
    FieldPath path = {};
    /// Label of the list's element, or service of a social profile, that comes with the column.
    std::string_view label = {};
    ListStyle list = ListStyle::None;
    /// Labels in the file are those of another program.
    bool foreignLabels = false;
    /// An address in one piece, for where its parts are not given.
    bool wholeAddress = false;
};

/// What a value is called and what it says in the file. Views live until `finish`.
struct Origin
{
    std::string_view column = {};
    std::string_view value = {};
};

/// Makes a record from single values in any order: sorts and closes up lists, checks every rule of contacts, and tells for each broken one
/// which column it came from.
class RecordBuilder
{
public:
    explicit RecordBuilder(ImportDates dates) : _dates(dates) {}

    /// The record's row, line and place are the caller's.
    void start(ImportedRecord& record);
    void give(const Binding& binding, std::string_view value, const Origin& origin);
    void addProblem(std::string_view code, std::string_view message, std::string_view field, const Origin& origin);
    void addWarning(std::string_view code, std::string_view message, std::string_view field, const Origin& origin);
    /// Completes the record.
    void finish();

private:
    template <class T>
    struct Element
    {
        std::size_t index = 0;
        /// Several values of one cell.
        std::size_t part = 0;
        T value = {};
        Origin origin = {};
    };
    template <class T>
    using Elements = std::vector<Element<T>>;

    struct Address : PostalAddress
    {
        std::string whole;
    };

    void giveText(Target target, std::string_view value, const Origin& origin);
    void giveBirthday(std::string_view value, const Origin& origin);
    void giveLifecycle(std::string_view value, const Origin& origin);
    void giveSource(std::string_view value, const Origin& origin);
    void giveOwner(const Binding& binding, std::string_view value, const Origin& origin);
    void giveFlag(bool& flag, const Binding& binding, std::string_view value, const Origin& origin);
    void giveCustomFields(std::string_view value, const Origin& origin);
    void giveNote(std::string_view value, const Origin& origin);
    void giveList(const Binding& binding, std::string_view value, const Origin& origin);
    void givePart(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin);
    void giveAddressPart(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin);
    void giveLabel(std::string& label, bool& primary, const Binding& binding, std::string_view value);

    template <class T>
    Element<T>* element(Elements<T>& list, std::size_t index, std::size_t part);
    void closeEmails();
    void closePhones();
    void closeAddresses();
    void closeOthers();
    void noteMembers();
    void validate();
    Origin originOf(std::string_view field) const;

    ImportDates _dates;
    ImportedRecord* _record = nullptr;
    std::array<Origin, targetCount> _origins;
    std::array<bool, targetCount> _given{};
    Elements<ContactEmail> _emails;
    Elements<ContactPhone> _phones;
    Elements<Address> _addresses;
    Elements<std::string> _websites;
    Elements<SocialProfile> _profiles;
    Elements<ExternalId> _externalIds;
};

/// The first `count` characters of a text.
std::string_view cutText(std::string_view text, std::size_t count);

} // namespace portico::crm
