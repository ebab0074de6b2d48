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

/// Web origins from settings or from the plugin's data (grants to embed, for one), which the plugin keeps up to date: in memory, because a
/// preflight is answered on an event loop and may not wait. It outlives the plugin, and its code is not the plugin's. Thread-safe.
class PORTICO_API OriginList
{
public:
    virtual ~OriginList();
    static std::shared_ptr<OriginList> make(const std::vector<std::string>& origins = {});

    /// These and no others from now on.
    virtual void assign(const std::vector<std::string>& origins) = 0;
    virtual void add(std::string_view origin) = 0;
    virtual void remove(std::string_view origin) = 0;
    /// @param origin As a browser sends it.
    virtual bool contains(std::string_view origin) const noexcept = 0;
};

/// Which pages may read a route's answers. The origins that the manifests and the host register may always, with credentials; the others of
/// this rule may without: no cookie of theirs comes along, a token that they hold themselves does. Preflights are answered by it.
class CrossOrigin
{
public:
    enum class Rule : std::uint8_t
    {
        Registered,
        Listed,
        Anyone
    };

    /// No other origin.
    CrossOrigin() = default;
    /// Every page, registered ones without credentials, too: for what is the same for everyone.
    static CrossOrigin anyone() { return CrossOrigin(Rule::Anyone, nullptr); }
    static CrossOrigin listed(std::shared_ptr<const OriginList> origins) { return CrossOrigin(Rule::Listed, std::move(origins)); }
    static CrossOrigin listed(const std::vector<std::string>& origins) { return listed(OriginList::make(origins)); }

    Rule rule() const noexcept { return _rule; }
    /// Whether the rule lets a page of this origin read.
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
