#pragma once

#include "billing/Checkout.h"
#include "billing/ProcessorObjects.h"

#include "portico/Plugin.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::launchpad
{

/// Version of Stripe's API that every call names.
inline constexpr std::string_view processorApiVersion = "2025-03-31.basil";

using FormFields = std::vector<std::pair<std::string, std::string>>;

/// An answer of the processor.
struct ProcessorAnswer
{
    enum class Outcome : std::uint8_t
    {
        Done,
        NotFound,
        /// The processor did not accept the call: repeating it changes nothing.
        Rejected,
        /// No answer, one of 5xx or 429, or none of the API. The call may have been carried out.
        Unavailable
    };
    Outcome outcome = Outcome::Unavailable;
    int status = 0;
    /// JSON text of an object; for `Rejected` the processor's message.
    std::string body;
    /// Time of the answer by the processor's clock, in seconds; 0 if it named none.
    std::int64_t seconds = 0;

    bool done() const noexcept { return outcome == Outcome::Done; }
};

/// Stripe's API, as far as Portico uses it. Every call names the API version; every write has an idempotency key that its caller derives
/// from a stored row, so a retry repeats the same write. Waits for the processor. Thread-safe.
class ProcessorApi
{
public:
    ProcessorApi(PluginContext& context, const BillingSettings& settings) : _context(context), _settings(settings) {}

    ProcessorAnswer get(std::string_view path) const;
    ProcessorAnswer post(std::string_view path, const FormFields& form, std::string_view idempotencyKey) const;

    ProcessorAnswer subscription(std::string_view id) const;
    /// Ends a subscription at once.
    ProcessorAnswer cancelNow(std::string_view id) const;
    /// Creates the session of a checkout, or returns the one that an earlier try created.
    ProcessorAnswer createSession(const Checkout& checkout, std::string_view priceId, std::string_view customerId) const;
    ProcessorAnswer expireSession(std::string_view id) const;
    /// ID of the price of a seat, which is created if the processor has none. @throws Problem as `require`
    std::string priceId(Package package, BillingInterval interval, std::string_view currency, std::int64_t amount, PlanKind kind) const;

    /// Returns the body of an answer that is done. @throws Problem 502 `processor_unavailable`, `processor_rejected`
    static std::string require(const ProcessorAnswer& answer);

private:
    ProcessorAnswer send(std::string_view method, std::string_view path, const FormFields& form, std::string_view idempotencyKey) const;

    PluginContext& _context;
    const BillingSettings& _settings;
};

} // namespace portico::launchpad
