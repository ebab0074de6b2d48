#include "contacts/MissingWords.h"

#include <stdexcept>
#include <string>

namespace portico::crm
{

namespace
{

bool anyLackWords(PluginContext& context)
{
    auto session = context.database().session();
    return lackWords(session);
}

} // namespace

void requestMissingWords(PluginContext& context)
{
    if (!anyLackWords(context)) return;
    context.database().transact([&](Transaction& transaction)
                                { context.jobs().enqueue(transaction, missingWordsJob, {.dedupeKey = std::string(missingWordsJob)}); });
}

void addMissingWords(PluginContext& context, const Job& job)
{
    const auto addSome = [](Transaction& transaction) { return addMissingWords(transaction); };
    while (context.database().transact(addSome) > 0)
        if (job.stop.stop_requested()) throw std::runtime_error("Asked to stop: goes on at the next run");
    if (anyLackWords(context)) throw std::runtime_error("Some contacts are being changed: goes on at the next run");
}

} // namespace portico::crm
