#include "pictures/Pictures.h"

#include "portico/Problem.h"

#include <chrono>
#include <string>
#include <vector>

namespace portico::calendar
{

namespace
{
constexpr std::string_view dropJob = "calendar.pictures.drop", sweepJob = "calendar.pictures.sweep";
/// A writer that has taken longer than this has surely given up.
constexpr std::chrono::hours writingTime{1};
constexpr int picturesAtOnce = 100;
} // namespace

void Pictures::start()
{
    const auto run = [this](const Job& job) { sweep(job.stop); };
    _context.jobs().handle(dropJob, run);
    _context.jobs().handle(sweepJob, run);
    // Each dropped picture has a separate job. This one finds pictures that a crash or a rejected change has left behind.
    _context.jobs().every(sweepJob, std::chrono::minutes(15));
}

Picture Pictures::stage(Tenant tenant, const HostId& host, std::string_view contentType, const ReceivedFile& content) const
{
    const auto writer = _context.blobs().create(tenant.text());
    writer->write(content);
    Picture picture;
    picture.createdAt = _context.clock().now();
    picture.pictureId = PictureId::make(picture.createdAt);
    picture.hostId = host;
    picture.url = _context.host().origin + "/public/pictures/" + picture.pictureId.text();
    picture.contentType = contentType;
    picture.size = static_cast<std::int64_t>(content.size());
    picture.blobKey = writer->key();
    picture.removeAt = picture.createdAt + writingTime;
    _context.database().transact([&](Transaction& transaction) { pictureTable.insert(transaction, tenant, picture); });
    writer->commit();
    return picture;
}

void Pictures::adopt(Transaction& transaction, Tenant tenant, const Picture& staged) const
{
    if (transaction.execute("UPDATE picture SET remove_at = NULL WHERE organization_id = $1 AND id = $2 AND remove_at > $3", tenant,
                            staged.pictureId, _context.clock().now()) == 0)
        throw Problem::unavailable("overloaded", "Storing the picture took too long; send it again.");
}

void Pictures::dropUnused(Transaction& transaction, Tenant tenant, const Host& host) const
{
    const auto dropped = transaction.execute("UPDATE picture SET remove_at = 0 WHERE organization_id = $1 AND host_id = $2 AND remove_at "
                                             "IS NULL AND url NOT IN ($3, $4)",
                                             tenant, host.hostId, host.avatarUrl, host.branding.logoUrl);
    if (dropped > 0) _context.jobs().enqueue(transaction, dropJob);
}

void Pictures::sweep(const std::stop_token& stop) const
{
    struct Due
    {
        std::string organizationId;
        PictureId id;
        std::string blobKey;
    };
    for (std::size_t found = picturesAtOnce; found == picturesAtOnce && !stop.stop_requested();)
    {
        std::vector<Due> due;
        _context.database().transact(
            [&](Transaction& transaction)
            {
                due.clear();
                // Marks them first: `adopt` rejects marked pictures.
                transaction.execute("UPDATE picture SET remove_at = 0 WHERE remove_at <= $1", _context.clock().now());
                for (Row row : transaction.query(
                         "SELECT organization_id, id, blob_key FROM picture WHERE remove_at = 0 ORDER BY id LIMIT $1", picturesAtOnce))
                    due.push_back({row.get<std::string>(0), row.get<PictureId>(1), row.get<std::string>(2)});
            });
        // The blob is missing if an earlier run was interrupted, or if its upload ended before the commit.
        for (const auto& picture : due) _context.blobs().remove(picture.blobKey);
        _context.database().transact(
            [&](Transaction& transaction)
            {
                for (const auto& picture : due)
                    transaction.execute("DELETE FROM picture WHERE organization_id = $1 AND id = $2", picture.organizationId, picture.id);
            });
        found = due.size();
    }
}

} // namespace portico::calendar
