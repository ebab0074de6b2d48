#pragma once

#include "common/Ids.h"

#include "portico/Json.h"
#include "portico/Plugin.h"

#include <optional>
#include <string_view>

namespace portico::social
{

/// Content of a change event for open pages (`GET /api/changes`): only ids.
struct ChangeNews
{
    BrandId brandId;
    std::optional<MediaId> mediaId;
    std::optional<IntegrationId> integrationId;
};

constexpr auto schemaOf(const ChangeNews*)
{
    return describe(field<&ChangeNews::brandId>(), field<&ChangeNews::mediaId>().omitEmpty(),
                    field<&ChangeNews::integrationId>().omitEmpty());
}

/// Notifies open pages of a changed file, in the transaction of the change.
inline void tellMedia(PluginContext& context, Transaction& transaction, Tenant tenant, const BrandId& brand, const MediaId& id)
{
    context.events().publish(transaction, "social.media.changed", tenant.text(), toJson(ChangeNews{brand, id, std::nullopt}));
}

/// Notifies open pages of a changed account, in the transaction of the change.
inline void tellAccount(PluginContext& context, Transaction& transaction, Tenant tenant, const BrandId& brand, const IntegrationId& id)
{
    context.events().publish(transaction, "social.integration.changed", tenant.text(), toJson(ChangeNews{brand, std::nullopt, id}));
}

} // namespace portico::social
