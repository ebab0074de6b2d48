#include "billing/Checkout.h"

namespace portico::launchpad
{

bool isMarkable(const Checkout& checkout) { return checkout.processor == ProcessorKind::Manual && checkout.status == CheckoutStatus::Open; }

} // namespace portico::launchpad

namespace portico::launchpad::checkouts
{

namespace
{
constexpr std::int64_t rowsAtOnce = 500;

std::string selectWhere(std::string_view condition)
{
    return "SELECT " + columns<Checkout>() + " FROM checkout WHERE " + std::string(condition);
}
} // namespace

std::optional<Checkout> find(Session& session, std::string_view id) { return session.one<Checkout>(selectWhere("id = $1"), id); }

std::optional<Checkout> findBySession(Session& session, std::string_view processorSessionId)
{
    return session.one<Checkout>(selectWhere("processor_session_id = $1 AND processor_session_id <> ''"), processorSessionId);
}

std::optional<Checkout> findBySubscription(Session& session, std::string_view processorSubscriptionId)
{
    return session.one<Checkout>(selectWhere("processor_subscription_id = $1 AND processor_subscription_id <> ''"),
                                 processorSubscriptionId);
}

std::optional<Checkout> findOpenByRequest(Session& session, std::string_view requestKey)
{
    return session.one<Checkout>(selectWhere("request_key = $1 AND status = 'open'"), requestKey);
}

std::vector<Checkout> ofPerson(Session& session, std::string_view userId)
{
    return session.all<Checkout>(selectWhere("created_by = $1 OR owner_id = $1 ORDER BY id"), userId);
}

std::vector<Checkout> openOf(Session& session, std::string_view ownerId)
{
    return session.all<Checkout>(selectWhere("owner_id = $1 AND status = 'open' ORDER BY id"), ownerId);
}

std::vector<Checkout> newest(Session& session, std::int64_t limit)
{
    return session.all<Checkout>("SELECT " + columns<Checkout>() + " FROM checkout ORDER BY id DESC LIMIT $1", limit);
}

void each(Session& session, const std::function<void(const Checkout&)>& function)
{
    std::string after;
    for (;;)
    {
        const auto rows = session.all<Checkout>(selectWhere("id > $1 ORDER BY id LIMIT $2"), after, rowsAtOnce);
        for (const auto& row : rows) function(row);
        if (static_cast<std::int64_t>(rows.size()) < rowsAtOnce) return;
        after = rows.back().id.text();
    }
}

void insert(Transaction& transaction, const Checkout& checkout) { transaction.insert("checkout", checkout, {}); }

void update(Transaction& transaction, Checkout& checkout, Instant now)
{
    const auto before = checkout.version++;
    checkout.updatedAt = now;
    if (transaction.update("checkout", checkout, {}, {"id", "version"}, checkout.id, before) == 0)
        throw DatabaseError(DatabaseError::Kind::Serialization, "40001", {}, "the checkout was changed by another writer");
}

} // namespace portico::launchpad::checkouts
