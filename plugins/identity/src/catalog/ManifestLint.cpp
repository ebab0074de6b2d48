#include "catalog/ManifestLint.h"

#include "catalog/Catalog.h"
#include "catalog/IdPattern.h"
#include "catalog/Landing.h"
#include "common/Ids.h"
#include "common/Names.h"
#include "web/Urls.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>
#include <functional>
#include <set>

namespace portico::identity
{

namespace
{

constexpr bool isLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// A letter, then letters, digits and `more`.
bool isName(std::string_view text, std::string_view more, std::size_t longest)
{
    return !text.empty() && text.size() <= longest && isLower(text.front()) &&
           std::ranges::all_of(text, [&](char c) { return isLower(c) || isDigit(c) || more.find(c) != std::string_view::npos; });
}

bool isPart(std::string_view text, bool star) { return (star && text == "*") || isName(text, "_", 80); }

/// `<service>.<resource>:<action>`, as a pattern with stars for either part.
bool isPermission(std::string_view text, std::string_view serviceId, bool pattern)
{
    if (!text.starts_with(serviceId) || text.size() > 120) return false;
    text.remove_prefix(serviceId.size());
    const auto colon = text.find(':');
    return text.starts_with('.') && colon != std::string_view::npos && isPart(text.substr(1, colon - 1), pattern) &&
           isPart(text.substr(colon + 1), pattern);
}

bool isScope(std::string_view text)
{
    const auto dot = text.find('.');
    return dot != std::string_view::npos && isPart(text.substr(0, dot), false) && isPart(text.substr(dot + 1), false);
}

bool isUrl(std::string_view text)
{
    const auto rest = text.starts_with("https://") ? text.substr(8) : text.starts_with("http://") ? text.substr(7) : std::string_view();
    return !rest.empty() && text.size() <= 2000 && rest.front() != '/' &&
           std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == '\\' || c == '"' || c == '<'; });
}

bool isOrigin(std::string_view text, std::string_view more = {})
{
    if (!isUrl(text)) return false;
    const auto host = text.substr(text.find("//") + 2);
    return std::ranges::all_of(
        host,
        [&](char c) { return isLower(c) || isDigit(c) || c == '.' || c == '-' || c == ':' || more.find(c) != std::string_view::npos; });
}

/// A tag of BCP 47 in its usual form: two or three letters, then parts of two to eight letters and digits.
bool isLanguage(std::string_view text)
{
    const auto head = text.substr(0, text.find('-'));
    if (head.size() < 2 || head.size() > 3 || !std::ranges::all_of(head, isLower)) return false;
    for (text.remove_prefix(head.size()); !text.empty();)
    {
        const auto part = text.substr(1, text.find('-', 1) - 1);
        const auto isPlain = [](char c) { return isLower(c) || isDigit(c) || (c >= 'A' && c <= 'Z'); };
        if (part.size() < 2 || part.size() > 8 || !std::ranges::all_of(part, isPlain)) return false;
        text.remove_prefix(part.size() + 1);
    }
    return true;
}

/// One `*`, in the first label of the host.
bool isOriginPattern(std::string_view text)
{
    const auto star = text.find('*');
    return isOrigin(text, "*") && star != std::string_view::npos && text.find('*', star + 1) == std::string_view::npos &&
           text.find('.') > star && text.find('.') != std::string_view::npos;
}

class Lint
{
public:
    explicit Lint(const ServiceManifest& manifest) : _manifest(manifest)
    {
        for (const auto& entry : manifest.permissions)
            if (entry.apiKeyExempt) _exempt.insert(entry.permission);
    }

    std::vector<FieldError> run()
    {
        checkFrame();
        checkAddresses();
        checkPublicTexts();
        checkPermissions();
        checkBundles();
        checkScopes();
        checkTexts();
        checkEvents();
        return std::move(_faults);
    }

private:
    void fault(std::string place, std::string_view code, std::string_view message)
    {
        _faults.push_back({std::move(place), std::string(code), std::string(message)});
    }

    void require(bool good, std::string_view place, std::string_view code, std::string_view message)
    {
        if (!good) fault(std::string(place), code, message);
    }

