#pragma once

#include "contacts/ContactList.h"
#include "data/SqlText.h"
#include "records/ContactView.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Which contacts an export has, as a statement. Made once, for every pass over them.
class ContactSelection
{
public:
    ContactSelection(const ContactFilter& filter, Dialect dialect, Tenant tenant, const ListSettings& settings);

    Dialect dialect() const noexcept { return _dialect; }
    const std::string& sql() const noexcept { return _sql; }
    const std::vector<SqlValue>& values() const noexcept { return _conditions.values(); }

private:
    Dialect _dialect;
    SqlConditions _conditions;
    std::string _sql;
};

/// Iterates over contacts by time of creation and id. Uses a single statement, so that a filter is evaluated once. Memory is bounded:
/// SQLite returns row by row, PostgreSQL batches of a cursor. One scan at a time in a transaction.
class ContactScan
{
public:
    /// Session, which is in a transaction, and selection outlive it.
    ContactScan(Session& session, const ContactSelection& selection) : _session(session), _selection(selection) {}

    /// The next contact, valid until the next call; null behind the last. @throws DatabaseError
    const ContactView* next();

private:
    void open();
    /// Behind the last row of a batch.
    void close();

    Session& _session;
    const ContactSelection& _selection;
    std::optional<Rows> _rows;
    ContactView _current;
    int _taken = 0;
    bool _begun = false;
    bool _ended = false;
};

} // namespace portico::crm
