#include "privacy/PersonRecords.h"

#include "audit/AuditEvent.h"
#include "content/Post.h"
#include "trends/Seed.h"

#include "portico/Json.h"

namespace portico::social
{

namespace
{
constexpr std::int64_t recordsAtOnce = 200;

/// A post that the person wrote.
struct WrittenPost
{
    PostId postId;
    std::string title;
    std::string text;
    std::vector<ThreadPart> thread;
    Instant createdAt{};
};
constexpr auto schemaOf(const WrittenPost*)
{
    return describe(field<&WrittenPost::postId>().column("id"),
                    members<&WrittenPost::title, &WrittenPost::text, &WrittenPost::thread, &WrittenPost::createdAt>());
}

/// A seed that the person shared, with their note.
struct SharedSeed
{
    SeedId seedId;
    std::string title;
    std::string url;
    std::string note;
    Instant createdAt{};
};
constexpr auto schemaOf(const SharedSeed*)
{
    return describe(field<&SharedSeed::seedId>().column("id"),
                    members<&SharedSeed::title, &SharedSeed::url, &SharedSeed::note, &SharedSeed::createdAt>());
}

/// Something that the person did.
struct OwnEvent
{
    EventId eventId;
    AuditKind kind = AuditKind::ContentCreated;
    Instant occurredAt{};
    std::optional<std::string> reason;
};
constexpr auto schemaOf(const OwnEvent*)
{
    return describe(field<&OwnEvent::eventId>().column("id"), members<&OwnEvent::kind, &OwnEvent::occurredAt, &OwnEvent::reason>());
}

/// Hands over the rows of one statement in batches: `$1` the organization, `$2` the person, `$3` the id after which it continues.
template <class T, class I>
void inPieces(Database& database, Tenant tenant, std::string_view userId, const std::string& sql, I T::*id, std::string_view kind,
              const interfaces::PersonalData::Receiver& receive)
{
    std::string after;
    for (bool more = true; more;)
    {
        const auto piece = [&]
        {
            auto session = database.session();
            return session.all<T>(sql, tenant, userId, after, recordsAtOnce);
        }();
        for (const auto& record : piece) receive(kind, toJson(record));
        more = static_cast<std::int64_t>(piece.size()) == recordsAtOnce;
        if (more) after = (piece.back().*id).text();
    }
}
} // namespace

void PersonRecords::give(const interfaces::Person& person, const Receiver& receive)
{
    for (const auto& organization : person.organizationIds)
    {
        const auto tenant = Tenant::fromStored(organization);
        auto& database = _context.database();
        inPieces<WrittenPost>(database, tenant, person.userId,
                              "SELECT id, title, text, thread, created_at FROM post WHERE organization_id = $1 AND created_by = $2 AND "
                              "deleted_at IS NULL AND id > $3 ORDER BY id LIMIT $4",
                              &WrittenPost::postId, "posts", receive);
        inPieces<SharedSeed>(database, tenant, person.userId,
                             "SELECT id, title, url, note, created_at FROM seed WHERE organization_id = $1 AND shared_by = $2 AND id > $3 "
                             "ORDER BY id LIMIT $4",
                             &SharedSeed::seedId, "seeds", receive);
        inPieces<OwnEvent>(database, tenant, person.userId,
                           "SELECT id, kind, occurred_at, reason FROM audit_event WHERE organization_id = $1 AND actor_id = $2 AND id > $3 "
                           "ORDER BY id LIMIT $4",
                           &OwnEvent::eventId, "events", receive);
    }
}

void PersonRecords::forget(const interfaces::Person& person)
{
    const Actor nameless{ActorType::User, person.userId, {}};
    _context.database().transact(
        [&](Transaction& transaction)
        {
            transaction.execute("UPDATE audit_event SET actor = $2 WHERE actor_id = $1", person.userId, toJson(nameless));
            transaction.execute("DELETE FROM notice_choice WHERE user_id = $1", person.userId);
        });
}

} // namespace portico::social
