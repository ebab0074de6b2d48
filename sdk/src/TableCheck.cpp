#include "portico/Table.h"

#include "RowValues.h"

#include <algorithm>
#include <stdexcept>

namespace portico::detail
{

namespace
{

struct TableColumn
{
    std::string name;
    std::string type;
    /// Not null and without a default: an insert has to name it.
    bool needed = false;
    bool notNull = false;
};

/// Kinds of columns that both engines have.
enum class ColumnKind
{
    Text,
    Integer,
    Number,
    Boolean,
    Other
};

std::string_view nameOf(ColumnKind stored)
{
    switch (stored)
    {
    case ColumnKind::Text:
        return "TEXT";
    case ColumnKind::Integer:
        return "BIGINT";
    case ColumnKind::Number:
        return "DOUBLE PRECISION";
    case ColumnKind::Boolean:
        return "BOOLEAN";
    default:
        return "another type";
    }
}

std::string inUpperCase(std::string text)
{
    for (auto& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

ColumnKind kindOfColumn(const std::string& declared)
{
    const auto type = inUpperCase(declared);
    const auto has = [&](std::string_view part) { return type.find(part) != std::string::npos; };
    if (has("BOOL")) return ColumnKind::Boolean;
    if (has("INT")) return ColumnKind::Integer;
    if (has("CHAR") || has("TEXT") || has("CLOB")) return ColumnKind::Text;
    if (has("DOUBLE") || has("REAL") || has("FLOA")) return ColumnKind::Number;
    return ColumnKind::Other;
}

ColumnKind kindOfMember(const Type& type)
{
    switch (type.kind)
    {
    case Kind::Boolean:
        return ColumnKind::Boolean;
    case Kind::Integer:
        return ColumnKind::Integer;
    case Kind::Number:
        return ColumnKind::Number;
    case Kind::Formatted:
        return type.format == "date-time" ? ColumnKind::Integer : ColumnKind::Text;
    case Kind::Optional:
        return kindOfMember(*type.element);
    default:
        return ColumnKind::Text;
    }
}

std::vector<TableColumn> columnsOfTable(Session& session, std::string_view table)
{
    constexpr std::string_view sqlite =
        "SELECT name, type, CASE WHEN \"notnull\" = 1 AND dflt_value IS NULL THEN 1 ELSE 0 END, \"notnull\" FROM pragma_table_info($1)";
    constexpr std::string_view postgres =
        "SELECT column_name::text, data_type::text, CASE WHEN is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO' AND "
        "is_generated = 'NEVER' THEN 1 ELSE 0 END, CASE WHEN is_nullable = 'NO' THEN 1 ELSE 0 END FROM information_schema.columns WHERE "
        "table_schema = current_schema() AND table_name = $1";
    std::vector<TableColumn> columns;
    for (const Row row : session.query(session.dialect() == Dialect::SQLite ? sqlite : postgres, table))
        columns.push_back({row.get<std::string>(0), row.get<std::string>(1), row.get<std::int64_t>(2) != 0, row.get<std::int64_t>(3) != 0});
    return columns;
}

const TableColumn* columnNamed(const std::vector<TableColumn>& columns, std::string_view name)
{
    const auto found = std::ranges::find(columns, name, &TableColumn::name);
    return found == columns.end() ? nullptr : &*found;
}

std::string namesOf(const std::vector<TableColumn>& columns)
{
    std::string text;
    for (const auto& column : columns) (text += text.empty() ? "" : ", ") += column.name;
    return text;
}

/// Returns the fault of a member's column, empty if there is none.
std::string faultOfMember(const Member& member, const std::string& name, const std::vector<TableColumn>& columns)
{
    const auto wanted = kindOfMember(*member.type);
    const auto* column = columnNamed(columns, name);
    if (!column)
        return "expected a column " + name + " (" + std::string(nameOf(wanted)) + ") for the member " + std::string(member.name) +
               ", found " + namesOf(columns);
    const auto found = kindOfColumn(column->type);
    if (found != wanted && found != ColumnKind::Other)
        return "expected the column " + name + " to be " + std::string(nameOf(wanted)) + " as the member " + std::string(member.name) +
               " is, found " + column->type;
    if (column->notNull && member.type->kind == Kind::Optional)
        return "expected the column " + name + " to be nullable, because the member " + std::string(member.name) +
               " is optional, found NOT NULL";
    return {};
}

} // namespace

void compareTable(Session& session, std::string_view table, std::string_view tenantColumn, const Type& type,
                  std::vector<std::string>& faults)
{
    const auto columns = columnsOfTable(session, table);
    const auto add = [&](const std::string& fault) { faults.push_back("table " + std::string(table) + ": " + fault); };
    if (columns.empty()) return add("expected a migration that makes it, found none");
    std::vector<std::string> written{std::string(tenantColumn)};
    if (!tenantColumn.empty() && !columnNamed(columns, tenantColumn))
        add("expected a column " + std::string(tenantColumn) + " for the tenant, found " + namesOf(columns));
    for (std::size_t i = 0; i < type.memberCount; ++i)
    {
        const Member& member = type.members[i];
        if (!member.rules.stored) continue;
        written.push_back(columnName(member));
        if (const auto fault = faultOfMember(member, written.back(), columns); !fault.empty()) add(fault);
    }
    for (const auto& column : columns)
        if (column.needed && std::ranges::find(written, column.name) == written.end())
            add("expected the column " + column.name + " to be nullable or to have a default, because no member of " +
                std::string(type.name) + " writes it, found NOT NULL");
}

void throwTableFaults(const std::vector<std::string>& faults)
{
    std::string text = "records and migrations do not fit:";
    for (const auto& fault : faults) text += "\n  " + fault;
    throw std::runtime_error(text);
}

} // namespace portico::detail
