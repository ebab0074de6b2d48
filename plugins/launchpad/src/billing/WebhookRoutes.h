#pragma once

#include "billing/BillingSettings.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

#include <string>

namespace portico::launchpad
{

struct WebhookReceipt
{
    bool received = true;
    bool duplicate = false;
};

constexpr auto schemaOf(const WebhookReceipt*) { return describe(members<&WebhookReceipt::received, &WebhookReceipt::duplicate>()); }

/// Receives events of the processor: verifies the signature of the raw body, commits the event and the job that processes it, and then
/// answers. Thread-safe.
class WebhookRoutes
{
public:
    WebhookRoutes(PluginContext& context, const BillingSettings& settings) : _context(context), _settings(settings) {}
    void declare(Routes& routes);

    WebhookReceipt receive(const Request& request, const Path<std::string>& processor, const RawBody& body) const;

private:
    PluginContext& _context;
    const BillingSettings& _settings;
};

} // namespace portico::launchpad
