#include "privacy/PersonRecords.h"

#include "actions/Action.h"
#include "billing/Checkout.h"
#include "billing/SubscriptionSync.h"
#include "installs/Assignment.h"
#include "installs/Install.h"
#include "launches/Launch.h"
#include "marketing/Lead.h"
#include "notifications/Notification.h"
#include "preferences/Preferences.h"
#include "seats/Seat.h"

#include "portico/Json.h"
#include "portico/Text.h"

namespace portico::launchpad
{

namespace
{
constexpr std::string_view ofPerson[] = {"install", "install_request", "launch", "notification", "preference"};
constexpr std::string_view inPersonalContext[] = {"action", "action_event", "action_count"};

template <class T>
void giveRows(const std::vector<T>& rows, std::string_view kind, const interfaces::PersonalData::Receiver& receive)
{
    for (const auto& row : rows) receive(kind, toJson(row));
}
} // namespace

void PersonRecords::give(const interfaces::Person& person, const Receiver& receive)
{
    auto contexts = person.organizationIds;
    contexts.push_back(person.userId);
    for (const auto& id : contexts)
    {
        const auto tenant = Tenant::fromStored(id);
        auto session = _context.database().session();
        giveRows(installTable.select(tenant).where(&Install::userId, person.userId).all(session), "installs", receive);
        giveRows(installRequestTable.select(tenant).where(&InstallRequest::userId, person.userId).all(session), "installRequests", receive);
        giveRows(launchTable.select(tenant).where(&Launch::userId, person.userId).all(session), "launches", receive);
        giveRows(notificationTable.select(tenant).where(&Notification::userId, person.userId).all(session), "notifications", receive);
        if (const auto preferences = preferenceTable.find(session, tenant, person.userId)) receive("preferences", toJson(*preferences));
        if (tenant.isUser()) giveRows(actionTable.select(tenant).all(session), "actions", receive);
    }
    auto session = _context.database().session();
    for (const auto kind : {PlanKind::Paid, PlanKind::FreeWorkspace})
        giveRows(subscriptions::ofOwner(session, kind, person.userId), "subscriptions", receive);
    giveRows(checkouts::ofPerson(session, person.userId), "checkouts", receive);
    giveRows(seats::ofPerson(session, person.userId), "seats", receive);
    if (person.email.empty()) return;
    const auto email = foldCase(person.email);
    giveRows(waitlistTable.select(installation).where(&WaitlistEntry::emailKey, email).all(session), "waitlist", receive);
    giveRows(demoTable.select(installation).where("lower(email) = ?", email).all(session), "demos", receive);
}

void PersonRecords::forget(const interfaces::Person& person)
{
    auto contexts = person.organizationIds;
    contexts.push_back(person.userId);
    for (const auto& id : contexts)
        _context.database().transact(
            [&](Transaction& transaction)
            {
                const auto tenant = Tenant::fromStored(id);
                for (const auto table : ofPerson)
                    transaction.execute("DELETE FROM " + std::string(table) + " WHERE organization_id = $1 AND user_id = $2", tenant,
                                        person.userId);
                transaction.execute("DELETE FROM assignment WHERE organization_id = $1 AND subject_type = 'user' AND subject_id = $2",
                                    tenant, person.userId);
                if (!tenant.isUser()) return;
                for (const auto table : inPersonalContext)
                    transaction.execute("DELETE FROM " + std::string(table) + " WHERE organization_id = $1", tenant);
            });
    _context.database().transact(
        [&](Transaction& transaction)
        {
            transaction.execute("DELETE FROM seat WHERE assignee_id = $1", person.userId);
            SubscriptionSync::endAll(_context, transaction, person.userId);
            // Purchases stay for accounting. The address is deleted.
            transaction.execute("UPDATE checkout SET email = '', workspace_name = '' WHERE created_by = $1 OR owner_id = $1",
                                person.userId);
            if (person.email.empty()) return;
            const auto email = foldCase(person.email);
            waitlistTable.select(installation).where(&WaitlistEntry::emailKey, email).remove(transaction);
            demoTable.select(installation).where("lower(email) = ?", email).remove(transaction);
        });
}

} // namespace portico::launchpad
