#pragma once

#include "exchange/Binding.h"
#include "exchange/Dates.h"
#include "exchange/ImportSource.h"
#include "exchange/ImportedLists.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Builds a record from single values in any order. Sorts and compacts lists, checks every rule of contacts, and reports the column of each
/// fault.
class ContactBuilder
{
public:
    explicit ContactBuilder(ImportDates dates) : _dates(dates) {}

    /// Begins a record. The caller sets its row, line and position.
    void start(ParsedRow& record);
    void give(const Binding& binding, std::string_view value, const Origin& origin);
    void addProblem(std::string_view code, std::string_view message, std::string_view field, const Origin& origin);
    void addWarning(std::string_view code, std::string_view message, std::string_view field, const Origin& origin);
    /// Completes the record.
    void finish();

private:
    void giveVisible(const Binding& binding, std::string_view value, const Origin& origin);
    void giveText(Target target, std::string_view value, const Origin& origin);
    void giveBirthday(std::string_view value, const Origin& origin);
    void giveBirthdayPart(Target target, std::string_view value, const Origin& origin);
    void closeBirthday();
    void giveLifecycle(std::string_view value, const Origin& origin);
    void giveSource(std::string_view value, const Origin& origin);
    void giveOwner(const Binding& binding, std::string_view value, const Origin& origin);
    void giveFlag(bool& flag, const Binding& binding, std::string_view value, const Origin& origin);
    void giveCustomFields(std::string_view value, const Origin& origin);
    void giveNote(std::string_view value, const Origin& origin);
    void giveList(const Binding& binding, std::string_view value, const Origin& origin);
    void givePart(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin);
    void noteMembers();
    void validate();
    Origin originOf(std::string_view field) const;

    ImportDates _dates;
    ParsedRow* _record = nullptr;
    std::array<Origin, targetCount> _origins;
    std::array<bool, targetCount> _given{};
    BirthdayParts _birthday;
    ImportedLists _lists;
};

} // namespace portico::crm
