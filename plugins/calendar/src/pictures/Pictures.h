#pragma once

#include "pictures/Picture.h"
#include "records/Host.h"

#include "portico/Plugin.h"

#include <stop_token>

namespace portico::calendar
{

/// Keeps the pictures of hosts. One stays for as long as its host names its address, as `avatarUrl` or as the logo; bytes are written and
/// removed outside of transactions. Thread-safe.
class Pictures
{
public:
    explicit Pictures(PluginContext& context) : _context(context) {}

    /// Has what nobody shows removed by jobs.
    void start();
    /// Writes the bytes; call it outside of a transaction. Nobody sees it before `adopt`; without that it is removed within a day, also
    /// after a crash. @throws Problem 413 over the quota
    Picture stage(Tenant tenant, const HostId& host, std::string_view contentType, const ReceivedFile& content) const;
    /// It is the host's from now on. @throws Problem 503 when it was staged too long ago
    void adopt(Transaction& transaction, Tenant tenant, const Picture& staged) const;
    /// Has those removed whose address the host names no more: call it in the transaction that changes an address.
    void dropUnused(Transaction& transaction, Tenant tenant, const Host& host) const;

private:
    void sweep(const std::stop_token& stop) const;

    PluginContext& _context;
};

} // namespace portico::calendar
