#include "providers/Discovery.h"

#include "common/GrowingPause.h"

#include "portico/Text.h"

namespace portico::identity
{

namespace
{
constexpr auto copyLife = std::chrono::hours(1);
/// How long a copy serves that could not be renewed.
constexpr auto oldestServed = std::chrono::hours(24 * 7);
/// Between two looks at the keys of one provider: made-up ones cost it nothing.
constexpr auto pauseAfterSuccess = std::chrono::seconds(10);
constexpr std::size_t maxProviders = 1000;
constexpr std::string_view discoveryPath = "/.well-known/openid-configuration";
} // namespace

template <class T, class Read>
std::shared_ptr<const T> Discovery::current(Copies<T>& copies, const std::string& issuer, Wanted wanted, const Read& readIt)
{
    std::shared_ptr<const T> old;
    {
        std::unique_lock lock(_mutex);
        const auto place = [&]() -> Copy<T>&
        {
            if (copies.size() >= maxProviders && !copies.contains(issuer))
                std::erase_if(copies, [](const auto& entry) { return !entry.second.reading; });
            return copies[issuer];
        };
        const auto isFresh = [&](const Copy<T>& copy)
        { return copy.value && wanted == Wanted::Any && _clock.now() - copy.readAt < copyLife; };
        if (const auto& copy = place(); isFresh(copy)) return copy.value;
        const auto served = [&](const Copy<T>& copy)
        { return copy.value && _clock.now() - copy.readAt < oldestServed ? copy.value : nullptr; };
        // A copy that is merely due serves those who come while one thread renews it.
        if (const auto& copy = place(); copy.reading && wanted == Wanted::Any)
            if (auto value = served(copy)) return value;
        _wasRead.wait(lock, [&] { return !place().reading; });
        auto& copy = place();
        if (isFresh(copy)) return copy.value;
        old = served(copy);
        if (_clock.now() < copy.nextTry)
        {
            if (old) return old;
            throw UpstreamFailure(copy.failureKind, copy.failure);
        }
        copy.reading = true;
    }
    const auto settle = [&](const std::function<void(Copy<T>&)>& work)
    {
        const std::lock_guard lock(_mutex);
        auto& copy = copies[issuer];
        copy.reading = false;
        work(copy);
        _wasRead.notify_all();
    };
    try
    {
        auto value = std::make_shared<const T>(readIt());
        settle(
            [&](Copy<T>& copy)
            {
                copy = {};
                copy.value = value;
                copy.readAt = _clock.now();
                copy.nextTry = copy.readAt + pauseAfterSuccess;
            });
        return value;
    }
    catch (const UpstreamFailure& failure)
    {
        settle(
            [&](Copy<T>& copy)
            {
                copy.failure = failure.what();
                copy.failureKind = failure.kind;
                copy.nextTry = _clock.now() + growingPause(++copy.failures);
            });
        if (!old) throw;
        return old;
    }
    catch (...)
    {
        settle([](Copy<T>&) {});
        throw;
    }
}

UpstreamMetadata Discovery::read(const std::string& issuer) const
{
    const auto base = issuer.ends_with('/') ? issuer.substr(0, issuer.size() - 1) : issuer;
    auto metadata = readUpstream<UpstreamMetadata>(_calls.get(base + std::string(discoveryPath)));
    if (metadata.issuer != issuer)
        throw UpstreamFailure(UpstreamFailure::Kind::OtherIssuer, "The discovery document names another issuer.");
    // Checks the addresses to which browsers are redirected and secrets are sent.
    for (const auto* url : {&metadata.authorizationEndpoint, &metadata.tokenEndpoint, &metadata.jwksUri})
        if (!isWebUrl(*url) || (!_plainHttp && !url->starts_with("https://")))
            throw UpstreamFailure(UpstreamFailure::Kind::Unreachable, "The discovery document lacks an endpoint that can be used.");
    return metadata;
}

UpstreamMetadata Discovery::metadata(const std::string& issuer)
{
    return *current(_metadata, issuer, Wanted::Any, [&] { return read(issuer); });
}

JsonWebKeys Discovery::keys(const UpstreamMetadata& metadata) { return keys(metadata, Wanted::Any); }

JsonWebKeys Discovery::freshKeys(const UpstreamMetadata& metadata) { return keys(metadata, Wanted::Newer); }

JsonWebKeys Discovery::keys(const UpstreamMetadata& metadata, Wanted wanted)
{
    return current(_keys, metadata.issuer, wanted, [&] { return keysOf(_calls.get(metadata.jwksUri)); });
}

template <class T>
std::shared_ptr<const T> Discovery::keep(Copies<T>& copies, const std::string& issuer, T value)
{
    const std::lock_guard lock(_mutex);
    auto& copy = copies[issuer];
    const bool reading = copy.reading;
    copy = {};
    copy.value = std::make_shared<const T>(std::move(value));
    copy.readAt = _clock.now();
    copy.nextTry = copy.readAt + pauseAfterSuccess;
    copy.reading = reading;
    return copy.value;
}

UpstreamMetadata Discovery::readNow(const std::string& issuer) { return *keep(_metadata, issuer, read(issuer)); }

JsonWebKeys Discovery::readKeysNow(const UpstreamMetadata& metadata)
{
    return keep(_keys, metadata.issuer, keysOf(_calls.get(metadata.jwksUri)));
}

} // namespace portico::identity
