#include "billing/WebhookRoutes.h"

#include "billing/EventStore.h"
#include "billing/SignatureHeader.h"
#include "billing/SubscriptionSync.h"

#include "portico/Problem.h"

namespace portico::launchpad
{

namespace
{
constexpr std::uint64_t maxEventBytes = 512 * 1024;
} // namespace

void WebhookRoutes::declare(Routes& routes)
{
    routes.post("/api/webhooks/billing/{processor}", access::open(), &WebhookRoutes::receive, this,
                {.summary = "Receive a signed event of the payment processor",
                 .bodyLimit = maxEventBytes,
                 .idempotencyKey = false,
                 .problems = {"400 signature_invalid", "400 timestamp_outside_tolerance", "413 payload_too_large"},
                 .consumes = {"application/json"}});
}

WebhookReceipt WebhookRoutes::receive(const Request& request, const Path<std::string>& processor, const RawBody& body) const
{
    if (_settings.processor != ProcessorKind::Stripe || *processor != toString(ProcessorKind::Stripe))
        throw Problem::notFound("There is no such payment processor.");
    if (body.data.size() > maxEventBytes) throw Problem::tooLarge("An event has at most 512 KiB.");
    auto header = request.header("Stripe-Signature");
    if (header.empty()) header = request.header("Processor-Signature");
    const auto now = _context.clock().now();
    switch (verifySignature(header, body.data, _settings.webhookSecrets, toMillis(now) / 1000))
    {
    case SignatureCheck::Invalid:
        throw Problem::badRequest("signature_invalid", "The signature does not fit the body and the signing secret.");
    case SignatureCheck::OutsideTolerance:
        throw Problem::badRequest("timestamp_outside_tolerance", "The signature is more than 300 seconds old, or in the future.");
    case SignatureCheck::Valid:
        break;
    }
    const auto event = readEvent(body.data);
    if (!event) throw Problem::badRequest("invalid_event", "The body is not an event of the payment processor.");
    const bool fresh = _context.database().transact(
        [&](Transaction& transaction)
        {
            if (!billing_events::insert(transaction, *event, body.data, now)) return false;
            SubscriptionSync::enqueue(_context, transaction, event->subject);
            return true;
        });
    return {.duplicate = !fresh};
}

} // namespace portico::launchpad
