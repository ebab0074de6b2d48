#include "billing/BillingSettings.h"

#include "portico/Text.h"

#include <stdexcept>

namespace portico::launchpad
{

namespace
{
constexpr std::size_t validSecrets = 2;

std::vector<std::string> firstLines(std::string_view text)
{
    std::vector<std::string> lines;
    while (!text.empty() && lines.size() < validSecrets)
    {
        const auto end = text.find('\n');
        if (const auto line = trim(text.substr(0, end)); !line.empty()) lines.emplace_back(line);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return lines;
}
} // namespace

BillingSettings::BillingSettings(const Config& config)
    : processor(config.choice<ProcessorKind>("launchpad.billing.processor")),
      enforce(config.boolean("launchpad.billing.enforce")),
      url(config.url("launchpad.billing.url")),
      secretKey(config.secret("launchpad.billing.secretKeyFile")),
      webhookSecrets(firstLines(config.secret("launchpad.billing.webhookSecretsFile")))
{
    while (url.ends_with('/')) url.pop_back();
    if (processor != ProcessorKind::Stripe) return;
    if (secretKey.empty())
        throw std::invalid_argument(
            "launchpad.billing.processor is stripe: set launchpad.billing.secretKeyFile to a file with the secret key");
    if (webhookSecrets.empty())
        throw std::invalid_argument("launchpad.billing.processor is stripe: set launchpad.billing.webhookSecretsFile to a file with the "
                                    "signing secret of the webhook endpoint");
}

} // namespace portico::launchpad
