#pragma once

#include "launchpad/FakeProcessor.h"
#include "launchpad/LaunchpadFixture.h"

#include "launchpad/FakePlanAccess.h"
#include "portico/Crypto.h"
#include "portico/system/Credentials.h"
#include "portico/system/OperatorRecords.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace portico::tests
{

/// Launchpad that sells plans: eight eligible apps, one that belongs to no package, and callers with a recent step-up.
class BillingFixture : public LaunchpadFixture
{
public:
    void setUp() override { begin("manual"); }
    void tearDown() override
    {
        LaunchpadFixture::tearDown();
        std::filesystem::remove_all(_folder);
    }

protected:
    class FakeElevation final : public interfaces::OperatorRecords
    {
    public:
        void requireElevation(const Caller&) override
        {
            if (const auto call = std::exchange(before, {})) call();
            if (!elevated) throw Problem::forbidden("step_up_required", "Confirm that it is you.");
        }
        void record(const Request&, std::string_view, std::string_view, std::string_view) override {}
        bool elevated = true;
        /// Called once, before the next check.
        std::function<void()> before;
    };
    /// The token is the person's ID.
    class FakeCredentials final : public interfaces::Credentials
    {
    public:
        std::shared_ptr<const Caller> validate(const interfaces::Credential& credential) override
        {
            const auto found = callers.find(std::string(credential.value));
            if (found == callers.end()) throw Problem::unauthorized("invalid_token", "Sign in again.");
            return Caller::share(found->second);
        }
        std::map<std::string, Caller> callers;
    };

    void begin(const std::string& processor, bool enforce = true)
    {
        _folder = std::filesystem::temp_directory_path() / ("portico-billing-" + std::to_string(::getpid()));
        std::filesystem::create_directories(_folder);
        std::ofstream(_folder / "key") << "sk_test_1\n";
        std::ofstream(_folder / "secrets") << newSecret << '\n' << oldSecret << '\n' << thirdSecret << '\n';
        for (const auto* name : {"key", "secrets"})
            std::filesystem::permissions(_folder / name, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        settings.config["launchpad.billing.processor"] = processor;
        settings.config["launchpad.billing.enforce"] = enforce ? "true" : "false";
        settings.config["launchpad.billing.secretKeyFile"] = (_folder / "key").string();
        settings.config["launchpad.billing.webhookSecretsFile"] = (_folder / "secrets").string();
        LaunchpadFixture::setUp();
        for (const auto* id : {"crm", "calendar", "social", "mail", "forms", "files", "desk", "shop"})
        {
            auto& entry = registry.add(id);
            entry.surfaceGroup = "business";
            entry.manifest = R"({"commerce":{"pricing":"included","bundleEligible":true,"countsTowardBundle":true}})";
        }
        auto& foreign = registry.add("foreign");
        foreign.manifest = registry.entries.find("crm")->second.manifest;
        foreign.publisher = {"organization", "org_1", "Someone", true};
        plans.granted.clear();
        plans.existing.clear();
        fake = std::make_unique<FakeProcessor>();
        auto& services = host->context().services();
        services.offer<interfaces::PlanAccess>(plans);
        services.offer<interfaces::OperatorRecords>(elevation);
        services.offer<interfaces::Credentials>(credentials);
        host->context().http().answer([this](const HttpClient::Request& request) { return fake->answer(request); });
        for (const auto* each : {&owner, &admin, &member, &stranger}) credentials.callers[each->principalId] = *each;
        operatorCaller = owner;
        operatorCaller.platformRole = "platform_admin";
        operatorCaller.platformBypass = true;
        operators = "org_" + makeUlid(Instant{});
        plans.admins = operators;
    }

    /// Calls an open route with the access token of a person, or without one.
    testing::TestAnswer open(const std::string& target, const std::string& body, const Caller* buyer = nullptr,
                             const std::string& key = {}) const
    {
        testing::TestRequest request{.method = Method::Post, .target = target, .body = body};
        if (buyer) request.headers.emplace_back("Authorization", "Bearer " + buyer->principalId);
        if (!key.empty()) request.headers.emplace_back("Idempotency-Key", key);
        return host->call(request);
    }
    static std::string order(std::string_view package = "three", std::string_view apps = R"("crm","calendar","social")",
                             const std::string& more = R"(,"seats":10)")
    {
        return jsonWith(R"({"package":"$","selectedServiceIds":[$],"interval":"month","currency":"USD"$})", package, apps, more);
    }
    testing::TestAnswer checkout(const std::string& body, const Caller* buyer = nullptr, const std::string& key = {}) const
    {
        return open("/api/public/checkout", body, buyer, key);
    }
    testing::TestAnswer markPaid(const std::string& checkoutId) const
    {
        return patch(operatorCaller, "/api/admin/checkouts/" + checkoutId, R"({"status":"paid"})");
    }
    /// The organization buys and an operator confirms the payment. @return ID of the subscription
    std::string subscribe(const std::string& body = order()) const
    {
        made(markPaid(made(checkout(body, &owner)).at("/checkoutId")));
        host->context().jobs().runDue();
        return made(get(owner, "/api/billing/subscriptions")).at("/paid/0/id");
    }
    std::int64_t count(const std::string& sql) const
    {
        auto session = host->context().database().session();
        return session.value<std::int64_t>(sql).value();
    }
    std::set<std::string> grantedApps() const
    {
        const auto found = plans.granted.find(organization);
        return found == plans.granted.end() ? std::set<std::string>() : found->second;
    }

    std::string signature(const std::string& body, const std::string& secret, std::int64_t seconds) const
    {
        return "t=" + std::to_string(seconds) + ",v1=" + hmacSha256(secret, std::to_string(seconds) + '.' + body).hex();
    }
    std::int64_t now() const { return toMillis(host->context().clock().now()) / 1000; }
    testing::TestAnswer deliver(const std::string& body, const std::string& header) const
    {
        return host->call(
            {.method = Method::Post, .target = "/api/webhooks/billing/stripe", .body = body, .headers = {{"Stripe-Signature", header}}});
    }
    testing::TestAnswer deliver(const std::string& body) const { return deliver(body, signature(body, newSecret, now())); }
    static std::string event(const std::string& id, const std::string& type, std::int64_t created, const boost::json::object& object)
    {
        return boost::json::serialize(boost::json::object{{"id", id},
                                                          {"object", "event"},
                                                          {"type", type},
                                                          {"created", created},
                                                          {"livemode", false},
                                                          {"data", boost::json::object{{"object", object}}}});
    }
    FakeProcessor::Fields metadata(const std::string& checkoutId = {}) const
    {
        FakeProcessor::Fields fields = {{"package", "three"},
                                        {"selectedServiceIds", "crm,calendar,social"},
                                        {"seats", "10"},
                                        {"owner_type", "organization"},
                                        {"owner_id", organization},
                                        {"kind", "paid"}};
        if (!checkoutId.empty()) fields["checkoutId"] = checkoutId;
        return fields;
    }

    static inline const std::string newSecret = "whsec_new", oldSecret = "whsec_old", thirdSecret = "whsec_third";
    FakePlanAccess plans;
    FakeElevation elevation;
    FakeCredentials credentials;
    std::unique_ptr<FakeProcessor> fake;
    Caller operatorCaller;
    /// The organization of the operators.
    std::string operators;

private:
    std::filesystem::path _folder;
};

} // namespace portico::tests
