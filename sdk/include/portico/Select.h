#pragma once

#include "portico/Arguments.h"
#include "portico/Database.h"
#include "portico/Results.h"
#include "portico/Tenant.h"

#include <concepts>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace portico
{

/// A condition in SQL with `?` where values go: `"created_at >= ?"`. Requires a literal with as many `?` as values; both are checked at
/// compile time.
template <class... V>
struct SqlCondition
{
    std::string_view text;

    template <std::size_t N>
    consteval SqlCondition(const char (&literal)[N]) : text(literal, N - 1)
    {
        std::size_t marks = 0;
        for (const char c : text) marks += c == '?';
        if (marks != sizeof...(V)) throw "The condition has another number of ? than there are values";
    }
};

template <class C, class M>
struct Descending
{
    M C::*member;
};
/// Descending order, for `Select::orderBy`.
template <class C, class M>
constexpr Descending<C, M> descending(M C::*member)
{
    return {member};
}

template <class C, class M>
struct NeverEmpty
{
    std::optional<M> C::*member;
};
/// For `Select::orderBy`: an optional member whose column is NOT NULL.
template <class C, class M>
constexpr NeverEmpty<C, M> neverEmpty(std::optional<M> C::*member)
{
    return {member};
}

/// Time and author of a write (`usr_…`); leave the author empty if the record has no author members.
struct Stamp
{
    Instant now{};
    std::string_view by = {};
};

/// A value for `set`: adds one to the column.
struct Increment
{
};
inline constexpr Increment increment;

namespace detail
{
template <class T>
concept HasVersion = requires(T& record)
{
    {
        record.version
        } -> std::same_as<std::int64_t&>;
};

/// Index of a member in the description of its record. Does not compile, or throws std::logic_error, for a member without a description.
template <class T, class M>
constexpr std::size_t memberIndex(M T::*member)
{
    std::size_t index = 0;
    bool found = false;
    fieldsOf<T>.apply(
        [&](const auto&... fields)
        {
            const auto look = [&](const auto& field)
            {
                if constexpr (std::same_as<typename std::remove_cvref_t<decltype(field)>::Value, M>)
                    found = found || static_cast<M T::*>(field.pointer) == member;
                if (!found) ++index;
            };
            (look(fields), ...);
        });
    if (!found) throw std::logic_error("This member is not described");
    return index;
}

/// A table's part of a select: `SELECT … FROM … WHERE <tenant> = $1`, or `WHERE TRUE` without a tenant; its name, and its last key.
struct SelectText
{
    std::string_view select;
    std::string_view table;
    std::size_t lastKey;
};

/// A SELECT that is built at run time. Its SQL contains only literals and column names; values are bound. Used by one thread.
class PORTICO_API SelectPlan
{
public:
    SelectPlan(const SelectText& text, const Type& type, const std::optional<Tenant>& tenant);
    SelectPlan(const SelectPlan&) = delete;
    SelectPlan& operator=(const SelectPlan&) = delete;
    ~SelectPlan();

    /// `value` is one of `type`.
    void equal(std::size_t member, const Type& type, const void* value);
    void condition(std::string_view literal, std::span<const SqlValue> values);
    void in(std::size_t member, const Type& element, const void* values, std::size_t count, std::size_t size);
    void order(std::size_t member, bool descending);

    /// Reads up to `most` rows in order; -1: all. `visit` reads each.
    void read(Session& session, std::int64_t most, void* context, void (*visit)(void* context, const Cursor& cursor));
    /// Reads the rows after the cursor of `paging`, one more than its limit.
    void readPage(Session& session, const Paging& paging, void* context, void (*visit)(void* context, const Cursor& cursor));
    /// Returns the cursor after a row.
    std::string cursorBehind(const void* record) const;
    std::int64_t count(Session& session);
    bool exists(Session& session);
    std::int64_t remove(Transaction& transaction);
    /// `value` is one of `type`.
    void assign(std::size_t member, const Type& type, const void* value);
    void increment(std::size_t member);
    std::int64_t update(Transaction& transaction);
    void lock() noexcept { _lock = true; }

private:
    struct Order
    {
        std::size_t member;
        bool descending;
    };
    std::string bind(const SqlValue& value);
    std::string column(std::size_t member) const;
    std::string row(std::size_t first, std::size_t last) const;
    std::string behind(const std::vector<std::string>& placeholders, std::size_t first) const;
    void openCursor(std::string_view cursor, std::vector<std::string>& placeholders);
    void endOrder();
    void run(Session& session, std::string sql, std::int64_t most, void* context, void (*visit)(void* context, const Cursor& cursor));
    void assign(std::size_t member, const std::string& value);
    std::string tail() const { return std::string(_text.select.substr(_text.select.find(" FROM "))) + _conditions; }

    SelectText _text;
    const Type& _type;
    std::string _conditions;
    std::string _assignments;
    std::vector<Order> _order;
    std::vector<SqlValue> _values;
    /// Values are views of these; a deque does not move them.
    std::deque<std::string> _kept;
    bool _lock = false;
};
} // namespace detail

/// A query of several rows of a table, built and run in one expression. Copies values. Made by `Table::select`. Used by one thread.
template <class T>
class Select
{
public:
    explicit Select(const detail::SelectText& text, const std::optional<Tenant>& tenant = {}) : _plan(text, detail::typeOf<T>, tenant) {}

    /// `member = value`, or `IS NULL` if the value is empty.
    template <class C, class M, std::convertible_to<M> V>
    requires std::derived_from<T, C> Select& where(M C::*member, const V& value)
    {
        const M copy = value;
        _plan.equal(detail::memberIndex<T>(static_cast<M T::*>(member)), detail::typeOf<M>, &copy);
        return *this;
    }
    template <class... V>
    Select& where(SqlCondition<std::type_identity_t<V>...> literal, const V&... values)
    {
        const SqlValue bound[] = {SqlValue(values)..., SqlValue(nullptr)};
        _plan.condition(literal.text, {bound, sizeof...(V)});
        return *this;
    }
    /// The member equals one of the values. Without values no row matches.
    template <class C, class M>
    requires std::derived_from<T, C> Select& whereIn(M C::*member, const std::vector<M>& values)
    {
        _plan.in(detail::memberIndex<T>(static_cast<M T::*>(member)), detail::typeOf<M>, values.data(), values.size(), sizeof(M));
        return *this;
    }
    /// Orders by a `Sort` of the request, or by members that always have a value (`neverEmpty(…)` if they are optional), or `descending(…)`
    /// of them. The table's last key is appended, so that the order is total.
    template <class... O>
    Select& orderBy(O... order)
    {
        (addOrder(order), ...);
        return *this;
    }
    /// Locks the rows against other writers until the end of the transaction.
    Select& forUpdate()
    {
        _plan.lock();
        return *this;
    }

    /// Returns one page after the cursor, with the total if it was requested, and with these members of each record.
    Page<T> page(Session& session, const Paging& paging, const Fields<T>& fields = Fields<T>())
    {
        Page<T> page;
        page.fields = *fields;
        if (paging.includeTotal) page.total = _plan.count(session);
        _plan.readPage(session, paging, &page.items, &append);
        if (page.items.size() > static_cast<std::size_t>(paging.limit))
        {
            page.items.pop_back();
            page.nextCursor = _plan.cursorBehind(&page.items.back());
        }
        return page;
    }
    /// Returns all rows, or at most this many.
    std::vector<T> all(Session& session, std::int64_t most = -1)
    {
        std::vector<T> items;
        _plan.read(session, most, &items, &append);
        return items;
    }
    std::optional<T> first(Session& session)
    {
        auto items = all(session, 1);
        if (items.empty()) return std::nullopt;
        return std::move(items.front());
    }
    std::int64_t count(Session& session) { return _plan.count(session); }
    bool exists(Session& session) { return _plan.exists(session); }
    /// Deletes the rows. @return their number
    std::int64_t remove(Transaction& transaction) { return _plan.remove(transaction); }
    /// Sets columns of the rows, with the next version, time and author of each as far as the record has these members:
    /// `set(transaction, {now}, &Note::status, Status::Closed, &Note::edits, increment)`. @return number of rows
    template <class C, class M, class V, class... A>
    std::int64_t set(Transaction& transaction, const Stamp& stamp, M C::*member, const V& value, const A&... others)
    {
        assign(member, value, others...);
        if constexpr (detail::HasVersion<T>) assign(&T::version, portico::increment);
        if constexpr (requires(T & record) { record.updatedAt = stamp.now; }) assign(&T::updatedAt, stamp.now);
        if constexpr (requires(T & record) { record.updatedBy = stamp.by; })
        {
            T author;
            author.updatedBy = stamp.by;
            assign(&T::updatedBy, author.updatedBy);
        }
        return _plan.update(transaction);
    }
    /// Sets columns of the rows, and neither versions nor times. @return number of rows
    template <class C, class M, class V, class... A>
    std::int64_t set(Transaction& transaction, M C::*member, const V& value, const A&... others)
    {
        assign(member, value, others...);
        return _plan.update(transaction);
    }

private:
    static void append(void* items, const detail::Cursor& cursor)
    {
        detail::readRecord(cursor, detail::typeOf<T>, &static_cast<std::vector<T>*>(items)->emplace_back());
    }
    template <class C, class M, class V, class... A>
    requires std::derived_from<T, C> &&
        (std::convertible_to<V, M> || std::same_as<V, Increment>)void assign(M C::*member, const V& value, const A&... others)
    {
        const auto index = detail::memberIndex<T>(static_cast<M T::*>(member));
        if constexpr (std::same_as<V, Increment>)
        {
            static_assert(std::integral<M>, "Only an integer can be incremented");
            _plan.increment(index);
        }
        else
        {
            const M copy = value;
            _plan.assign(index, detail::typeOf<M>, &copy);
        }
        if constexpr (sizeof...(others) > 0) assign(others...);
    }
    template <class C, class M>
    void addOrder(M C::*member, bool isDescending = false)
    {
        static_assert(!detail::ElementOf<M>::optional, "An order by a member that may be empty has no place for the rows without it");
        _plan.order(detail::memberIndex<T>(static_cast<M T::*>(member)), isDescending);
    }
    template <class C, class M>
    void addOrder(NeverEmpty<C, M> order)
    {
        _plan.order(detail::memberIndex<T>(static_cast<std::optional<M> T::*>(order.member)), false);
    }
    template <auto... Members>
    void addOrder(const Sort<Members...>& sort)
    {
        std::size_t index = 0;
        ((index++ == sort.index() ? addOrder(Members, sort.descending()) : void()), ...);
    }
    template <class C, class M>
    void addOrder(Descending<C, M> order)
    {
        addOrder(order.member, true);
    }

    detail::SelectPlan _plan;
};

namespace detail
{
inline const std::string& cursorText(const std::string& text) noexcept { return text; }
inline std::string cursorText(std::integral auto number) { return std::to_string(number); }
/// Returns the text of an id.
template <class I>
requires requires(const I& id)
{
    {
        id.text()
        } -> std::same_as<const std::string&>;
}
const std::string& cursorText(const I& id) noexcept { return id.text(); }
} // namespace detail

/// Page of rows that were read after the cursor of `paging`, one more than its limit. The cursor of the next page is a text, number or id
/// of the last row: a member, or what a function of the row returns.
template <class T, class F>
Page<T> pageOf(std::vector<T> items, const Paging& paging, const F& cursor)
{
    Page<T> page;
    page.items = std::move(items);
    if (page.items.size() > static_cast<std::size_t>(paging.limit))
    {
        page.items.pop_back();
        page.nextCursor = detail::cursorText(std::invoke(cursor, page.items.back()));
    }
    return page;
}

/// Page of a query in plain SQL, with the total if it was requested. The last two placeholders are the cursor, empty for the first page,
/// and the number of rows: `pageOf<Seat>(session, paging, &Seat::id, "SELECT … WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3", owner)`.
template <class T, class F, class... A>
Page<T> pageOf(Session& session, const Paging& paging, const F& cursor, const std::string& sql, const A&... arguments)
{
    auto page = pageOf(session.all<T>(sql, arguments..., paging.cursor, std::int64_t{paging.limit} + 1), paging, cursor);
    if (paging.includeTotal)
        page.total = session.value<std::int64_t>("SELECT count(*) FROM (" + sql + ") AS counted", arguments..., "",
                                                 std::numeric_limits<std::int64_t>::max());
    return page;
}

} // namespace portico