    void checkFrame()
    {
        const auto oneOf = [](std::string_view text, std::initializer_list<std::string_view> choices)
        { return std::ranges::find(choices, text) != choices.end(); };
        require(_manifest.manifestVersion == 1, "manifestVersion", "unknown_version", "This form of manifest has version 1.");
        require(isServiceId(_manifest.serviceId), "service_id", "invalid_id",
                "Expected 2 to 40 lower-case letters, digits and hyphens, a letter first.");
        require(!_manifest.name.empty() && characterCount(_manifest.name) <= 120, "name", "required",
                "A service has a name of up to 120 characters.");
        require(names::isName(_manifest.name), "name", "invalid_name", "Expected one line of text without invisible characters.");
        require(characterCount(_manifest.description) <= 2000, "description", "too_long", "At most 2000 characters.");
        const bool application = _manifest.surfaceKind == "application";
        require(oneOf(_manifest.surfaceKind, {"application", "api", "runtime", "internal"}), "surface_kind", "invalid_choice",
                "application, api, runtime or internal.");
        require(oneOf(_manifest.surfaceGroup, {"business", "personal", "developer", "platform", "community"}), "surface_group",
                "invalid_choice", "business, personal, developer, platform or community.");
        require(!_manifest.launchable || application, "launchable", "not_an_application", "Only an application can be launched.");
        require(!_manifest.launchable || !_manifest.launchUrl.empty(), "launchUrl", "required", "A launchable service needs an address.");
        require(!_manifest.contexts.empty(), "contexts", "required", "A service serves at least one context.");
    }

    void checkAddresses()
    {
        const auto url = [&](const std::string& text, const std::string& place)
        { require(text.empty() || isUrl(text), place, "invalid_url", "An http or https address in full."); };
        url(_manifest.launchUrl, "launchUrl");
        url(_manifest.iconUrl, "iconUrl");
        url(_manifest.frontchannelLogoutUrl.value_or(""), "frontchannelLogoutUrl");
        url(_manifest.backchannelLogoutUrl.value_or(""), "backchannelLogoutUrl");
        each("callbackUrls", _manifest.callbackUrls, url);
        for (std::size_t i = 0; i < _manifest.bindableResources.size(); ++i)
        {
            const auto& listUrl = _manifest.bindableResources[i].listUrl;
            require(listUrl.empty() || isLocalPath(listUrl), at("bindableResources", i) + ".listUrl", "invalid_url",
                    "A path on the service's own origin.");
        }
        const auto redirect = [&](const std::string& text, const std::string& place)
        {
            require(isNativeRedirect(text), place, "invalid_redirect_uri",
                    "Expected https without a fragment, a loopback address, or a scheme of the app with a dot or a hyphen.");
        };
        if (_manifest.nativeClient) each("nativeClient.redirectUris", _manifest.nativeClient->redirectUris, redirect);
        const auto origin = [&](const std::string& text, const std::string& place)
        { require(isOrigin(text), place, "invalid_origin", "Scheme, host and port only, as https://crm.example.org."); };
        each("origins", _manifest.origins, origin);
        each("embedOrigins", _manifest.embedOrigins, origin);
        each("previewOriginPatterns", _manifest.previewOriginPatterns,
             [&](const std::string& text, const std::string& place)
             { require(isOriginPattern(text), place, "invalid_origin", "Expected an origin with one * in its first label."); });
    }

    /// Checks texts of public pages.
    void checkPublicTexts()
    {
        require(!landing::hasRunningText(_manifest.store.text), "store", "unsafe_url", "An address is not a safe link.");
        if (_manifest.landing.text == "null") return;
        try
        {
            landing::requireSafe(fromJson<LandingConfig>(_manifest.landing.text));
        }
        catch (const Problem& problem)
        {
            for (auto entry : problem.errors())
            {
                entry.field = "landing." + entry.field;
                _faults.push_back(std::move(entry));
            }
            if (problem.errors().empty()) fault("landing", "invalid_type", problem.detail());
        }
    }

    void checkPermissions()
    {
        std::set<std::string> seen;
        for (std::size_t i = 0; i < _manifest.permissions.size(); ++i)
        {
            const auto& name = _manifest.permissions[i].permission;
            const auto place = at("permissions", i) + ".permission";
            require(isPermission(name, _manifest.serviceId, false), place, "invalid_permission",
                    "<service_id>.<resource>:<action>, of this service.");
            once(seen, name, place);
        }
    }

    void checkBundles()
    {
        std::set<std::string> seen;
        for (std::size_t i = 0; i < _manifest.roleBundles.size(); ++i)
        {
            const auto& bundle = _manifest.roleBundles[i];
            const auto place = at("roleBundles", i);
            require(isName(bundle.id, "_-", 80), place + ".id", "invalid_id",
                    "Expected lower-case letters, digits, _ and -, a letter first.");
            require(!bundle.roles.empty(), place + ".roles", "required", "A bundle is for at least one role.");
            once(seen, bundle.id, place + ".id");
            each(place + ".permissions", bundle.permissions,
                 [&](const std::string& text, const std::string& where)
                 {
                     require(isPermission(text, _manifest.serviceId, true), where, "invalid_permission",
                             "A permission of this service, or a pattern with * for resource or action.");
                 });
        }
    }

