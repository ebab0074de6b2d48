#pragma once

#include "audit/AuditTrail.h"
#include "trends/Seed.h"

#include "portico/Arguments.h"
#include "portico/Plugin.h"
#include "portico/Text.h"

namespace portico::social
{

/// An item that a person or a program enters, instead of one of a source.
struct EnteredItem
{
    std::string title;
    std::string summary;
    std::string url;
    std::string language;
    std::optional<Instant> publishedAt;
    std::vector<std::string> tags;
};
constexpr auto schemaOf(const EnteredItem*)
{
    using I = EnteredItem;
    return describe(field<&I::title>().required().trimmed().maxLength(300), field<&I::summary>().trimmed().maxLength(2000),
                    field<&I::url>().trimmed().maxLength(2048).matches(isWebUrl, "invalid_url", "an absolute http or https URL"),
                    field<&I::language>().maxLength(35), field<&I::publishedAt>(), field<&I::tags>().maxItems(20).maxLength(50).trimmed());
}

/// Request to save a seed: an item of a source, or entered content.
struct SeedShare
{
    std::optional<std::string> brandId;
    std::optional<SourceItemId> sourceItemId;
    std::optional<EnteredItem> item;
    std::string note;
    std::vector<std::string> tags;
};
constexpr auto schemaOf(const SeedShare*)
{
    using S = SeedShare;
    return describe(field<&S::brandId>().maxLength(64), field<&S::sourceItemId>(), field<&S::item>(),
                    field<&S::note>().trimmed().maxLength(1000), field<&S::tags>().maxItems(20).maxLength(50).trimmed());
}

/// Returns the source item of an entered one. @param byKey entered by a program
SourceItem sourceItemOf(const EnteredItem& entered, bool byKey, Instant now);

/// Keeps the seeds of brands. Every function is one transaction. Thread-safe.
class SeedService
{
public:
    explicit SeedService(PluginContext& context) : _context(context) {}

    struct Shared
    {
        Seed seed;
        /// Someone shared an item with the same content before.
        bool existed = false;
    };
    /// @throws Problem 400 `validation_failed` for none or both kinds of item, 404
    Shared share(const Doer& doer, Tenant tenant, const BrandId& brand, const SeedShare& share) const;
    /// @throws Problem 404, 412
    Seed change(const Doer& doer, Tenant tenant, const BrandId& brand, const SeedId& id, const IfMatch& ifMatch,
                const Patch<Seed>& patch) const;

private:
    PluginContext& _context;
};

} // namespace portico::social
