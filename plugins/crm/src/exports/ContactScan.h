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

/// Goes through contacts by time of creation and id. It is one statement, so that a filter is worked out once, and memory does not grow
/// with their number: SQLite gives row by row, PostgreSQL a batch at a time of a cursor. One at a time in a transaction.
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
