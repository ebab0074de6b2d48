#include "portico/Select.h"

#include "RowValues.h"

#include <charconv>

namespace portico::detail
{

namespace
{

/// `b1;i1795224888705;t3:abc;`: a value of each member of the order.
void appendCursorValue(std::string& out, const SqlValue& value)
{
    if (const auto* boolean = std::get_if<bool>(&value.value))
        out += *boolean ? "b1" : "b0";
    else if (const auto* integer = std::get_if<std::int64_t>(&value.value))
        (out += 'i') += std::to_string(*integer);
    else if (const auto* text = std::get_if<std::string_view>(&value.value))
        (((out += 't') += std::to_string(text->size())) += ':') += *text;
    else if (const auto* number = std::get_if<double>(&value.value))
    {
        char digits[32];
        out += 'd';
        out.append(digits, std::to_chars(digits, digits + sizeof digits, *number).ptr);
    }
    else
        throw std::logic_error("A row has no value for a member of the order");
    out += ';';
}

/// Reads such values from a cursor. Its signature is valid, but another version of the plugin may have made it.
class CursorReader
{
public:
    explicit CursorReader(std::string_view text) : _rest(text) {}
    bool done() const noexcept { return _rest.empty(); }
    /// A text is a view of the cursor.
    SqlValue take()
    {
        const char kind = next();
        SqlValue value(nullptr);
        if (kind == 'b')
            value = next() == '1';
        else if (kind == 'i')
            value = number<std::int64_t>();
        else if (kind == 'd')
            value = number<double>();
        else if (kind == 't')
            value = text();
        else
            refuse();
        if (next() != ';') refuse();
        return value;
    }
    [[noreturn]] static void refuse()
    {
        throw Problem::badRequest("invalid_cursor", "The cursor does not belong to this list. Start again without it.");
    }

private:
    char next()
    {
        if (_rest.empty()) refuse();
        const char c = _rest.front();
        _rest.remove_prefix(1);
        return c;
    }
    template <class N>
    N number()
    {
        N value{};
        const auto [end, error] = std::from_chars(_rest.data(), _rest.data() + _rest.size(), value);
        if (error != std::errc{}) refuse();
        _rest.remove_prefix(static_cast<std::size_t>(end - _rest.data()));
        return value;
    }
    std::string_view text()
    {
        const auto size = number<std::size_t>();
        if (next() != ':' || size > _rest.size()) refuse();
        const auto found = _rest.substr(0, size);
        _rest.remove_prefix(size);
        return found;
    }

