#pragma once

#include "pipelines/HistoryEntry.h"

#include "portico/Arguments.h"
#include "portico/Caller.h"
#include "portico/Database.h"
#include "portico/Results.h"

#include <optional>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// The moves of contacts on their boards. Every statement names the organization. Holds SQL only, so one object serves all threads.
class HistoryStore
{
public:
    /// A page of the contact's moves, on the pipelines that the caller reaches. The caller has made sure that the contact exists.
    Page<HistoryEntry> list(Session& session, const Caller& caller, const ContactId& contactId, const HistoryFilter& filter,
                            const Paging& paging) const;
    /// As many as the first page of `list` has by default.
    std::vector<HistoryEntry> firstPage(Session& session, const Caller& caller, const ContactId& contactId) const;

    /// The contact's latest entry: when, and its id.
    struct Latest
    {
        Instant movedAt{};
        std::string historyId;
    };
    Latest latest(Session& session, Tenant tenant, const ContactId& contactId) const;
    void insert(Transaction& transaction, Tenant tenant, const HistoryEntry& entry) const;

    /// Gives a contact's history to another; which entries.
    std::vector<HistoryId> give(Transaction& transaction, Tenant tenant, const ContactId& from, const ContactId& to) const;
    /// Gives these entries of a contact to another.
    void giveBack(Transaction& transaction, Tenant tenant, const ContactId& from, const ContactId& to,
                  const std::vector<HistoryId>& entries) const;
};

} // namespace portico::crm
