#pragma once

#include "seats/SubscriptionView.h"

#include "portico/Arguments.h"
#include "portico/Database.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

enum class SeatHolder : std::uint8_t
{
    Human,
    Agent
};

constexpr auto schemaOf(const SeatHolder*)
{
    return portico::choices<SeatHolder>({{"human", SeatHolder::Human}, {"agent", SeatHolder::Agent}});
}

struct SeatAssignee
{
    SeatHolder type = SeatHolder::Human;
    std::string id;
};

constexpr auto schemaOf(const SeatAssignee*)
{
    return describe(field<&SeatAssignee::type>().required(), field<&SeatAssignee::id>().required().maxLength(60));
}

/// An assignee as a caller names them.
struct WantedAssignee
{
    std::optional<SeatHolder> type;
    std::string id;
};

constexpr auto schemaOf(const WantedAssignee*)
{
    return describe(field<&WantedAssignee::type>().description("Default: the type that identity reports for the ID"),
                    field<&WantedAssignee::id>().required().maxLength(60));
}

/// A seat of a paid subscription, assigned to one person or one agent.
struct Seat
{
    SeatId id;
    std::string subscriptionId;
    /// From 0; below the number of purchased seats.
    std::int64_t place = 0;
    SeatHolder assigneeType = SeatHolder::Human;
    std::string assigneeId;
    std::string assignedBy;
    Instant assignedAt{};
};

constexpr auto schemaOf(const Seat*)
{
    return describe(members<&Seat::id, &Seat::subscriptionId, &Seat::place, &Seat::assigneeType, &Seat::assigneeId, &Seat::assignedBy,
                            &Seat::assignedAt>());
}

/// Rows of seats.
namespace seats
{
std::optional<Seat> find(Session& session, std::string_view id);
std::vector<Seat> ofSubscription(Session& session, std::string_view subscriptionId);
/// A page of them, by their places.
Page<Seat> pageOf(Session& session, std::string_view subscriptionId, const Paging& paging);
std::vector<Seat> ofPerson(Session& session, std::string_view userId);
SeatCounts countsOf(Session& session, const Subscription& subscription);
/// Assigns the lowest free place. The caller holds the owner's lock; the unique keys of places and assignees are the last guard.
/// @throws Problem 409 `already_seated`, `seat_limit_reached`
Seat assign(Transaction& transaction, const Subscription& subscription, SeatAssignee assignee, std::string_view by, Instant now);
/// Frees a seat. @return false if there is none
bool free(Transaction& transaction, std::string_view id);
} // namespace seats

} // namespace portico::launchpad
