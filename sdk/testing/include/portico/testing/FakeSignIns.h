#pragma once

#include "portico/Clock.h"
#include "portico/Problem.h"
#include "portico/interfaces/SignIns.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::testing
{

/// Sign-ins without identity, for `FakeServices::offer<interfaces::SignIns>`: hands out numbered codes and tokens, and records calls. Used
/// by one thread while it is changed.
class FakeSignIns final : public interfaces::SignIns
{
public:
    explicit FakeSignIns(const Clock& clock) : _clock(clock) {}

    /// Consumes a code, as the exchange of an app does. The test publishes `identity.handoff.exchanged` where it matters.
    void exchange(std::string_view code) { handoffs.erase(std::string(code)); }
    /// The next `handoff` is refused.
    void refuse(Problem problem) { refusal = std::move(problem); }

    interfaces::Handoff handoff(const Caller&, const interfaces::HandoffWish& request) override
    {
        if (refusal) throw *std::exchange(refusal, std::nullopt);
        const auto number = std::to_string(++count);
        const auto code = "code-" + number;
        const auto life = std::chrono::seconds(request.mobile ? 120 : 60);
        const interfaces::PendingHandoff pending{"hnd_" + std::string(26 - number.size(), '0') + number, request.serviceId,
                                                 request.redirectUri, request.mobile, _clock.now() + life};
        handoffs[code] = pending;
        wishes.push_back(request);
        return {request.redirectUri + "?sso_code=" + code, request.mobile ? code : std::string(), pending.expiresAt, pending.id};
    }
    interfaces::ContextChange changeContext(const Caller& caller, std::string_view organizationId, std::string_view) override
    {
        if (!organizationId.empty() && !roles.contains(std::pair(caller.principalId, std::string(organizationId))))
            throw Problem::forbidden("membership_required", "You are not a member of this organization.");
        const auto role = organizationId.empty() ? "member" : roles[{caller.principalId, std::string(organizationId)}];
        return {"token-" + std::to_string(++count), 600, "Bearer", std::string(organizationId), std::string(organizationId), role};
    }
    void selectHousehold(const Caller& caller, std::string_view householdId) override
    {
        if (!caller.organizationId.empty()) throw Problem::conflict("not_in_personal_context", "Households go with the personal context.");
        selected[caller.principalId] = householdId;
    }
    std::shared_ptr<const Caller> behindRefreshCookie(std::string_view handle, std::string_view, std::string_view) override
    {
        const auto found = cookies.find(handle);
        return found == cookies.end() ? nullptr : found->second;
    }
    std::optional<interfaces::PendingHandoff> pendingHandoff(std::string_view code) override
    {
        const auto found = handoffs.find(code);
        if (found == handoffs.end() || found->second.expiresAt <= _clock.now()) return std::nullopt;
        return found->second;
    }
    std::string widgetToken(const Caller& caller, std::string_view serviceId) override
    {
        return "widget:" + std::string(serviceId) + ':' + caller.principalId;
    }

    /// Unused ones, by code.
    std::map<std::string, interfaces::PendingHandoff, std::less<>> handoffs;
    std::vector<interfaces::HandoffWish> wishes;
    /// Role of a person in an organization, for changes of context.
    std::map<std::pair<std::string, std::string>, std::string> roles;
    /// Selected households, by person.
    std::map<std::string, std::string> selected;
    std::map<std::string, std::shared_ptr<const Caller>, std::less<>> cookies;
    std::optional<Problem> refusal;
    int count = 0;

private:
    const Clock& _clock;
};

} // namespace portico::testing
