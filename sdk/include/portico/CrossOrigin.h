#pragma once

#include "portico/Export.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

/// A web origin as browsers write it (RFC 6454, 6.1): lower-case, without a default port and without `/` at the end.
PORTICO_API std::string normalOrigin(std::string_view origin);

/// Web origins from settings or the plugin's data (for example grants to embed), which the plugin keeps up to date. They are in memory,
/// because preflights are answered on an event loop. The object may outlive the plugin. Thread-safe.
class PORTICO_API OriginList
{
public:
    virtual ~OriginList();
    static std::shared_ptr<OriginList> make(const std::vector<std::string>& origins = {});

    /// Replaces the origins.
    virtual void assign(const std::vector<std::string>& origins) = 0;
    virtual void add(std::string_view origin) = 0;
    virtual void remove(std::string_view origin) = 0;
    /// @param origin As a browser sends it.
    virtual bool contains(std::string_view origin) const noexcept = 0;
};

/// Controls which pages can read a route's responses (CORS). Origins that the manifests and the host register are always allowed, with
/// credentials. Other origins of this rule are allowed without cookies; they may send a token. Preflights follow the same rule.
class CrossOrigin
{
public:
    enum class Rule : std::uint8_t
    {
        Registered,
        Listed,
        Anyone
    };

    /// Allows no other origin.
    CrossOrigin() = default;
    /// Allows every origin, also registered ones, without credentials. For public data.
    static CrossOrigin anyone() { return CrossOrigin(Rule::Anyone, nullptr); }
    static CrossOrigin listed(std::shared_ptr<const OriginList> origins) { return CrossOrigin(Rule::Listed, std::move(origins)); }
    static CrossOrigin listed(const std::vector<std::string>& origins) { return listed(OriginList::make(origins)); }

    Rule rule() const noexcept { return _rule; }
    /// Returns whether the rule allows this origin.
    bool allows(std::string_view origin) const noexcept
    {
        return _rule == Rule::Anyone || (_rule == Rule::Listed && _origins && _origins->contains(origin));
    }

private:
    CrossOrigin(Rule rule, std::shared_ptr<const OriginList> origins) : _rule(rule), _origins(std::move(origins)) {}

    Rule _rule = Rule::Registered;
    std::shared_ptr<const OriginList> _origins;
};

} // namespace portico
