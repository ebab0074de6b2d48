#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portico::host::ctl
{

/// A member of the record that a new plugin keeps, beside its title. The template has one: `text`.
struct RecordField
{
    enum class Type
    {
        Text,
        Integer,
        Number,
        Boolean,
        Date,
        Instant
    };
    std::string name; ///< `purchasePrice`
    Type type = Type::Text;
};

/// `serial:text,price:integer`. @throws Refused `invalid_field`
std::vector<RecordField> recordFields(std::string_view text);

/// Marks the words of the template that a field's name contains, so that they keep their meaning when the template is renamed.
inline constexpr char keptWord = '\x01';

/// A file of the template with these fields in the place of `text`; their names contain `keptWord`, which is to be removed at the end.
std::string withFields(std::string_view file, std::string_view text, const std::vector<RecordField>& fields);

} // namespace portico::host::ctl
