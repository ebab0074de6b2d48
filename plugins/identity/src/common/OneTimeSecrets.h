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

/// One-time secrets of one kind. The StateStore maps the digest of a secret to its value: only one of several callers redeems it, also on
/// several hosts. Thread-safe. @tparam T a described type, or std::string, which is stored unchanged
template <class T>
class OneTimeSecrets
{
public:
    /// @param use prefix of the keys, for example `provider-link`
    OneTimeSecrets(StateStore& state, std::string_view use) : _state(state), _use(use) {}

    /// Makes a secret of 256 bits in base64url, and stores its value.
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
    /// Returns the value. The secret stays valid.
    std::optional<T> look(std::string_view secret) const
    {
        const auto entry = _state.get(key(secret));
        return entry ? std::optional(valueOf(entry->value)) : std::nullopt;
    }
    /// Returns the value to the first caller, and invalidates the secret.
    std::optional<T> redeem(std::string_view secret) const
    {
        const auto text = _state.take(key(secret));
        return text ? std::optional(valueOf(*text)) : std::nullopt;
    }
    /// Sets the lifetime of an unused secret, from now on.
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

/// Marks a secret of another party as used, for example the `jti` of its token. Returns true to the first caller only, also on several
/// hosts.
/// @param life remaining lifetime of the secret
inline bool useOnce(StateStore& state, std::string_view use, std::string_view secret, std::chrono::milliseconds life)
{
    return state.compareAndSet(std::string(use) + ':' + sha256(secret).hex(), 0, "1", life);
}

} // namespace portico::identity
