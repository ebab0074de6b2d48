#pragma once

#include "pictures/Picture.h"
#include "records/Host.h"

#include "portico/Plugin.h"

#include <stop_token>

namespace portico::calendar
{

/// Stores the pictures of hosts. A picture exists as long as its host uses its address as `avatarUrl` or as the logo. Bytes are written and
/// deleted outside of transactions. Thread-safe.
class Pictures
{
public:
    explicit Pictures(PluginContext& context) : _context(context) {}

    /// Starts the jobs that delete unused pictures.
    void start();
    /// Writes the bytes; call it outside of a transaction. The picture is not public before `adopt`. Without `adopt` it is deleted within a
    /// day, also after a crash.
    /// @throws Problem 413 over the quota
    Picture stage(Tenant tenant, const HostId& host, std::string_view contentType, const ReceivedFile& content) const;
    /// Assigns the picture to the host. @throws Problem 503 if it was staged too long ago
    void adopt(Transaction& transaction, Tenant tenant, const Picture& staged) const;
    /// Schedules the deletion of pictures that the host no longer uses. Call it in the transaction that changes an address.
    void dropUnused(Transaction& transaction, Tenant tenant, const Host& host) const;

private:
    void sweep(const std::stop_token& stop) const;

    PluginContext& _context;
};

} // namespace portico::calendar
