#include "contacts/MissingWords.h"

#include <stdexcept>
#include <string>

namespace portico::crm
{

namespace
{

bool lacksWords(PluginContext& context, const ContactText& text)
{
    auto session = context.database().session();
    return text.lacksWords(session);
}

} // namespace

void requestMissingWords(PluginContext& context, const ContactText& text)
{
    if (!lacksWords(context, text)) return;
    context.database().transact(
        [&](Transaction& transaction)
        { context.jobs().enqueue(transaction, missingWordsJob, "{}", {.dedupeKey = std::string(missingWordsJob)}); });
}

void addMissingWords(PluginContext& context, const ContactText& text, const Job& job)
{
    const auto addSome = [&](Transaction& transaction) { return text.addMissingWords(transaction); };
    while (context.database().transact(addSome) > 0)
        if (job.stop.stop_requested()) throw std::runtime_error("Asked to stop: goes on at the next run");
    if (lacksWords(context, text)) throw std::runtime_error("Some contacts are being changed: goes on at the next run");
}

} // namespace portico::crm
