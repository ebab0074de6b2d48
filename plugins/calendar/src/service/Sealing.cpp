#include "service/Sealing.h"

namespace portico::calendar
{

Sealer openSealer(PluginContext& context)
{
    std::string lines = context.config().secret("calendar.sealingKeys");
    context.database().transact(
        [&](Transaction& transaction)
        {
            // If two hosts start concurrently, one of them inserts the key.
            transaction.execute("INSERT INTO sealing_key (id, secret, created_at) VALUES ('db', $1, $2) ON CONFLICT (id) DO NOTHING",
                                randomToken(), context.clock().now());
        });
    auto session = context.database().session();
    lines += "\ndb " + *session.value<std::string>("SELECT secret FROM sealing_key WHERE id = 'db'");
    return Sealer::parse(lines);
}

} // namespace portico::calendar
