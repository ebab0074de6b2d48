#pragma once

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/StateStore.h"

#include <chrono>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Secrets of one kind that are each good once. The StateStore has the value of a secret under its digest, so that of several callers, on
/// several hosts, one redeems it. Thread-safe. @tparam T described, or a text that is stored as it is
template <class T>
class OneTimeSecrets
{
public:
    /// @param use part of the keys before their colon: `provider-link`
    OneTimeSecrets(StateStore& state, std::string_view use) : _state(state), _use(use) {}

    /// Makes a secret of 256 bits, base64url.
    std::string issue(const T& value, std::chrono::milliseconds life) const
    {
        auto secret = randomToken();
        put(secret, value, life);
        return secret;
    }
    /// Stores the value of a secret that the caller has made.
    void put(std::string_view secret, const T& value, std::chrono::milliseconds life) const
    {
        if constexpr (std::same_as<T, std::string>)
            _state.put(key(secret), value, life);
        else
            _state.put(key(secret), toJson(value), life);
    }
    /// Returns the value; the secret stays good.
    std::optional<T> look(std::string_view secret) const
    {
        const auto entry = _state.get(key(secret));
        return entry ? std::optional(valueOf(entry->value)) : std::nullopt;
    }
    /// Returns the value to the first caller; the secret is used.
    std::optional<T> redeem(std::string_view secret) const
    {
        const auto text = _state.take(key(secret));
        return text ? std::optional(valueOf(*text)) : std::nullopt;
    }
    /// Another life, from now on, for a secret that is not used yet.
    void renew(std::string_view secret, std::chrono::milliseconds life) const
    {
        if (const auto entry = _state.get(key(secret))) _state.compareAndSet(key(secret), entry->version, entry->value, life);
    }

private:
    std::string key(std::string_view secret) const { return _use + ':' + sha256(secret).hex(); }
    static T valueOf(const std::string& text)
    {
        if constexpr (std::same_as<T, std::string>)
            return text;
        else
            return fromStoredJson<T>(text);
    }

    StateStore& _state;
    std::string _use;
};

} // namespace portico::identity
