#include "providers/LinkedAccountRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "permissions/Actor.h"
#include "providers/ProviderAccounts.h"
#include "users/AccountNotices.h"

namespace portico::identity
{

namespace
{
} // namespace

void LinkedAccountRoutes::declare(Routes& routes)
{
    routes
        .get("/api/auth/linked-accounts", access::bearer(), &LinkedAccountRoutes::list, this,
             {.summary = "List the caller's linked accounts", .onEveryOrigin = true})
        .del("/api/auth/linked-accounts/{id}", access::bearer().inPerson().freshProof(), &LinkedAccountRoutes::remove, this,
             {.summary = "Unlink an account", .onEveryOrigin = true, .problems = {"403 step_up_required", "409 last_sign_in_method"}})
        .post("/api/auth/linked-accounts/{providerId}/start", access::bearer().inPerson().freshProof(), &LinkedAccountRoutes::start, this,
              {.summary = "Start to link an account",
               .onEveryOrigin = true,
               .idempotencyKey = false,
               .problems = {"403 account_not_linked", "403 step_up_required"}});
}

Page<LinkedAccount> LinkedAccountRoutes::list(const Caller& caller, const Paging& paging) const
{
    const auto owner = caller.userId();
    auto session = _core.database.snapshot();
    auto page = linkedAccountTable.select(owner).orderBy(&LinkedAccount::linkedAt).page(session, paging);
    for (auto& link : page.items)
    {
        link.subjectMasked = linked_accounts::masked(link.subject);
        if (const auto provider = identity_providers::find(session, link.providerId)) link.name = provider->name;
    }
    return page;
}

NoContent LinkedAccountRoutes::remove(const Caller& caller, const Request& request, const Path<LinkedAccountId>& id)
{
    const auto owner = caller.userId();
    _core.changes.run({owner},
                      [&](Transaction& transaction)
                      {
                          const auto now = _core.clock.now();
                          requireElevation(transaction, caller, now);
                          if (!linkedAccountTable.exists(transaction, owner, *id)) throw Problem::notFound();
                          if (!linked_accounts::hasOtherWay(transaction, owner, *id))
                              throw Problem::conflict("last_sign_in_method",
                                                      "Nothing else signs you in: choose a password or add a passkey first.");
                          linkedAccountTable.erase(transaction, owner, *id);
                          AuditLog::of(request, now).record(transaction, "account.unlinked", *id);
                          _core.notices.tell(transaction, owner.text(), &AccountChangeMail::unlinked);
                      });
    return {};
}

LinkStarted LinkedAccountRoutes::start(const Caller& caller, const Path<IdentityProviderId>& id, const Body<LinkStart>& input)
{
    const auto owner = caller.userId();
    const auto provider = [&]
    {
        auto session = _core.database.session();
        auto found = identity_providers::find(session, *id);
        const bool open = found && found->usable() &&
                          (!found->organizationId || session.value<std::int64_t>("SELECT 1 FROM memberships WHERE organization_id = $1 "
                                                                                 "AND user_id = $2 AND status = 'active'",
                                                                                 *found->organizationId, owner));
        if (!open) throw Problem::notFound("There is no such provider.");
        ProviderAccounts::requireMayOpen(session, *found, users::find(session, owner.text()).value());
        return *std::move(found);
    }();
    if (returnFault(_core, *_core.catalog.snapshot(), identityServiceId, input->returnTo))
        throw Problem::invalid("returnTo", "not_registered", "A path of identity, or a page of a registered origin.");
    return {_signIns.linkUrl(owner, provider, input->returnTo)};
}

} // namespace portico::identity
