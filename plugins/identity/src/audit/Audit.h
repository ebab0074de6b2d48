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

/// Record or thing that an entry is about: its id, or a text. The view is valid as long as that.
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

/// The audit trail as one request or job writes it: its entries have the same time, client, actor, service and organization. An entry is
/// written in the transaction of its change, and chained to the one before by hash, so that a changed, removed or inserted row shows. The
/// webhook messages of an entry are written with it.
class AuditLog
{
public:
    using Organization = std::optional<OrganizationId>;
    /// The caller, in an organization; empty: in the one that they act in.
    static AuditLog of(const Request& request, Instant now, const Organization& organization = {});
    /// The caller; empty: in no organization.
    static AuditLog personal(const Request& request, Instant now, const Organization& organization = {});
    /// A user whom the request has not authenticated, or whom a job acts for; then `client` is empty.
    static AuditLog ofUser(const Client& client, AuditSubject user, Instant now, std::string_view serviceId = identityServiceId);
    static AuditLog anonymous(const Client& client, Instant now, std::string_view serviceId = identityServiceId);
    /// The installation itself: a job, or a command of the operator.
    static AuditLog ofOperator(Instant now, const Organization& organization = {});

    AuditLog in(const Organization& organization) const;

    void record(Transaction& transaction, EventName event, AuditSubject subject = {}, const AuditDetails& details = {}) const;
    /// An attempt that was refused.
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
/// Sequence number of the first entry whose hash is wrong; empty for a sound chain.
std::optional<std::int64_t> firstBroken(Session& session);
} // namespace audit

} // namespace portico::identity
