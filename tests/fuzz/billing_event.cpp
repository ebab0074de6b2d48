// Events of the payment processor, and the objects in them.

#include "fuzz/Require.h"

#include "billing/ObjectRow.h"
#include "billing/ProcessorObjects.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace portico::launchpad;
using portico::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    readPreview(text);
    readListIds(text);
    readText(text, "id");
    const auto event = readEvent(text);
    if (!event) return 0;
    require(!event->id.empty() && !event->type.empty() && !event->subject.empty() && event->created >= 0);
    require(event->id.size() <= 200 && event->subject.size() <= 200);
    // The object of an event is read again from its text.
    Subscription row;
    if (const auto object = readSubscription(event->object))
    {
        require(object->quantity >= 0 && object->unitAmount >= 0);
        applyObject(row, *object, {});
        require(row.processorSubscriptionId == object->id && row.seats == object->quantity);
    }
    if (const auto invoice = readInvoice(event->object)) applyInvoice(row, *invoice, {});
    if (const auto session = readSession(event->object)) require(!session->id.empty());
    require(stampOf(*event) == stampOf(*readEvent(text)));
    pastDueSince({*event});
    return 0;
}
