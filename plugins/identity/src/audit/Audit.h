#pragma once

#include "audit/EventName.h"
#include "common/AuditEntry.h"
#include "common/Requests.h"

#include "portico/Database.h"
#include "portico/Json.h"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Details of an entry: a described record, or members with their values, in this order. Texts are escaped.
class AuditDetails
{
public:
    struct Member
    {
        template <class T>
        Member(std::string_view member, const T& value) : name(member)
        {
            if constexpr (std::convertible_to<const T&, std::string_view>)
                appendJsonString(json, value);
            else
                json = toJson(value);
        }
        std::string_view name;
        std::string json;
    };

    AuditDetails() = default;
    AuditDetails(std::initializer_list<Member> members);
    AuditDetails(const Json& object) : _json(object.text) {}
    template <Described T>
    requires(!std::convertible_to<const T&, std::string_view>) AuditDetails(const T& record) : _json(toJson(record)) {}

    const std::string& json() const noexcept { return _json; }

private:
    std::string _json = "{}";
};

/// Subject of an entry: the id of a record, or a text. Must not outlive either.
struct AuditSubject
{
    AuditSubject() = default;
    template <class T>
    AuditSubject(const T& subject)
    {
        if constexpr (std::convertible_to<const T&, std::string_view>)
            text = subject;
        else
            text = subject.text();
    }
    std::string_view text;
};

/// Writes the audit trail for one request or job. Its entries have the same time, client, actor, service and organization. An entry and
/// its webhook messages are written in the transaction of the change. A hash chains it to the entry before, so that `firstBroken` finds
/// changed, removed and inserted rows.
class AuditLog
{
public:
    using Organization = std::optional<OrganizationId>;
    /// For the caller. Without `organization`: in the one that the caller acts in.
    static AuditLog of(const Request& request, Instant now, const Organization& organization = {});
    /// For the caller. Without `organization`: in none.
    static AuditLog personal(const Request& request, Instant now, const Organization& organization = {});
    /// For a user whom the request has not authenticated, or for whom a job acts. `client` of a job is empty.
    static AuditLog ofUser(const Client& client, AuditSubject user, Instant now, std::string_view serviceId = identityServiceId);
    static AuditLog anonymous(const Client& client, Instant now, std::string_view serviceId = identityServiceId);
    /// For the installation itself: a job, or a command of the operator.
    static AuditLog ofOperator(Instant now, const Organization& organization = {});

    AuditLog in(const Organization& organization) const;

    void record(Transaction& transaction, EventName event, AuditSubject subject = {}, const AuditDetails& details = {}) const;
    /// Records a refused attempt.
    void refused(Transaction& transaction, EventName event, AuditSubject subject = {}, const AuditDetails& details = {}) const;

private:
    AuditLog(const Client& client, Instant now, std::string_view actorType, std::string_view actorId, std::string_view serviceId,
             const Organization& organization = {});
    void write(Transaction& transaction, AuditEntry entry, EventName event, AuditSubject subject, const AuditDetails& details) const;

    Client _client;
    Instant _now;
    /// Members that all entries have in common.
    AuditEntry _common;
};

namespace audit
{
/// Returns the sequence number of the first entry whose hash is wrong; empty if the chain is intact.
std::optional<std::int64_t> firstBroken(Session& session);
} // namespace audit

} // namespace portico::identity
