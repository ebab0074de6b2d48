#pragma once

#include "portico/Form.h"
#include "portico/HttpClient.h"

#include <boost/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::tests
{

/// The parts of the payment processor's API that the launchpad calls, in memory. Thread-safe, apart from its public members.
class FakeProcessor
{
public:
    using Object = boost::json::object;
    using Fields = std::map<std::string, std::string>;

    enum class Mood
    {
        Responding,
        /// No connection.
        Away,
        /// Neither executes the call nor answers in time.
        Hangs,
        /// Executes the call, and the answer is lost.
        LosesAnswers,
        /// Answers with a page.
        Html,
        /// Answers with a redirect.
        Redirects,
        Rejects,
        /// Declines the card of every change.
        Declines
    };

    HttpClient::Response answer(const HttpClient::Request& request)
    {
        const std::lock_guard lock(_mutex);
        ++calls;
        if (mood == Mood::Away) throw HttpFailure(502, "upstream_failed", "No connection", HttpFailure::Sent::NotSent);
        if (mood == Mood::Hangs) throw HttpFailure(504, "upstream_timeout", "No answer in time", HttpFailure::Sent::PerhapsSent);
        if (mood == Mood::Html) return reply(200, "<html>Maintenance</html>");
        if (mood == Mood::Redirects) return reply(302, "");
        if (mood == Mood::Rejects) return reply(400, R"({"error":{"message":"No"}})");
        auto response = execute(request);
        if (mood == Mood::LosesAnswers && request.method == "POST")
            throw HttpFailure(502, "upstream_failed", "No answer in time", HttpFailure::Sent::PerhapsSent);
        return response;
    }

    /// A subscription in the shape of the pinned version, or in the one before 2025-03-31.
    static Object subscription(const std::string& id, const std::string& status, std::int64_t quantity, const Fields& metadata,
                               bool oldShape = false)
    {
        Object item = {{"id", "si_" + id},
                       {"quantity", quantity},
                       {"price", Object{{"id", "price_1"},
                                        {"unit_amount", 4900},
                                        {"currency", "usd"},
                                        {"lookup_key", nullptr},
                                        {"recurring", Object{{"interval", "month"}}}}}};
        Object made = {
            {"id", id},          {"object", "subscription"},      {"status", status}, {"customer", "cus_1"}, {"created", 1795420800},
            {"livemode", false}, {"cancel_at_period_end", false}, {"currency", "usd"}};
        auto& period = oldShape ? made : item;
        period["current_period_start"] = 1795420800;
        period["current_period_end"] = 1798012800;
        made["items"] = Object{{"object", "list"}, {"data", boost::json::array{item}}};
        Object told;
        for (const auto& [name, value] : metadata) told[name] = value;
        made["metadata"] = told;
        return made;
    }

    Mood mood = Mood::Responding;
    int calls = 0;
    std::map<std::string, Object> subscriptions;
    std::map<std::string, Object> sessions;
    std::map<std::string, Object> prices;
    /// Forms of the calls that were executed, without repeated ones, by path.
    std::vector<std::pair<std::string, Fields>> writes;
    /// Called before a subscription is read.
    std::function<void(const std::string&)> beforeRead;

private:
    static HttpClient::Response reply(int status, std::string body)
    {
        HttpClient::Response response;
        response.status = status;
        response.body = std::move(body);
        return response;
    }
    static HttpClient::Response reply(const Object& object) { return reply(200, boost::json::serialize(object)); }
    static HttpClient::Response missing() { return reply(404, R"({"error":{"code":"resource_missing"}})"); }
    static std::string header(const HttpClient::Request& request, std::string_view name)
    {
        for (const auto& [key, value] : request.headers)
            if (key == name) return value;
        return {};
    }

    HttpClient::Response execute(const HttpClient::Request& request)
    {
        if (header(request, "Stripe-Version").empty()) throw std::logic_error("a call without an API version");
        const auto path = request.url.substr(request.url.find("/v1/"));
        if (request.method == "GET") return read(path);
        if (request.method == "DELETE") return cancel(path.substr(std::string("/v1/subscriptions/").size()));
        const auto key = header(request, "Idempotency-Key");
        if (key.empty()) throw std::logic_error("a write without an idempotency key");
        if (const auto known = _answers.find(key); known != _answers.end()) return known->second;
        Fields form;
        for (auto& [name, value] : parseForm(request.body)) form[name] = value;
        writes.emplace_back(path, form);
        auto response = write(path, form);
        if (response.status < 500) _answers[key] = response;
        return response;
    }

    HttpClient::Response read(const std::string& path)
    {
        if (path.starts_with("/v1/prices"))
        {
            boost::json::array found;
            for (const auto& [id, price] : prices)
                if (path.ends_with("=" + std::string(price.at("lookup_key").as_string()))) found.push_back(price);
            return reply(Object{{"object", "list"}, {"data", found}});
        }
        const auto id = path.substr(path.rfind('/') + 1);
        const auto found = subscriptions.find(id);
        if (found == subscriptions.end()) return missing();
        // The state at the begin of the read, even if the state changes before the answer arrives.
        const auto state = found->second;
        if (beforeRead)
        {
            const auto callback = std::exchange(beforeRead, {});
            _mutex.unlock();
            callback(id);
            _mutex.lock();
        }
        return reply(state);
    }

    HttpClient::Response cancel(const std::string& id)
    {
        const auto found = subscriptions.find(id);
        if (found == subscriptions.end()) return missing();
        found->second["status"] = "canceled";
        return reply(found->second);
    }

    HttpClient::Response write(const std::string& path, const Fields& form)
    {
        const auto value = [&](const std::string& name) { return form.contains(name) ? form.at(name) : std::string(); };
        if (path == "/v1/prices")
        {
            const auto id = "price_" + std::to_string(prices.size() + 1);
            prices[id] = Object{
                {"id", id}, {"object", "price"}, {"lookup_key", value("lookup_key")}, {"unit_amount", std::stoll(value("unit_amount"))}};
            return reply(prices[id]);
        }
        if (path == "/v1/checkout/sessions")
        {
            const auto id = "cs_" + std::to_string(sessions.size() + 1);
            sessions[id] = Object{{"id", id},
                                  {"object", "checkout.session"},
                                  {"url", "https://pay.example/" + id},
                                  {"status", "open"},
                                  {"payment_status", "unpaid"},
                                  {"subscription", nullptr},
                                  {"metadata", Object{{"checkoutId", value("metadata[checkoutId]")}}}};
            return reply(sessions[id]);
        }
        if (path.ends_with("/expire")) return expire(path.substr(22, path.size() - 29));
        if (path == "/v1/billing_portal/sessions") return reply(Object{{"id", "bps_1"}, {"url", "https://pay.example/portal"}});
        if (path == "/v1/invoices/create_preview")
            return reply(Object{{"object", "invoice"},
                                {"total", 2450},
                                {"lines", Object{{"data", boost::json::array{Object{{"amount", -2450}}, Object{{"amount", 4900}}}}}}});
        if (mood == Mood::Declines) return reply(402, R"({"error":{"code":"card_declined"}})");
        const auto id = path.substr(std::string("/v1/subscriptions/").size());
        const auto found = subscriptions.find(id);
        if (found == subscriptions.end()) return missing();
        auto& subscription = found->second;
        for (const auto& [name, text] : form)
        {
            if (name == "items[0][quantity]")
                subscription["items"].as_object()["data"].as_array()[0].as_object()["quantity"] = std::stoll(text);
            if (name == "items[0][price]")
                subscription["items"].as_object()["data"].as_array()[0].as_object()["price"].as_object()["lookup_key"] =
                    prices.contains(text) ? prices.at(text).at("lookup_key") : boost::json::value(nullptr);
            if (name == "cancel_at_period_end") subscription["cancel_at_period_end"] = text == "true";
            if (name.starts_with("metadata[")) subscription["metadata"].as_object()[name.substr(9, name.size() - 10)] = text;
        }
        return reply(subscription);
    }

    HttpClient::Response expire(const std::string& id)
    {
        const auto found = sessions.find(id);
        if (found == sessions.end()) return missing();
        if (found->second.at("status") != "open") return reply(400, R"({"error":{"message":"Not open"}})");
        found->second["status"] = "expired";
        return reply(found->second);
    }

    std::mutex _mutex;
    std::map<std::string, HttpClient::Response> _answers;
};

} // namespace portico::tests
