#include "merges/Dismissals.h"

#include "contacts/ContactDuplicates.h"

#include "portico/Crypto.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

/// Two contacts in the order of their ids.
struct OrderedPair
{
    OrderedPair(const Contact& one, const Contact& other) : first(one.id < other.id ? one : other), second(one.id < other.id ? other : one)
    {
    }
    const Contact& first;
    const Contact& second;
};

std::string digestOf(const std::string& shared) { return sha256(shared).hex(); }

template <class F>
void forEachPair(const std::vector<Contact>& contacts, const F& take)
{
    for (std::size_t i = 0; i < contacts.size(); ++i)
        for (std::size_t k = i + 1; k < contacts.size(); ++k) take(OrderedPair(contacts[i], contacts[k]));
}

} // namespace

void dismissPairs(Transaction& transaction, Tenant tenant, const std::vector<Contact>& contacts, const Stamp& stamp)
{
    forEachPair(contacts,
                [&](const OrderedPair& pair)
                {
                    const auto shared = whatTheyShare(pair.first, pair.second);
                    if (shared.empty()) return;
                    transaction.execute("INSERT INTO contact_distinct (organization_id, first_id, second_id, shared, dismissed_at, "
                                        "dismissed_by) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (organization_id, first_id, second_id) "
                                        "DO UPDATE SET shared = excluded.shared, dismissed_at = excluded.dismissed_at, "
                                        "dismissed_by = excluded.dismissed_by",
                                        tenant, pair.first.id, pair.second.id, digestOf(shared), stamp.now, stamp.by);
                });
}

void undismissPairs(Transaction& transaction, Tenant tenant, const std::vector<Contact>& contacts)
{
    forEachPair(contacts, [&](const OrderedPair& pair) { dismissalTable.erase(transaction, tenant, pair.first.id, pair.second.id); });
}

Dismissals::Dismissals(Session& session, Tenant tenant)
    : _session(session), _tenant(tenant), _any(dismissalTable.select(tenant).exists(session))
{
}

bool Dismissals::hide(const Contact& one, const Contact& other) const
{
    if (!_any) return false;
    const OrderedPair pair(one, other);
    const auto dismissal = dismissalTable.find(_session, _tenant, pair.first.id, pair.second.id);
    return dismissal && dismissal->shared == digestOf(whatTheyShare(pair.first, pair.second));
}

} // namespace portico::crm
