#pragma once

#include "social/SocialFixture.h"

#include "networks/Networks.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace portico::tests
{

/// The networks of the started service with a fake client, and what tests of them have in common.
class NetworkFixture : public SocialFixture
{
public:
    void setUp() override
    {
        SocialFixture::setUp();
        networks = std::make_unique<social::Networks>(social::makeNetworks(host->context()));
        now = host->context().clock().now();
    }
    void tearDown() override
    {
        networks.reset();
        SocialFixture::tearDown();
    }

protected:
    testing::FakeHttpClient& http() const { return host->context().http(); }
    /// Answers requests by the end of their URL (without the query); everything else is 404.
    void serve(std::map<std::string, std::function<HttpClient::Response(const HttpClient::Request&)>> routes) const
    {
        http().answer(
            [routes = std::move(routes)](const HttpClient::Request& request)
            {
                const auto path = request.url.substr(0, request.url.find('?'));
                for (const auto& [end, answer] : routes)
                    if (path.ends_with(end)) return answer(request);
                return respond(404, R"({"error":"NotFound"})");
            });
    }
    static HttpClient::Response respond(int status, std::string body, std::vector<std::pair<std::string, std::string>> headers = {})
    {
        HttpClient::Response response;
        response.status = status;
        response.body = std::move(body);
        response.headers = std::move(headers);
        return response;
    }
    static std::function<HttpClient::Response(const HttpClient::Request&)> always(int status, const std::string& body)
    {
        return [=](const HttpClient::Request&) { return respond(status, body); };
    }
    static std::string header(const HttpClient::Request& request, std::string_view name)
    {
        for (const auto& [key, value] : request.headers)
            if (equalsIgnoreCase(key, name)) return value;
        return {};
    }
    social::Publication publication(std::vector<std::string> texts) const
    {
        social::Publication made;
        made.contentId = social::ContentId::make(now);
        made.revision = 3;
        for (auto& text : texts) made.parts.push_back({std::move(text), {}});
        made.scheduledFor = now;
        made.language = "en";
        return made;
    }
    /// Performs all steps of a publication; stops at the first that is not done.
    static std::vector<social::StepOutcome> performAll(social::Network& network, const std::vector<social::FixedStep>& steps,
                                                       const social::NetworkAccount& account, Instant at)
    {
        std::vector<social::StepResult> results;
        std::vector<social::StepOutcome> outcomes;
        for (std::size_t i = 0; i < steps.size(); ++i)
        {
            outcomes.push_back(network.perform({steps[i], results, std::span(steps).first(i), account, at, at}));
            if (outcomes.back().kind != social::StepOutcome::Kind::Done) break;
            results.push_back(outcomes.back().result);
        }
        return outcomes;
    }

    std::unique_ptr<social::Networks> networks;
    Instant now{};
};

} // namespace portico::tests
