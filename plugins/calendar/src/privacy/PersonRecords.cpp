#include "privacy/PersonRecords.h"

#include "hosttime/ExternalBusy.h"
#include "records/Booking.h"
#include "records/EmbedGrant.h"
#include "records/Host.h"
#include "records/Schedule.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>
#include <cctype>

namespace portico::calendar
{

namespace
{
constexpr int pieceOfBookings = 200;

/// Data that a person entered as the guest of a booking.
struct BookedAsGuest
{
    std::string organizationId;
    BookingId bookingId;
    std::string title;
    Instant start{};
    Instant end{};
    Guest guest;
    std::vector<Answer> answers;
    std::string notes;
};

constexpr auto schemaOf(const BookedAsGuest*)
{
    return describe(field<&BookedAsGuest::organizationId>(), field<&BookedAsGuest::bookingId>().column("id"),
                    field<&BookedAsGuest::title>(), field<&BookedAsGuest::start>().column("start_at"),
                    field<&BookedAsGuest::end>().column("end_at"),
                    members<&BookedAsGuest::guest, &BookedAsGuest::answers, &BookedAsGuest::notes>());
}

/// Data that a guest entered about an additional guest.
struct BroughtAlong
{
    std::string organizationId;
    BookingId bookingId;
    std::string title;
    Instant start{};
    Instant end{};
    std::vector<AdditionalGuest> additionalGuests;
};

constexpr auto schemaOf(const BroughtAlong*)
{
    return describe(field<&BroughtAlong::organizationId>(), field<&BroughtAlong::bookingId>().column("id"), field<&BroughtAlong::title>(),
                    field<&BroughtAlong::start>().column("start_at"), field<&BroughtAlong::end>().column("end_at"),
                    field<&BroughtAlong::additionalGuests>());
}

bool sameAddress(std::string_view one, std::string_view other)
{
    return std::ranges::equal(one, other, [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

/// A JSON text with the address in it, for LIKE with `\\` as the escape character.
std::string holding(std::string_view address)
{
    std::string pattern = "%\"";
    for (const char c : address)
    {
        if (c == '%' || c == '_' || c == '\\') pattern += '\\';
        pattern += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return pattern + "\"%";
}

/// Returns the next bookings after an id with this person as an additional guest. Other additional guests are left out. No index supports
/// the query: it runs only for an account's export or deletion.
std::vector<BroughtAlong> broughtAlong(Session& session, std::string_view address, std::string_view after)
{
    return session.all<BroughtAlong>("SELECT organization_id, id, title, start_at, end_at, additional_guests FROM booking WHERE "
                                     "lower(additional_guests) LIKE $1 ESCAPE '\\' AND id > $2 ORDER BY id LIMIT $3",
                                     holding(address), after, pieceOfBookings);
}

/// A piece of the bookings of an address, behind an id.
std::vector<BookedAsGuest> bookedBy(Session& session, std::string_view address, std::string_view after)
{
    return session.all<BookedAsGuest>("SELECT organization_id, id, title, start_at, end_at, guest, answers, notes FROM booking WHERE "
                                      "guest_email = $1 AND id > $2 ORDER BY id LIMIT $3",
                                      foldCase(address), after, pieceOfBookings);
}
} // namespace

void PersonRecords::give(const interfaces::Person& person, const Receiver& receive)
{
    for (const auto& organization : person.organizationIds)
    {
        const auto tenant = Tenant::fromStored(organization);
        auto session = _tools.database().session();
        auto host = hostTable.select(tenant).where(&Host::userId, person.userId).first(session);
        if (!host) continue;
        host->organizationId = organization;
        receive("hosts", toJson(*host));
        for (const auto& schedule : scheduleTable.select(tenant).where(&Schedule::hostId, host->hostId).all(session))
            receive("schedules", toJson(schedule));
        for (const auto& type : eventTypeTable.select(tenant).where(&EventType::hostId, host->hostId).all(session))
            receive("eventTypes", toJson(type));
        for (const auto& calendar : externalCalendarTable.select(tenant).where(&ExternalCalendar::hostId, host->hostId).all(session))
            receive("externalCalendars", toJson(calendar));
        for (const auto& picture : pictureTable.select(tenant).where(&Picture::hostId, host->hostId).all(session))
            if (!picture.removeAt) receive("pictures", toJson(picture));
        for (auto& grant : embedTable.select(tenant).where(&EmbedGrant::hostId, host->hostId).all(session))
        {
            grant.status = grant.statusAt(_tools.now());
            receive("embedGrants", toJson(grant));
        }
    }
    if (person.email.empty()) return;
    inPieces(bookedBy, person.email, [&](const BookedAsGuest& booking) { receive("bookings", toJson(booking)); });
    inPieces(broughtAlong, person.email,
             [&](BroughtAlong booking)
             {
                 std::erase_if(booking.additionalGuests, [&](const auto& guest) { return !sameAddress(guest.email, person.email); });
                 if (!booking.additionalGuests.empty()) receive("bookingsAsCompany", toJson(booking));
             });
}

template <class Read, class Use>
void PersonRecords::inPieces(const Read& read, std::string_view address, const Use& use) const
{
    std::string after;
    for (bool more = true; more;)
    {
        const auto piece = [&]
        {
            auto session = _tools.database().session();
            return read(session, address, after);
        }();
        for (const auto& each : piece) use(each);
        more = piece.size() == pieceOfBookings;
        if (more) after = piece.back().bookingId.text();
    }
}

void PersonRecords::forget(const interfaces::Person& person)
{
    for (const auto& organization : person.organizationIds) forgetHost(Tenant::fromStored(organization), person.userId);
    if (!person.email.empty()) forgetGuest(person.email);
}

void PersonRecords::cancelAhead(Tenant tenant, const HostId& host) const
{
    const auto open = [&]
    {
        auto session = _tools.database().session();
        return session.values<BookingId>("SELECT id FROM booking WHERE organization_id = $1 AND host_id = $2 AND end_at > $3 AND status IN "
                                         "('pending', 'confirmed') ORDER BY id",
                                         tenant, host, _tools.now());
    }();
    for (const auto& id : open) try
        {
            _bookings.cancel(tenant, id, Party::System, {});
        }
        catch (const Problem& problem)
        {
            // The guest was quicker.
            if (problem.status() != 409) throw;
        }
}

void PersonRecords::forgetHost(Tenant tenant, std::string_view userId) const
{
    const auto known = [&]
    {
        auto session = _tools.database().session();
        return hostTable.select(tenant).where(&Host::userId, std::string(userId)).first(session);
    }();
    if (!known) return;
    // Cancels before the erasure, so that the mails to guests still name the host.
    cancelAhead(tenant, known->hostId);
    _tools.database().transact(
        [&](Transaction& transaction)
        {
            const auto host = hostTable.select(tenant).where(&Host::userId, std::string(userId)).first(transaction);
            if (!host) return;
            const auto bare = [&](Host& rest)
            {
                // Replaces the user id by a unique value, because its index is unique.
                rest.userId = "forgotten:" + rest.hostId.text();
                rest.handle = rest.userId;
                rest.displayName = "Former member";
                rest.headline = rest.bio = rest.avatarUrl = {};
                rest.branding = {};
                rest.status = HostStatus::Paused;
            };
            _pictures.dropUnused(transaction, tenant,
                                 hostTable.change(transaction, tenant, host->hostId, IfMatch(""), {_tools.now()}, bare));
            for (const auto& calendar :
                 externalCalendarTable.select(tenant).where(&ExternalCalendar::hostId, host->hostId).all(transaction))
            {
                forgetBusy(transaction, tenant, calendar);
                externalCalendarTable.erase(transaction, tenant, host->hostId, calendar.calendarId);
            }
            embedTable.select(tenant).where(&EmbedGrant::hostId, host->hostId).remove(transaction);
            transaction.execute("DELETE FROM host_handle WHERE organization_id = $1 AND host_id = $2", tenant, host->hostId);
        });
}

void PersonRecords::rewrite(Transaction& transaction, Tenant tenant, const BookingId& id, const std::function<void(Booking&)>& edit) const
{
    bookingTable.change(transaction, tenant, id, IfMatch(""), {_tools.now()}, edit);
    _events.happened(transaction, {}, _bookings.find(transaction, tenant, id));
}

void PersonRecords::forgetGuest(std::string_view address) const
{
    for (std::size_t found = pieceOfBookings; found == pieceOfBookings;)
        found = _tools.database().transact(
            [&](Transaction& transaction)
            {
                const auto bookings = bookedBy(transaction, address, {});
                for (const auto& booked : bookings)
                {
                    const auto erase = [&](Booking& booking)
                    {
                        booking.guest = {"Former guest", "", std::nullopt, booking.guest.timeZone, {}};
                        booking.guestEmail = booking.guestName = booking.notes = booking.hostNote = {};
                        booking.additionalGuests.clear();
                        booking.answers.clear();
                        // Free texts may mention the person.
                        if (booking.cancellation) booking.cancellation->reason = {};
                        if (booking.approval) booking.approval->reason = {};
                        for (auto& before : booking.previousStart) before.reason = {};
                    };
                    rewrite(transaction, Tenant::fromStored(booked.organizationId), booked.bookingId, erase);
                }
                return bookings.size();
            });
    inPieces(broughtAlong, address,
             [&](const BroughtAlong& found)
             {
                 const auto leave = [&](Booking& booking)
                 { std::erase_if(booking.additionalGuests, [&](const auto& guest) { return sameAddress(guest.email, address); }); };
                 _tools.database().transact([&](Transaction& transaction)
                                            { rewrite(transaction, Tenant::fromStored(found.organizationId), found.bookingId, leave); });
             });
}

} // namespace portico::calendar
