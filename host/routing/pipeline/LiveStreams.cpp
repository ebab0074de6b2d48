#include "host/routing/pipeline/LiveStreams.h"

#include "host/base/IpAddress.h"
#include "host/plugins/runtime/PluginScope.h"
#include "host/routing/access/Authorization.h"

#include "portico/Problem.h"

#include <algorithm>
#include <stop_token>
#include <utility>
#include <vector>

namespace portico::host::routing
{

namespace
{

struct EndBody
{
    detail::LiveBody* body;
    void operator()() const noexcept { body->end(); }
};

/// Copy of the data for later checks: the request has ended by then.
struct KeptCredential
{
    CredentialKind kind = CredentialKind::None;
    std::string value;
    std::string serviceId;
    std::string clientAddress;
    std::string requestId;
    bool requireAccess = true;
    bool ofOrganization = false;
    std::vector<std::string> pathParameters;
    /// The context of the caller: the stream is of its data.
    std::string organizationId;
    Access access;
    std::shared_ptr<const plugins::Manifest> service;
};

class GuardedBody final : public detail::LiveBody
{
public:
    GuardedBody(std::unique_ptr<LiveBody> body, std::optional<Instant> until, std::unique_ptr<const KeptCredential> credential,
                const Authentication& authentication, std::vector<PlaceCounts<std::string>::Place> places, std::stop_token stop)
        : _places(std::move(places)),
          _body(std::move(body)),
          _until(until),
          _credential(std::move(credential)),
          _authentication(authentication),
          _withGeneration(std::move(stop), EndBody{_body.get()})
    {
    }

    void attach(std::shared_ptr<detail::Waker> waker) noexcept override { _body->attach(std::move(waker)); }
    State take(std::string& out) override { return _body->take(out); }
    void beat(std::string& out) override { _body->beat(out); }
    void end() noexcept override { _body->end(); }
    std::optional<Instant> until() const noexcept override { return _until; }

    /// Keeps the stream open while the provider cannot answer: a provider that is being replaced must not end all streams.
    bool mayGoOn() noexcept override
    try
    {
        if (!_credential) return true;
        const auto& asked = *_credential;
        system::HostRequest again;
        again.requestId = asked.requestId;
        const telemetry::ActiveSpan noTrace;
        const telemetry::RequestContext context(again, noTrace);
        const auto digest = sha256(asked.value);
        interfaces::Credential credential{asked.kind,
                                          asked.value,
                                          asked.serviceId,
                                          asked.clientAddress,
                                          asked.requireAccess,
                                          &digest,
                                          interfaces::Credential::Presented::Proven};
        credential.ofOrganization = asked.ofOrganization;
        const auto caller = _authentication.validate(credential);
        if (caller->organizationId != asked.organizationId) return false;
        again.caller = caller.get();
        for (const auto& parameter : asked.pathParameters) again.addPathParameter(parameter);
        checkAccess(again, asked.access, *asked.service);
        return true;
    }
    catch (const Problem& problem)
    {
        return problem.status() >= 500;
    }
    catch (...)
    {
        return true;
    }

private:
    const std::vector<PlaceCounts<std::string>::Place> _places;
    const std::unique_ptr<LiveBody> _body;
    const std::optional<Instant> _until;
    const std::unique_ptr<const KeptCredential> _credential;
    const Authentication& _authentication;
    /// Destroyed first, since it refers to the body.
    const std::stop_callback<EndBody> _withGeneration;
};

class PluginSource final : public BodySource
{
public:
    PluginSource(std::unique_ptr<BodySource> source, const plugins::PluginTag& tag) noexcept : _source(std::move(source)), _tag(tag) {}
    ~PluginSource() override
    {
        const plugins::PluginScope scope(_tag);
        _source.reset();
    }
    std::optional<std::uint64_t> size() const override
    {
        const plugins::PluginScope scope(_tag);
        return _source->size();
    }
    bool read(std::string& out, std::size_t wanted) override
    {
        const plugins::PluginScope scope(_tag);
        return _source->read(out, wanted);
    }

private:
    std::unique_ptr<BodySource> _source;
    const plugins::PluginTag _tag;
};

std::string networkOf(std::string_view address)
{
    const auto parsed = IpAddress::parse(address);
    return parsed ? parsed->network().text() : std::string(address);
}

} // namespace

std::unique_ptr<BodySource> insidePlugin(std::unique_ptr<BodySource> source, const plugins::PluginTag& tag)
{
    return std::make_unique<PluginSource>(std::move(source), tag);
}

/// @param limit 0: any number. @throws Problem 429 when there are as many already
LiveStreams::Counts::Place LiveStreams::enter(std::string key, std::int64_t limit)
{
    if (limit == 0) return {};
    auto place = _counts.enter(std::move(key), static_cast<std::size_t>(limit));
    if (!place) throw Problem(429, "rate_limited", "Too many streams are open.").withHeader("Retry-After", "10");
    return place;
}

std::unique_ptr<detail::LiveBody> LiveStreams::guard(std::unique_ptr<detail::LiveBody> body, const Request& request,
                                                     const RequestState& state)
{
    std::vector<PlaceCounts<std::string>::Place> places;
    places.reserve(2);
    auto until = body->until();
    std::unique_ptr<KeptCredential> credential;
    if (state.caller && !state.caller->anonymous())
    {
        const auto& caller = *state.caller;
        const auto asked = Authentication::question(state.sent, request, *state.entry, *state.site);
        places.push_back(enter("caller " + (caller.apiKeyId.empty() ? caller.principalId : caller.apiKeyId), _settings.streamsPerCaller));
        if (caller.expiresAt != Instant{}) until = std::min(until.value_or(caller.expiresAt), caller.expiresAt);
        credential = std::make_unique<KeptCredential>(KeptCredential{asked.kind,
                                                                     std::string(asked.value),
                                                                     std::string(asked.serviceId),
                                                                     std::string(asked.clientAddress),
                                                                     std::string(request.requestId),
                                                                     asked.requireAccess,
                                                                     asked.ofOrganization,
                                                                     {request.pathParameters().begin(), request.pathParameters().end()},
                                                                     caller.organizationId,
                                                                     state.entry->info->access,
                                                                     state.entry->provider->service.manifest});
    }
    else
    {
        places.push_back(enter("address " + networkOf(request.clientAddress), _settings.streamsPerAddress));
        const auto origin = request.header("Origin");
        if (!origin.empty() && origin != request.origin)
            places.push_back(enter("origin " + std::string(origin) + " " + state.entry->provider->id(), _settings.streamsPerOrigin));
    }
    return std::make_unique<GuardedBody>(std::move(body), until, std::move(credential), _authentication, std::move(places),
                                         state.lease->stopToken());
}

} // namespace portico::host::routing
