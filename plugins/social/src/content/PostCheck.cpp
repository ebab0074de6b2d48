#include "content/PostCheck.h"

#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::social
{

namespace
{
/// Opens the account of an item without calling its network. A deleted account is reported in `errors`.
std::optional<NetworkAccount> openAccount(const ContentTools& tools, Session& session, Tenant tenant, const ContentItem& item,
                                          std::vector<FieldError>& errors)
{
    if (!item.integrationId) return std::nullopt;
    const auto integration = integrationTable.find(session, tenant, item.brandId, *item.integrationId);
    if (!integration || integration->connectionState == ConnectionState::Disconnected)
    {
        errors.push_back({"integrationId", "not_connected", "The account is no longer connected."});
        return std::nullopt;
    }
    auto opened = tools.accounts.open(*integration);
    if (opened.state != OpenedAccount::State::Ready) return std::nullopt;
    return std::move(opened.account);
}
} // namespace

bool isBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos; }

void checkLink(std::string_view link, std::string field, std::vector<FieldError>& errors)
{
    if (!link.empty() && !isWebUrl(link)) errors.push_back({std::move(field), "invalid_url", "Expected an absolute http or https URL."});
}

Publication publicationOf(const ContentItem& item, const Brand& brand)
{
    Publication publication;
    publication.contentId = item.contentId;
    publication.revision = item.revision;
    publication.parts.push_back({item.text, {}});
    for (const auto& part : item.thread) publication.parts.push_back({part.text, {}});
    publication.linkUrl = item.linkUrl;
    publication.language = brand.language;
    publication.settings = item.settings.text;
    publication.scheduledFor = item.scheduledFor.value_or(Instant{});
    return publication;
}

ItemCheck checkItem(const ContentTools& tools, Session& session, Tenant tenant, const ContentItem& item, const Brand& brand)
{
    ItemCheck check;
    const auto* network = tools.networks.find(item.platform);
    if (network == nullptr)
    {
        check.errors.push_back({"platform", "platform_not_ready", "This server cannot publish at the network yet."});
        return check;
    }
    auto publication = publicationOf(item, brand);
    addFiles(session, tenant, item, nullptr, Instant{}, publication);
    const auto account = openAccount(tools, session, tenant, item, check.errors);
    const auto* credentials = account ? &account->credentials : nullptr;
    if (expectCopies(session, tenant, item.brandId, network->limits(credentials), publication))
        check.warnings.push_back(
            {"media_resized", item.targetId, "The picture is too large for the network, which receives a smaller copy."});
    check.preview = network->preview(publication, credentials);
    if (!check.preview.parts.empty())
    {
        check.length = check.preview.parts.front().length;
        check.limit = check.preview.parts.front().limit;
    }
    checkLink(item.linkUrl, "linkUrl", check.errors);
    for (const auto& fault : network->faults(publication, credentials))
        check.errors.push_back(
            {fault.part == 0 ? fault.field : "thread[" + std::to_string(fault.part - 1) + "]." + fault.field, fault.code, fault.message});
    return check;
}

std::vector<Warning> warningsOf(Session& session, Tenant tenant, const ContentItem& item, std::optional<Instant> time)
{
    std::vector<Warning> warnings;
    if (time && item.integrationId && !item.text.empty())
    {
        const auto day = std::chrono::hours(24);
        const bool similar =
            itemTable.select(tenant)
                .where(&ContentItem::brandId, item.brandId)
                .where(&ContentItem::integrationId, item.integrationId)
                .where("scheduled_for >= ? AND scheduled_for <= ? AND text = ? AND id <> ? AND publish_status <> 'cancelled'", *time - day,
                       *time + day, item.text, item.contentId)
                .exists(session);
        if (similar)
            warnings.push_back(
                {"similar_scheduled", item.targetId, "The same text is published to this account within 24 hours of this time."});
    }
    const bool silent = std::ranges::any_of(item.mediaIds,
                                            [&](const MediaId& id)
                                            {
                                                const auto found = item.altTexts.find(id.text());
                                                if (found != item.altTexts.end()) return found->second.empty();
                                                const auto media = mediaTable.find(session, tenant, item.brandId, id);
                                                return !media || media->altText.empty();
                                            });
    if (silent) warnings.push_back({"alt_text_missing", item.targetId, "A file has no alternative text."});
    return warnings;
}

void requireMedia(Session& session, Tenant tenant, const BrandId& brand, const Post& post)
{
    requireMedia(session, tenant, brand, post.mediaIds, "mediaIds");
    for (std::size_t i = 0; i < post.thread.size(); ++i)
        requireMedia(session, tenant, brand, post.thread[i].mediaIds, "thread[" + std::to_string(i) + "].mediaIds");
    for (std::size_t i = 0; i < post.targets.size(); ++i)
        if (post.targets[i].overrides && post.targets[i].overrides->mediaIds)
            requireMedia(session, tenant, brand, *post.targets[i].overrides->mediaIds,
                         "targets[" + std::to_string(i) + "].overrides.mediaIds");
}

} // namespace portico::social
