#pragma once

#include "brands/Brand.h"
#include "content/MediaRefs.h"
#include "content/Post.h"
#include "integrations/Accounts.h"
#include "networks/Networks.h"

#include "portico/TimeZones.h"

namespace portico
{
template <>
struct Schema<FieldError>
{
    static constexpr auto fields = describe(members<&FieldError::field, &FieldError::code, &FieldError::message>());
};
} // namespace portico

namespace portico::social
{

/// Result of checking an item against its network's rules, without a request to the network.
struct ItemCheck
{
    /// `field` is `text`, `mediaIds`, `settings`, `linkUrl`, or one of a thread part (`thread[0].text`).
    std::vector<FieldError> errors;
    std::vector<Warning> warnings;
    PublicationPreview preview;
    std::int64_t length = 0;
    std::int64_t limit = 0;
};

/// Collaborators of content's services. References must outlive them.
struct ContentTools
{
    PluginContext& context;
    const Networks& networks;
    const Accounts& accounts;
    const TimeZones& zones;
};

/// Returns true for a text without a visible character.
bool isBlank(std::string_view text);

/// Adds an error for a link that is neither empty nor an absolute http or https URL.
void checkLink(std::string_view link, std::string field, std::vector<FieldError>& errors);

/// Checks an item against the limits of its account's own server.
ItemCheck checkItem(const ContentTools& tools, Session& session, Tenant tenant, const ContentItem& item, const Brand& brand);

/// Warnings about an item that is to be published at `time`: the same text at the same account within a day, files without alt text.
std::vector<Warning> warningsOf(Session& session, Tenant tenant, const ContentItem& item, std::optional<Instant> time);

/// Checks that all files are ready files of the brand. @throws Problem 400 `validation_failed`
void requireMedia(Session& session, Tenant tenant, const BrandId& brand, const Post& post);

/// A publication of an item, for its network, without its files: `addFiles` adds them.
Publication publicationOf(const ContentItem& item, const Brand& brand);

/// The answer for one target of a dry run.
struct TargetCheck
{
    std::optional<TargetId> targetId;
    std::optional<IntegrationId> integrationId;
    std::optional<Platform> platform;
    std::vector<FieldError> errors;
    std::vector<Warning> warnings;
    std::int64_t length = 0;
    std::int64_t limit = 0;
    PublicationPreview preview;
};
constexpr auto schemaOf(const TargetCheck*)
{
    using C = TargetCheck;
    return describe(members<&C::targetId, &C::integrationId, &C::platform, &C::errors, &C::warnings, &C::length, &C::limit, &C::preview>());
}

/// The answer of a dry run.
struct PostDryRun
{
    bool valid = true;
    std::optional<Instant> scheduledFor;
    std::vector<TargetCheck> targets;
};
constexpr auto schemaOf(const PostDryRun*)
{
    return describe(members<&PostDryRun::valid, &PostDryRun::scheduledFor, &PostDryRun::targets>());
}

} // namespace portico::social
