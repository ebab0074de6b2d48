#include "system/SelfCheckRoutes.h"

#include "catalog/CatalogStore.h"
#include "factors/Factors.h"
#include "permissions/Actor.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

/// People with a platform role, and whether it counts.
struct RoleHolder
{
    UserId id;
    std::string platformRole;
};

constexpr auto schemaOf(const RoleHolder*) { return describe(members<&RoleHolder::id, &RoleHolder::platformRole>()); }

std::vector<RoleHolder> roleHolders(Session& session)
{
    return session.all<RoleHolder>(
        "SELECT id, platform_role FROM users WHERE platform_role IS NOT NULL AND status <> 'deleted' ORDER BY id");
}

} // namespace

void SelfCheckRoutes::declare(Routes& routes)
{
    routes.get("/api/system/self-check", access::bearer().forOperators(), &SelfCheckRoutes::check, this,
               {.summary = "Check the installation"});
}

SelfCheck SelfCheckRoutes::check(const Caller& caller) const
{
    const auto catalog = _core.catalog.snapshot();
    auto snapshot = _core.database.snapshot();
    Actor(snapshot, caller, _core.clock.now()).requireOperator();
    SelfCheck result;
    addItems(snapshot, result);
    addMisconfigurations(result);
    for (const auto& [id, service] : catalog->services)
        if (!service.complete) result.incompleteServices.push_back(id);
    for (const auto& holder : roleHolders(snapshot))
        if (!organizations::isOperator(snapshot, holder.id)) result.ineffectivePlatformRoles.push_back({holder.id, holder.platformRole});
    addSignIns(snapshot, result);
    result.waitingDeletions = deletions::waiting(snapshot);
    result.ok = result.misconfigurations.empty() && result.incompleteServices.empty() && result.ineffectivePlatformRoles.empty() &&
                result.waitingDeletions.empty() && std::ranges::all_of(result.items, &SelfCheckItem::ok);
    return result;
}

void SelfCheckRoutes::addItems(Session& snapshot, SelfCheck& result) const
{
    const auto add = [&](std::string_view id, std::string_view title, bool ok, std::string_view remedy) {
        result.items.push_back({std::string(id), std::string(title), ok, ok ? std::string() : std::string(remedy)});
    };
    const auto holders = roleHolders(snapshot);
    const bool operatorsHaveFactors = std::ranges::all_of(
        holders, [&](const RoleHolder& holder)
        { return !organizations::isOperator(snapshot, holder.id) || factors::any(factors::summary(snapshot, holder.id)); });
    add("V6.2.1", "Passwords have at least 12 characters", true, {});
    add("V6.2.4", "Passwords are held against those of known breaches", true, {});
    add("V6.3.1", "Guessing passwords is delayed", _core.settings.freeAttempts > 0, "Set identity.login.freeAttempts above 0");
    add("V6.3.3", "Operators have a second factor", operatorsHaveFactors, "Let every operator add an authenticator app or a passkey");
    add("V7.3.2", "Sign-ins end in any case", true, {});
    add("V12.2.1", "Browsers reach identity by TLS", _core.origin.starts_with("https://"),
        "Put a proxy with TLS in front and set services.identity.origins");
    add("V13.3.1", "Secrets in the database are sealed with a key outside of it",
        !_core.context.config().secret("identity.sealingKeys").empty(), "Set identity.sealingKeys");
}

void SelfCheckRoutes::addSignIns(Session& snapshot, SelfCheck& result) const
{
    const auto now = _core.clock.now();
    for (const auto& holder : roleHolders(snapshot))
    {
        const auto user = users::find(snapshot, holder.id.text());
        if (!user || !platform_power::judge(snapshot, *user, std::nullopt).effective()) continue;
        for (const auto& signIn : sign_ins::ofUser(snapshot, holder.id, now))
            if (const auto power = platform_power::judge(snapshot, *user, SignInProof::of(signIn, now)); !power.effective())
                result.powerlessSignIns.push_back({holder.id, signIn.id, power.fault});
    }
}

void SelfCheckRoutes::addMisconfigurations(SelfCheck& result) const
{
    const auto& settings = _core.settings;
    const auto add = [&](std::string_view setting, std::string_view problem) {
        result.misconfigurations.push_back({std::string(setting), std::string(problem)});
    };
    if (settings.refreshIdle > settings.refreshAbsolute)
        add("identity.refresh.idleSeconds", "Is longer than identity.refresh.absoluteSeconds, so the idle limit never applies");
    if (settings.browserSession > settings.refreshAbsolute)
        add("identity.refresh.browserSessionSeconds", "Is longer than identity.refresh.absoluteSeconds, which ends sign-ins before");
    if (settings.accounts.registrationOpen && settings.accounts.termsUrl.empty())
        add("identity.accounts.termsUrl", "People register themselves and accept terms that they cannot read");
    if (settings.accounts.deletionGrace < std::chrono::hours(24))
        add("identity.accounts.deletionGraceSeconds", "An attacker can delete a stolen account before its owner can sign in");
}

} // namespace portico::identity
