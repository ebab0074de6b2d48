#pragma once

#include "contacts/ContactList.h"
#include "contacts/ContactView.h"
#include "data/SqlText.h"

#include "portico/Database.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace portico::crm
{

/// Which contacts an export has, as a statement. Made once, for every pass over them.
class ContactSelection
{
public:
    ContactSelection(const ContactFilter& filter, const ContactText& text, Dialect dialect, std::string_view organizationId,
                     const ListSettings& settings);

    /// Rows after the place ($n, $n+1), at most $n+2 of them.
    const std::string& sql() const noexcept { return _sql; }
    const std::vector<SqlValue>& values() const noexcept { return _conditions.values(); }

private:
    SqlConditions _conditions;
    std::string _sql;
};

/// Goes through contacts by time of creation and id, a batch at a time, so that memory does not grow with their number.
class ContactScan
{
public:
    /// Session and selection outlive it.
    ContactScan(Session& session, const ContactSelection& selection) : _session(session), _selection(selection) {}

    /// The next contact, valid until the next call; null behind the last. @throws DatabaseError
    const ContactView* next();

private:
    void readBatch();

    Session& _session;
    const ContactSelection& _selection;
    std::deque<ContactView> _batch;
    ContactView _current;
    std::int64_t _createdAt = 0;
    std::string _id;
    bool _first = true;
    bool _last = false;
};

} // namespace portico::crm
