#include "content/TargetAccounts.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::social
{

namespace
{
constexpr std::size_t maxMetadataBytes = 8192;

bool isObject(const Json& json) { return json.text.starts_with('{'); }

const TargetPage* pageOf(const std::vector<TargetPage>& pages, std::string_view id)
{
    const auto found = std::ranges::find(pages, id, &TargetPage::externalId);
    return found == pages.end() ? nullptr : &*found;
}

void resolvePage(const TargetAccount& account, Target& target, const std::string& path, std::vector<FieldError>& errors)
{
    const bool group = target.targetType == TargetType::Group;
    const auto* page = pageOf(group ? account.groups : account.pages, target.externalId);
    if (page == nullptr)
        errors.push_back({path + ".externalId", "unknown_page", "The account has no such page or group."});
    else if (!page->eligible)
        errors.push_back({path + ".externalId", "not_eligible", page->ineligibleReason});
    else
        target.displayName = page->name;
}
} // namespace

void checkTarget(Target& target, const std::string& path, std::vector<FieldError>& errors)
{
    if (target.metadata.text == "null") target.metadata.text = "{}";
    if (!target.overrides) target.overrides = TargetOverrides{};
    if (!isObject(target.metadata) || target.metadata.text.size() > maxMetadataBytes)
        errors.push_back({path + ".metadata", "invalid_metadata", "Expected a JSON object of at most 8 KiB."});
    if (target.overrides->settings.text != "null" && !isObject(target.overrides->settings))
        errors.push_back({path + ".overrides.settings", "wrong_type", "Expected a JSON object."});
}

void resolveTarget(Session& session, Tenant tenant, const BrandId& brand, Target& target, const std::string& path,
                   std::vector<FieldError>& errors)
{
    checkTarget(target, path, errors);
    if (target.integrationId.empty())
    {
        errors.push_back({path + ".integrationId", "required", "Each target needs an account."});
        return;
    }
    const auto account = targetAccountTable.find(session, tenant, brand, target.integrationId);
    if (!account)
    {
        errors.push_back({path + ".integrationId", "unknown_integration", "The brand has no such account."});
        return;
    }
    if (account->connectionState == "disconnected")
        errors.push_back({path + ".integrationId", "not_connected", "The account is not connected."});
    target.platform = account->platform;
    target.displayName = account->displayName;
    target.handle = account->handle;
    target.avatarUrl = account->avatarUrl;
    if (target.externalId.empty() || target.externalId == account->externalId)
        target.externalId = account->externalId;
    else
        resolvePage(*account, target, path, errors);
}

std::optional<TargetAccount> accountFor(Session& session, Tenant tenant, const BrandId& brand, Platform platform,
                                        const std::optional<IntegrationId>& named)
{
    if (named)
    {
        auto account = targetAccountTable.find(session, tenant, brand, *named);
        if (!account) throw Problem::invalid("integrationId", "unknown_integration", "The brand has no such account.");
        if (account->platform != platform)
            throw Problem::invalid("integrationId", "wrong_platform", "The account and the suggestion are for different networks.");
        if (account->connectionState == "disconnected")
            throw Problem::invalid("integrationId", "not_connected", "The account is not connected.");
        return account;
    }
    auto accounts = targetAccountTable.select(tenant)
                        .where(&TargetAccount::brandId, brand)
                        .where(&TargetAccount::platform, platform)
                        .where("connection_state = 'connected'")
                        .all(session, 2);
    if (accounts.size() > 1)
        throw Problem::badRequest("ambiguous_target", "The brand has several accounts at this network. Choose one with integrationId.");
    if (accounts.empty()) return std::nullopt;
    return std::move(accounts.front());
}

} // namespace portico::social