    std::string_view _rest;
};

/// Few lengths of lists, so that few texts are prepared: 4, 16, 64 …
std::size_t paddedSize(std::size_t count)
{
    std::size_t size = 4;
    while (size < count) size *= 4;
    return size;
}

} // namespace

SelectPlan::SelectPlan(const SelectText& text, const Type& type, const std::optional<Tenant>& tenant) : _text(text), _type(type)
{
    if (tenant) bind(*tenant);
}
SelectPlan::~SelectPlan() = default;

std::string SelectPlan::bind(const SqlValue& value)
{
    if (const auto* text = std::get_if<std::string_view>(&value.value))
        _values.emplace_back(_kept.emplace_back(*text));
    else if (const auto* bytes = std::get_if<std::span<const char>>(&value.value))
    {
        const auto& kept = _kept.emplace_back(bytes->data(), bytes->size());
        _values.emplace_back(nullptr).value = std::span<const char>(kept);
    }
    else
        _values.push_back(value);
    return "$" + std::to_string(_values.size());
}

std::string SelectPlan::column(std::size_t member) const { return columnName(_type.members[member]); }

void SelectPlan::equal(std::size_t member, const Type& type, const void* value)
{
    std::string made;
    const auto bound = columnValueOf(type, value, made);
    const bool empty = std::holds_alternative<std::monostate>(bound.value);
    _conditions += " AND " + column(member) + (empty ? " IS NULL" : " = " + bind(bound));
}

void SelectPlan::condition(std::string_view literal, std::span<const SqlValue> values)
{
    _conditions += " AND (";
    for (const char c : literal)
    {
        if (c != '?')
            _conditions += c;
        else
        {
            _conditions += bind(values.front());
            values = values.subspan(1);
        }
    }
    _conditions += ')';
}

void SelectPlan::in(std::size_t member, const Type& element, const void* values, std::size_t count, std::size_t size)
{
    if (count == 0)
    {
        _conditions += " AND 1 = 0";
        return;
    }
    _conditions += " AND " + column(member) + " IN (";
    std::string made;
    for (std::size_t i = 0; i < paddedSize(count); ++i)
    {
        made.clear();
        const auto* value = static_cast<const char*>(values) + std::min(i, count - 1) * size;
        (_conditions += i == 0 ? "" : ", ") += bind(columnValueOf(element, value, made));
    }
    _conditions += ')';
}

void SelectPlan::order(std::size_t member, bool descending) { _order.push_back({member, descending}); }

void SelectPlan::endOrder()
{
    if (_order.empty() || _order.back().member != _text.lastKey)
        _order.push_back({_text.lastKey, !_order.empty() && _order.back().descending});
}

/// `(a, b)`, or `a` alone.
std::string SelectPlan::row(std::size_t first, std::size_t last) const
{
    std::string text;
    for (auto i = first; i < last; ++i) (text += i == first ? "" : ", ") += column(_order[i].member);
    return last - first == 1 ? text : "(" + text + ")";
}

/// Rows behind the values: columns of one direction are compared as one row, as an index of them can; where the direction changes, the
/// columns before it must be the same for those behind it to count.
std::string SelectPlan::behind(const std::vector<std::string>& placeholders, std::size_t first) const
{
    auto last = first + 1;
    while (last < _order.size() && _order[last].descending == _order[first].descending) ++last;
    std::string values;
    for (auto i = first; i < last; ++i) (values += i == first ? "" : ", ") += placeholders[i];
    if (last - first > 1) values = "(" + values + ")";
    const auto columns = row(first, last);
    const std::string later = columns + (_order[first].descending ? " < " : " > ") + values;
    if (last == _order.size()) return later;
    return columns + (_order[first].descending ? " <= " : " >= ") + values + " AND (" + later + " OR (" + columns + " = " + values +
           " AND " + behind(placeholders, last) + "))";
}

void SelectPlan::openCursor(std::string_view cursor, std::vector<std::string>& placeholders)
{
    CursorReader reader(cursor);
    for (std::size_t i = 0; i < _order.size(); ++i) placeholders.push_back(bind(reader.take()));
    if (!reader.done()) CursorReader::refuse();
}

void SelectPlan::run(Session& session, std::string sql, std::int64_t most, void* context, void (*visit)(void*, const Cursor&))
{
    for (std::size_t i = 0; i < _order.size(); ++i)
        ((sql += i == 0 ? " ORDER BY " : ", ") += column(_order[i].member)) += _order[i].descending ? " DESC" : "";
    if (most >= 0) sql += " LIMIT " + bind(most);
    if (_lock && session.dialect() == Dialect::PostgreSQL) sql += " FOR UPDATE";
    const auto cursor = session.connection().query(sql, _values);
    while (cursor->next()) visit(context, *cursor);
}

void SelectPlan::read(Session& session, std::int64_t most, void* context, void (*visit)(void*, const Cursor&))
{
    if (!_order.empty()) endOrder();
    run(session, std::string(_text.select) + _conditions, most, context, visit);
}

void SelectPlan::readPage(Session& session, const Paging& paging, void* context, void (*visit)(void*, const Cursor&))
{
    endOrder();
    std::string sql = std::string(_text.select) + _conditions;
    if (!paging.cursor.empty())
    {
        std::vector<std::string> placeholders;
        openCursor(paging.cursor, placeholders);
        sql += " AND " + behind(placeholders, 0);
    }
    run(session, std::move(sql), std::int64_t{paging.limit} + 1, context, visit);
}

std::string SelectPlan::cursorBehind(const void* record) const
{
    std::string cursor;
    for (const auto& each : _order)
    {
        const Member& member = _type.members[each.member];
        std::string made;
        appendCursorValue(cursor, columnValueOf(*member.type, member.reach(const_cast<void*>(record)), made));
    }
    return cursor;
}

std::int64_t SelectPlan::count(Session& session)
{
    auto rows = session.queryValues("SELECT count(*)" + tail(), _values);
    return rows.next()->get<std::int64_t>(0);
}

bool SelectPlan::exists(Session& session) { return session.queryValues("SELECT 1" + tail() + " LIMIT 1", _values).next().has_value(); }

std::int64_t SelectPlan::remove(Transaction& transaction) { return transaction.executeValues("DELETE" + tail(), _values); }

void SelectPlan::assign(std::size_t member, const std::string& value)
{
    ((_assignments += _assignments.empty() ? " SET " : ", ") += column(member)) += " = " + value;
}

void SelectPlan::assign(std::size_t member, const Type& type, const void* value)
{
    std::string made;
    assign(member, bind(columnValueOf(type, value, made)));
}

void SelectPlan::increment(std::size_t member) { assign(member, column(member) + " + 1"); }

std::int64_t SelectPlan::update(Transaction& transaction)
{
    const auto rows = tail();
    return transaction.executeValues("UPDATE " + std::string(_text.table) + _assignments + rows.substr(rows.find(" WHERE ")), _values);
}

} // namespace portico::detail
