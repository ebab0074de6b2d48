#include "notices/NoticeRoutes.h"

namespace portico::social
{

void NoticeRoutes::declare(Routes& routes)
{
    routes
        .get("/api/mail-settings", access::bearer("content:read"), &NoticeRoutes::show, this,
             {.summary = "Read the mail preferences of the caller"})
        .patch("/api/mail-settings", access::bearer("content:read"), &NoticeRoutes::change, this,
               {.summary = "Change the mail preferences of the caller"});
}

NoticeChoice NoticeRoutes::show(const Caller& caller) const
{
    auto session = _context.database().session();
    return noticeChoiceTable.find(session, caller.tenant(), caller.principalId).value_or(NoticeChoice{caller.principalId, true, true, {}});
}

NoticeChoice NoticeRoutes::change(const Caller& caller, const Body<Patch<NoticeChoice>>& patch) const
{
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            auto choice = noticeChoiceTable.findForUpdate(transaction, caller.tenant(), caller.principalId);
            const bool isNew = !choice;
            if (isNew) choice = NoticeChoice{caller.principalId, true, true, {}};
            patch->applyTo(*choice);
            if (isNew)
                noticeChoiceTable.insert(transaction, caller.tenant(), *choice);
            else
                noticeChoiceTable.update(transaction, caller.tenant(), *choice);
            return *choice;
        });
}

} // namespace portico::social