    void checkScopes()
    {
        std::set<std::string> seen, types;
        for (std::size_t i = 0; i < _manifest.bindableResources.size(); ++i)
        {
            const auto& type = _manifest.bindableResources[i];
            require(isName(type.type, "_", 80), at("bindableResources", i) + ".type", "invalid_id",
                    "Expected lower-case letters, digits and _.");
            require(!type.idPattern.empty() && type.idPattern.size() <= 200, at("bindableResources", i) + ".idPattern", "required",
                    "The form of its ids.");
            require(type.idPattern.empty() || IdPattern::parse(type.idPattern), at("bindableResources", i) + ".idPattern",
                    "invalid_pattern", "Characters, classes and repetitions, without groups and alternatives.");
            once(types, type.type, at("bindableResources", i) + ".type");
        }
        for (std::size_t i = 0; i < _manifest.apiKeyScopes.size(); ++i)
        {
            const auto& scope = _manifest.apiKeyScopes[i];
            const auto place = at("apiKeyScopes", i);
            require(isScope(scope.scope), place + ".scope", "invalid_scope", "Expected <resource>.<action>, without the service.");
            once(seen, scope.scope, place + ".scope");
            each(place + ".permissions", scope.permissions,
                 [&](const std::string& text, const std::string& where)
                 { require(!_exempt.contains(text), where, "api_key_exempt", "No scope may open this permission."); });
            each(place + ".bindable", scope.bindable,
                 [&](const std::string& text, const std::string& where)
                 { require(types.contains(text), where, "unknown_resource_type", "bindableResources does not list it."); });
        }
    }

    void checkTexts()
    {
        for (const auto& [language, texts] : _manifest.texts)
        {
            require(isLanguage(language), "texts." + language, "invalid_language", "A language as de or pt-BR.");
            const auto place = "texts." + language + '.';
            checkTitles(place + "permissions", texts.permissions, _manifest.permissions, &PermissionEntry::permission);
            checkTitles(place + "roleBundles", texts.roleBundles, _manifest.roleBundles, &RoleBundle::id);
            checkTitles(place + "apiKeyScopes", texts.apiKeyScopes, _manifest.apiKeyScopes, &ScopeEntry::scope);
            checkTitles(place + "bindableResources", texts.bindableResources, _manifest.bindableResources, &BindableType::type);
        }
    }

    template <class Entry>
    void checkTitles(const std::string& place, const std::map<std::string, ManifestText>& texts, const std::vector<Entry>& listed,
                     std::string Entry::*nameOf)
    {
        for (const auto& [name, text] : texts)
        {
            require(std::ranges::find(listed, name, nameOf) != listed.end(), place + '.' + name, "unknown_name",
                    "The manifest lists no such name.");
            require(!text.title.empty() && characterCount(text.title) <= 120, place + '.' + name + ".title", "required",
                    "A title of up to 120 characters.");
            require(characterCount(text.description) <= 2000, place + '.' + name + ".description", "too_long", "At most 2000 characters.");
        }
    }

    void checkEvents()
    {
        std::set<std::string> seen;
        each("webhookEvents", _manifest.webhookEvents,
             [&](const std::string& type, const std::string& place)
             {
                 const auto own = _manifest.serviceId + '.';
                 require(type.starts_with(own) && isName(type.substr(own.size()), "_.", 80), place, "invalid_type",
                         "<service>.<resource>.<what happened>.");
                 once(seen, type, place);
             });
    }

    static std::string at(std::string_view list, std::size_t index) { return std::string(list) + '[' + std::to_string(index) + ']'; }

    static void each(const std::string& list, const std::vector<std::string>& texts,
                     const std::function<void(const std::string&, const std::string&)>& visit)
    {
        for (std::size_t i = 0; i < texts.size(); ++i) visit(texts[i], at(list, i));
    }

    void once(std::set<std::string>& seen, const std::string& name, const std::string& place)
    {
        require(seen.insert(name).second, place, "duplicate", "The entry is duplicated.");
    }

    const ServiceManifest& _manifest;
    std::set<std::string> _exempt;
    std::vector<FieldError> _faults;
};

} // namespace

std::vector<FieldError> lintManifest(const ServiceManifest& manifest) { return Lint(manifest).run(); }

ServiceManifest readManifest(std::string_view json)
{
    auto refusal = Problem::badRequest("manifest_invalid", "The manifest is not valid.");
    const auto refuse = [&](const std::vector<FieldError>& faults)
    {
        for (const auto& entry : faults) refusal.with(entry);
        throw refusal;
    };
    ServiceManifest manifest;
    try
    {
        manifest = fromJson<ServiceManifest>(json);
    }
    catch (const Problem& problem)
    {
        if (problem.code() == "invalid_json") throw;
        refuse(problem.errors());
    }
    if (const auto faults = lintManifest(manifest); !faults.empty()) refuse(faults);
    return manifest;
}

} // namespace portico::identity
