#pragma once

#include "portico/Arguments.h"
#include "portico/Database.h"
#include "portico/Results.h"
#include "portico/Select.h"
#include "portico/Tenant.h"
#include "portico/detail/SqlBuffer.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace portico
{

/// A unique index of a table, and the problem for a write that violates it: 409 with this code, and an error of the field.
/// Without an entry here, a violation is a DatabaseError UniqueViolation.
struct UniqueIndex
{
    /// Its name in the migrations.
    std::string_view index = {};
    std::string_view code = {};
    std::string_view field = {};
    std::string_view message = "Already in use";
};
struct UniqueIndexes
{
    UniqueIndex first = {}, second = {}, third = {}, fourth = {};
};

/// Result of `Table::change`: the record, and whether the change made a difference. Converts to the record.
template <class T>
struct Changed : T
{
    bool wasChanged = false;

    friend constexpr auto schemaOf(const Changed*) { return detail::descriptionOf<T>.named(detail::typeOf<T>.name); }
};

struct TableOptions
{
    /// Column of the tenant.
    std::string_view tenant = "organization_id";
    /// Condition on every row that the table shows, without placeholders: `deleted_at IS NULL`. A condition on another table costs a
    /// subquery per row.
    std::string_view where = {};
    /// `{.unique = {{"topic_by_name", "name_taken", "name"}}}`
    UniqueIndexes unique = {};
};

namespace detail
{
/// Maximum characters of a record's column list.
template <class T>
consteval std::size_t columnRoom()
{
    std::size_t room = 0;
    for (const Member& member : membersOf<T>) room += 2 * member.name.size() + member.rules.column.size() + 12;
    return room;
}

/// Reads the single row of a statement into a record. @return whether there is one
PORTICO_API bool readRow(Session& session, std::string_view sql, std::span<const SqlValue> values, const Type& type, void* record);
/// `tenant` is empty for a GlobalTable, in the other two functions, too.
PORTICO_API void insertRow(Session& session, std::string_view sql, const Type& type, const void* record,
                           const std::optional<Tenant>& tenant, const UniqueIndexes& unique);
/// @return whether it was inserted; false if it violates a unique index
PORTICO_API bool insertRowIfAbsent(Session& session, std::string_view sql, const Type& type, const void* record,
                                   const std::optional<Tenant>& tenant);
/// `sql` ends with ` VALUES `.
PORTICO_API void insertRows(Session& session, std::string_view sql, const Type& type, const void* records, std::size_t count,
                            std::size_t size, const std::optional<Tenant>& tenant, const UniqueIndexes& unique);
/// @return whether a row was changed
PORTICO_API bool updateRow(Session& session, std::string_view sql, const Type& type, const void* record, std::span<const SqlValue> keys,
                           const UniqueIndexes& unique);
/// @throws DatabaseError Serialization
[[noreturn]] PORTICO_API void throwRowChanged();
/// Adds what a table lacks to write and read a record: `note: expected a column colour …`.
PORTICO_API void compareTable(Session& session, std::string_view table, std::string_view tenantColumn, const Type& type,
                              std::vector<std::string>& faults);
[[noreturn]] PORTICO_API void throwTableFaults(const std::vector<std::string>& faults);
PORTICO_API bool sameRow(const Type& type, const void* one, const void* other);

/// The parameter `Tenant tenant` of each function of a Table, or no parameter.
template <class... O>
struct Owner
{
};
} // namespace detail

/// The functions of Table and GlobalTable. Those of a GlobalTable have no parameter `tenant`.
template <class T, class O, class... K>
class BasicTable;

template <class T, class... O, class... K>
class BasicTable<T, detail::Owner<O...>, K...>
{
public:
    constexpr std::string_view name() const noexcept { return _name; }
    /// Adds the differences between the record and the table in a database, as `checkTables` reports them.
    void compare(Session& session, std::vector<std::string>& faults) const
    {
        detail::compareTable(session, _name, hasTenant ? _options.tenant : std::string_view(), detail::typeOf<T>, faults);
    }

    std::optional<T> find(Session& session, O... tenant, const K&... keys) const { return read(session, findText(), tenant..., keys...); }
    /// @throws Problem 404
    T require(Session& session, O... tenant, const K&... keys) const { return *orNotFound(find(session, tenant..., keys...)); }
    /// Returns the record and locks it against other writers until the transaction ends.
    std::optional<T> findForUpdate(Transaction& transaction, O... tenant, const K&... keys) const
    {
        // SQLite has one writer.
        const auto sql = transaction.dialect() == Dialect::PostgreSQL ? _read.view() : findText();
        return read(transaction, sql, tenant..., keys...);
    }
    /// @throws Problem 404
    T requireForUpdate(Transaction& transaction, O... tenant, const K&... keys) const
    {
        return *orNotFound(findForUpdate(transaction, tenant..., keys...));
    }
    bool exists(Session& session, O... tenant, const K&... keys) const
    {
        return session.value<std::int64_t>(_exists.view(), tenant..., keys...).has_value();
    }
    std::int64_t count(Session& session, O... tenant) const { return *session.value<std::int64_t>(countText(), tenant...); }
    /// Several rows: `noteTable.select(tenant).where(&Note::pinned, true).orderBy(descending(&Note::createdAt)).page(session, paging)`.
    Select<T> select(O... tenant) const
    {
        return Select<T>({_read.view().substr(0, _selectSize), _name, detail::memberIndex(std::get<sizeof...(K) - 1>(_keys))}, tenant...);
    }

    void insert(Transaction& transaction, O... tenant, const T& record) const
    {
        detail::insertRow(transaction, _insert.view(), detail::typeOf<T>, &record, {tenant...}, _options.unique);
    }
    /// Inserts the record unless it violates a unique index. @return whether it was inserted
    bool insertIfAbsent(Transaction& transaction, O... tenant, const T& record) const
    {
        return detail::insertRowIfAbsent(transaction, _insert.view(), detail::typeOf<T>, &record, {tenant...});
    }
    /// Inserts up to a hundred rows per statement.
    void insertMany(Transaction& transaction, O... tenant, std::span<const T> records) const
    {
        detail::insertRows(transaction, _insert.view().substr(0, _insertSize), detail::typeOf<T>, records.data(), records.size(), sizeof(T),
                           {tenant...}, _options.unique);
    }
    /// Sets a new id (the last key), version 1, and `createdAt`, `createdBy`, `updatedAt` and `updatedBy` if the record has these members.
    T stamped(T record, const Stamp& stamp) const
    {
        auto& id = record.*std::get<sizeof...(K) - 1>(_keys);
        if constexpr (requires { id.make(stamp.now); }) id = id.make(stamp.now);
        if constexpr (requires { record.createdAt = stamp.now; }) record.createdAt = stamp.now;
        if constexpr (requires { record.createdBy = stamp.by; }) record.createdBy = stamp.by;
        if constexpr (detail::HasVersion<T>) record.version = 1;
        stampChange(record, stamp);
        return record;
    }
    /// Stamps a record and inserts it. @return what was inserted
    T create(Transaction& transaction, O... tenant, T record, const Stamp& stamp) const
    {
        record = stamped(std::move(record), stamp);
        insert(transaction, tenant..., record);
        return record;
    }

    /// Writes a record without a version by its keys. The caller prevents concurrent changes.
    /// @throws DatabaseError Serialization if the row does not exist
    void update(Transaction& transaction, O... tenant, const T& record) const requires(!detail::HasVersion<T>)
    {
        std::apply(
            [&](auto... keys)
            {
                const SqlValue named[] = {SqlValue(tenant)..., SqlValue(record.*keys)...};
                if (!detail::updateRow(transaction, _update.view(), detail::typeOf<T>, &record, named, _options.unique))
                    detail::throwRowChanged();
            },
            _keys);
    }
    /// Writes a record that was read before, with the next version, time and author. @throws Problem 412 `version_conflict` if another
    /// writer was faster
    void update(Transaction& transaction, O... tenant, T& record, const Stamp& stamp) const requires detail::HasVersion<T>
    {
        const auto before = record.version++;
        stampChange(record, stamp);
        std::apply(
            [&](auto... keys)
            {
                const SqlValue named[] = {SqlValue(tenant)..., SqlValue(record.*keys)..., SqlValue(before)};
                if (!detail::updateRow(transaction, _update.view(), detail::typeOf<T>, &record, named, _options.unique))
                    throw Problem::versionConflict(record.version);
            },
            _keys);
    }

    /// Changes a record by the convention: reads the row for update (404), checks If-Match (412), calls `edit`, and writes the record with
    /// the next version, time and author. If nothing differs, nothing is written and the version stays.
    /// @return the record after the change, and whether anything changed. @throws DatabaseError Serialization if a writer without a row
    /// lock was faster: `Database::transact` then repeats the unit of work.
    template <std::invocable<T&> F>
    requires detail::HasVersion<T> Changed<T> change(Transaction& transaction, O... tenant, const K&... keys, const IfMatch& ifMatch,
                                                     const Stamp& stamp, F&& edit)
    const
    {
        const T before = requireForUpdate(transaction, tenant..., keys...);
        ifMatch.require(before.version);
        T after = before;
        std::forward<F>(edit)(after);
        if (detail::sameRow(detail::typeOf<T>, &before, &after)) return {std::move(after), false};
        after.version = before.version + 1;
        stampChange(after, stamp);
        const SqlValue named[] = {SqlValue(tenant)..., SqlValue(keys)..., SqlValue(before.version)};
        if (!detail::updateRow(transaction, _update.view(), detail::typeOf<T>, &after, named, _options.unique)) detail::throwRowChanged();
        return {std::move(after), true};
    }
    /// Changes a record with a merge body. @throws Problem 400 `validation_failed` if the merged record violates a rule
    Changed<T> change(Transaction& transaction, O... tenant, const K&... keys, const IfMatch& ifMatch, const Stamp& stamp,
                      const Patch<T>& patch) const requires detail::HasVersion<T>
    {
        return change(transaction, tenant..., keys..., ifMatch, stamp, [&](T& record) { patch.applyTo(record); });
    }
    /// Deletes a row. @return the deleted record @throws Problem 404, 412
    T remove(Transaction& transaction, O... tenant, const K&... keys, const IfMatch& ifMatch) const requires detail::HasVersion<T>
    {
        T record = requireForUpdate(transaction, tenant..., keys...);
        ifMatch.require(record.version);
        erase(transaction, tenant..., keys...);
        return record;
    }
    /// Deletes a row that the caller has checked. @return whether it existed
    bool erase(Transaction& transaction, O... tenant, const K&... keys) const
    {
        return transaction.execute(_remove.view(), tenant..., keys...) > 0;
    }

    /// Sets columns of one row, with its next version, time and author as far as the record has these members:
    /// `noteTable.set(transaction, tenant, id, {now}, &Note::title, "New", &Note::edits, increment)`. Checks neither If-Match nor rules;
    /// a violated unique index is a DatabaseError. @return whether the row exists
    template <class C, class M, class V, class... A>
    bool set(Transaction& transaction, O... tenant, const K&... keys, const Stamp& stamp, M C::*member, const V& value,
             const A&... others) const
    {
        Select<T> row = select(tenant...);
        whereKeys(row, std::index_sequence_for<K...>(), keys...);
        return row.set(transaction, stamp, member, value, others...) > 0;
    }
    /// Sets columns of one row, and neither version nor time. @return whether the row exists
    template <class C, class M, class V, class... A>
    bool set(Transaction& transaction, O... tenant, const K&... keys, M C::*member, const V& value, const A&... others) const
    {
        Select<T> row = select(tenant...);
        whereKeys(row, std::index_sequence_for<K...>(), keys...);
        return row.set(transaction, member, value, others...) > 0;
    }

protected:
    constexpr BasicTable(std::string_view name, const TableOptions& options, K T::*... keys)
        : _name(name), _options(options), _keys(keys...)
    {
        writeReads();
        writeChanges();
    }

private:
    static_assert(sizeof...(K) > 0, "A table has a key");
    static constexpr std::size_t room = 512;
    static constexpr bool hasTenant = sizeof...(O) > 0;

    constexpr std::string_view findText() const noexcept { return _read.view().substr(0, _findSize); }
    constexpr std::string_view countText() const noexcept { return _count.view(); }

    std::optional<T> read(Session& session, std::string_view sql, O... tenant, const K&... keys) const
    {
        const SqlValue values[] = {SqlValue(tenant)..., SqlValue(keys)...};
        std::optional<T> record(std::in_place);
        if (!detail::readRow(session, sql, values, detail::typeOf<T>, &*record)) record.reset();
        return record;
    }
    template <std::size_t... I>
    void whereKeys(Select<T>& row, std::index_sequence<I...>, const K&... keys) const
    {
        (row.where(std::get<I>(_keys), keys), ...);
    }
    static std::optional<T> orNotFound(std::optional<T> record)
    {
        if (!record) throw Problem::notFound();
        return record;
    }
    static void stampChange(T& record, const Stamp& stamp)
    {
        if constexpr (requires { record.updatedAt = stamp.now; }) record.updatedAt = stamp.now;
        if constexpr (requires { record.updatedBy = stamp.by; }) record.updatedBy = stamp.by;
    }

    template <class F>
    static constexpr void eachColumn(F&& visit)
    {
        for (const auto& member : detail::membersOf<T>)
            if (member.rules.stored) visit(member);
    }
    /// Adds the beginning of the conditions. @return index of the next placeholder
    template <std::size_t R>
    constexpr std::size_t addTenant(detail::SqlBuffer<R>& out, std::size_t placeholder) const
    {
        out.add(" WHERE ");
        if (hasTenant)
            out.add(_options.tenant).add(" = ").addPlaceholder(placeholder++);
        else if (_options.where.empty())
            out.add("TRUE");
        if (!_options.where.empty()) out.add(hasTenant ? " AND (" : "(").add(_options.where).add(")");
        return placeholder;
    }
    template <std::size_t R>
    constexpr void addKeys(detail::SqlBuffer<R>& out, std::size_t placeholder) const
    {
        std::apply(
            [&](auto... keys)
            {
                ((detail::addColumn(out.add(" AND "), detail::membersOf<T>[detail::memberIndex(keys)]),
                  out.add(" = ").addPlaceholder(placeholder++)),
                 ...);
            },
            _keys);
    }
    constexpr void writeReads()
    {
        _read.add("SELECT ");
        bool first = true;
        eachColumn([&](const detail::Member& member) { detail::addColumn(_read.add(std::exchange(first, false) ? "" : ", "), member); });
        const auto firstKey = addTenant(_read.add(" FROM ").add(_name), 1);
        _selectSize = _read.size;
        addKeys(_read, firstKey);
        _findSize = _read.size;
        _read.add(" FOR UPDATE");
        addTenant(_exists.add("SELECT 1 FROM ").add(_name), 1);
        addKeys(_exists, firstKey);
        addTenant(_count.add("SELECT count(*) FROM ").add(_name), 1);
    }
    constexpr void writeChanges()
    {
        std::size_t columns = 0;
        _insert.add("INSERT INTO ").add(_name).add(" (");
        _update.add("UPDATE ").add(_name);
        eachColumn(
            [&](const detail::Member& member)
            {
                detail::addColumn(_insert.add(columns == 0 ? "" : ", "), member);
                detail::addColumn(_update.add(columns == 0 ? " SET " : ", "), member);
                _update.add(" = ").addPlaceholder(++columns);
            });
        if (hasTenant) _insert.add(", ").add(_options.tenant);
        _insert.add(") VALUES ");
        _insertSize = _insert.size;
        for (std::size_t i = 0; i < columns + sizeof...(O); ++i) _insert.add(i == 0 ? "(" : ", ").addPlaceholder(i + 1);
        _insert.add(")");
        const auto firstKey = addTenant(_update, columns + 1);
        addKeys(_update, firstKey);
        if constexpr (detail::HasVersion<T>) _update.add(" AND version = ").addPlaceholder(firstKey + sizeof...(K));
        addKeys(_remove, addTenant(_remove.add("DELETE FROM ").add(_name), 1));
    }

    std::string_view _name;
    TableOptions _options;
    std::tuple<K T::*...> _keys;
    /// `SELECT … WHERE <tenant>`, the same with the keys, and with ` FOR UPDATE`: one is the beginning of the other.
    detail::SqlBuffer<detail::columnRoom<T>() + room> _read;
    std::size_t _selectSize = 0, _findSize = 0, _insertSize = 0;
    detail::SqlBuffer<room> _exists;
    detail::SqlBuffer<room> _count;
    detail::SqlBuffer<room> _remove;
    detail::SqlBuffer<detail::columnRoom<T>() + room> _insert;
    detail::SqlBuffer<detail::columnRoom<T>() + room> _update;
};

/// A table of tenant records: every statement contains the tenant, and its SQL is built at compile time. A constant beside the record:
/// `inline constexpr Table noteTable{"note", &Note::id};`, or with all keys for a part of another record: `{"note", {.where = "deleted_at
/// IS NULL"}, &Note::contactId, &Note::noteId}`. The last key is unique within the tenant. Use SQL for rows looked up before the tenant is
/// known, upserts, joins and aggregates. Thread-safe. Example: tests/data/TableTest.cpp.
template <class T, class... K>
class Table : public BasicTable<T, detail::Owner<Tenant>, K...>
{
public:
    constexpr Table(std::string_view name, K T::*... keys) : Table(name, TableOptions{}, keys...) {}
    constexpr Table(std::string_view name, const TableOptions& options, K T::*... keys)
        : BasicTable<T, detail::Owner<Tenant>, K...>(name, options, keys...)
    {
    }
};

/// A table whose rows belong to no tenant, such as accounts or settings of the installation: `inline constexpr GlobalTable
/// userTable{"users", &User::id};`, `userTable.find(session, id)`. The last key is unique. Never for rows of organizations: use Table for
/// those.
template <class T, class... K>
class GlobalTable : public BasicTable<T, detail::Owner<>, K...>
{
public:
    constexpr GlobalTable(std::string_view name, K T::*... keys) : GlobalTable(name, TableOptions{}, keys...) {}
    /// `options.tenant` is not used.
    constexpr GlobalTable(std::string_view name, const TableOptions& options, K T::*... keys)
        : BasicTable<T, detail::Owner<>, K...>(name, options, keys...)
    {
    }
};

/// Compares tables with the database that the migrations made: each member of a record needs a column of its kind, and a column without a
/// member must be nullable or have a default. Call it in `Plugin::start`: a plugin whose records do not match is rejected before its routes
/// open, and fails its tests. @throws std::runtime_error with every difference
template <class... Tables>
void checkTables(Database& database, const Tables&... tables)
{
    std::vector<std::string> faults;
    {
        auto session = database.session();
        (tables.compare(session, faults), ...);
    }
    if (!faults.empty()) detail::throwTableFaults(faults);
}

} // namespace portico
