#include "host/plugins/package/ManifestReader.h"

#include "plugins/Workbench.h"
#include "support/Suite.h"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace portico::host::plugins;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

/// A manifest without a fault that uses every part of the format.
constexpr const char* full = R"({
  "manifestVersion": 1,
  "service_id": "crm",
  "version": "1.4.0",
  "name": "CRM",
  "vendor": "example.org",
  "plugin": {
    "library": "crm.so", "helpers": ["helpers/images"],
    "sdk": { "epoch": 1, "minMinor": 0 },
    "requires": [ { "interface": "identity.directory", "version": "^2" } ],
    "provides": [ { "interface": "crm.contacts", "version": "1.2" } ],
    "migrations": { "dir": "migrations" },
    "config": {
      "crm.attachments.maxBytes": { "type": "integer", "default": 26214400, "minimum": 1 },
      "crm.import.pause": { "type": "seconds", "default": 30 },
      "crm.greeting": { "type": "string", "default": "hello" },
      "crm.strict": { "type": "boolean", "default": true }, "crm.days": { "type": "list", "choices": ["mon", "tue"], "default": ["tue", "mon"] }, "crm.mode": { "type": "choice", "choices": ["fast", "safe"], "default": "safe" }, "crm.hook": { "type": "url" }, "crm.hookSecretFile": { "type": "secretFile", "default": "" }
    },
    "lifecycle": { "startSeconds": 5, "drainSeconds": 7, "unmap": false }
  },
  "surface_kind": "application",
  "surface_group": "business",
  "launchable": true,
  "launchUrl": "/",
  "contexts": ["organization"],
  "callbackUrls": ["/auth/callback"],
  "nativeClient": { "redirectUris": ["/mobile/callback", "https://crm.example.org/cb?x=1", "com.example.crm:/cb", "http://127.0.0.1:9876/cb"] },
  "origins": ["https://crm.example.org"],
  "previewOriginPatterns": ["https://preview-*.example.org"],
  "embedOrigins": [],
  "widget": { "url": "/api/widget", "widgets": [ { "id": "overview", "title": "Overview", "sizes": ["s", "l"] } ] },
  "categories": ["sales"],
  "frontchannelLogoutUrl": null,
  "permissions": [
    { "permission": "crm.contacts:read", "title": "Read contacts", "risk": "low" },
    { "permission": "crm.contacts:purge", "title": "Purge contacts", "risk": "high", "apiKeyExempt": true }
  ],
  "roleBundles": [
    { "id": "crm-guest", "title": "Guest", "roles": ["guest"], "permissions": [] },
    { "id": "crm-admin", "title": "Admin", "roles": ["admin", "owner"], "permissions": ["crm.*:*"] }
  ],
  "apiKeyScopes": [ { "scope": "contacts.read", "title": "Read", "permissions": ["crm.contacts:read"], "bindable": ["pipeline"] } ],
  "bindableResources": [ { "type": "pipeline", "title": "Pipeline", "listUrl": "/internal/pipelines", "idPattern": "^pip_[0-9a-z]{26}$" } ],
  "webhookEvents": ["crm.contact.created", "crm.import.completed"],
  "texts": { "de": { "permissions": { "crm.contacts:read": { "title": "Kontakte lesen" } }, "apiKeyScopes": { "contacts.read": { "title": "Lesen", "description": "Kontakte" } } } },
  "onboarding": { "steps": [ { "id": "profile", "title": "Profile", "required": true } ] },
  "landing": { "headline": "CRM", "sub": "Contacts", "ctas": [ { "label": "Start", "href": "/app" } ] },
  "collections": ["business-essentials"],
  "store": { "slug": "crm", "tagline": "Contacts", "longDescription": "All of them", "screenshots": ["/one.png", "https://example.org/two.png"],
             "changelog": [ { "version": "1.4.0", "date": "2026-11-28", "text": "Faster" } ], "privacyUrl": "/privacy", "supportUrl": "",
             "related": ["calendar"], "comingSoon": false },
  "commerce": { "pricing": "paid", "bundleEligible": true, "countsTowardBundle": true, "trialDays": 14, "salesContact": false,
                "minimumPrice": { "amount": 900, "currency": "USD", "interval": "month" }, "listedPriceIsMinimum": true },
  "mobile": { "universalLinkPrefix": "", "ios": { "teamId": "A1B2C3D4E5", "bundleId": "org.example.crm", "appStoreUrl": "" },
              "android": { "packageName": "org.example.crm", "sha256CertFingerprints": [], "playStoreUrl": "" } }
})";

/// All errors of the full manifest with one text replaced by another.
std::vector<std::string> errorsWith(std::string_view from, std::string_view to)
{
    std::string text = full;
    const auto at = text.find(from);
    CPPUNIT_ASSERT_MESSAGE("the manifest of this test holds no " + std::string(from), at != std::string::npos);
    text.replace(at, from.size(), to);
    auto read = ManifestReader().parse("/p/crm/manifest.json", text);
    CPPUNIT_ASSERT_MESSAGE("accepted: " + std::string(to), !read.manifest);
    return std::move(read.errors);
}

void expectError(std::string_view from, std::string_view to, const std::string& expected)
{
    const auto errors = errorsWith(from, to);
    equal(1, errors.size());
    equal(expected, errors[0]);
}
} // namespace

/// Reading manifests: what is taken from them, and that every fault is named with place, expectation, find and remedy.
class ManifestTest : public Suite<ManifestTest>
{
    TEST(helpersStayInTheFolder)
    {
        for (const auto* path : {"../images", "helpers/../images", "/bin/true", "helpers//images", "helpers/", ".hidden", ""})
            equal(1, errorsWith(R"("helpers/images")", '"' + std::string(path) + '"').size(), path);
    }

    TEST(readsAllParts)
    {
        const auto read = ManifestReader().parse("/p/crm/manifest.json", full);
        CPPUNIT_ASSERT_MESSAGE(read.errors.empty() ? "" : read.errors[0], read.manifest != nullptr);
        const auto& manifest = *read.manifest;
        equal("crm", manifest.serviceId);
        equal("crm.so", manifest.library);
        equal("helpers/images", manifest.helpers.at(0));
        equal("^2", manifest.needs.at(0).version);
        equal("crm.contacts", manifest.provides.at(0).interface);
        equal("/p/crm/migrations", manifest.migrations->string());
        equal("26214400", *manifest.config.at("crm.attachments.maxBytes").defaultValue);
        equal("true", *manifest.config.at("crm.strict").defaultValue);
        equal("tue,mon", *manifest.config.at("crm.days").defaultValue);
        CHECK((manifest.config.at("crm.mode").choices == std::vector<std::string>{"fast", "safe"}));
        equal(5, manifest.startSeconds);
        equal(7, manifest.drainSeconds);
        CHECK(!manifest.unmap);
        equal(R"({"permission":"crm.contacts:read","titles":{"en":"Read contacts","de":"Kontakte lesen"}})",
              manifest.refusals.at("crm.contacts:read"));
        CHECK(manifest.hasPermission("crm.contacts:read") && !manifest.hasPermission("crm.contacts:write"));
        CHECK(manifest.hasScope("contacts.read") && manifest.exemptsFromKeys("crm.contacts:purge"));
        equal(64, manifest.sha256.size());
    }

    TEST(namesFileLineMemberExpectedAndFound)
    {
        expectError(R"("startSeconds": 5)", R"("startSeconds": "x")",
                    R"(/p/crm/manifest.json:19:20: plugin.lifecycle.startSeconds: expected an integer from 1 to 600, found "x")");
        expectError(R"("startSeconds": 5)", R"("startSeconds": 601)",
                    R"(/p/crm/manifest.json:19:20: plugin.lifecycle.startSeconds: expected an integer from 1 to 600, found 601)");
        expectError(
            R"("library": "crm.so")", R"("library": "../crm.so")",
            R"(/p/crm/manifest.json:8:5: plugin.library: expected a file name in the manifest's folder, as crm.so, found "../crm.so")");
        expectError(
            R"("roles": ["guest"])", R"("roles": ["gest"])",
            R"(/p/crm/manifest.json:39:54: roleBundles[0].roles[0]: expected one of "guest", "member", "admin", "super_admin" or "owner", found "gest")");
        expectError(R"("contexts": ["organization"])", R"("contexts": [])",
                    R"(/p/crm/manifest.json:25:3: contexts: expected an array of at least 1 element, found an array)");
    }

    TEST(storeAndCommerceThatDoNotFit)
    {
        for (const auto& [from, to] :
             {std::pair{"\"sizes\": [\"s\", \"l\"]", "\"sizes\": [\"xl\"]"},
              std::pair{"\"tagline\": \"Contacts\"", "\"tagLine\": \"Contacts\""}, std::pair{"\"2026-11-28\"", "\"28.11.2026\""},
              std::pair{"\"privacyUrl\": \"/privacy\"", "\"privacyUrl\": \"javascript:alert(1)\""},
              std::pair{"\"pricing\": \"paid\"", "\"pricing\": \"cheap\""}, std::pair{"\"amount\": 900", "\"amount\": -1"},
              std::pair{"\"currency\": \"USD\"", "\"currency\": \"usd\""}, std::pair{"A1B2C3D4E5", "a1"},
              std::pair{"\"sha256CertFingerprints\": []", "\"sha256CertFingerprints\": [\"AB:CD\"]"},
              std::pair{"\"collections\": [\"business-essentials\"]", "\"collections\": [\"Business\"]"}})
            equal(1, errorsWith(from, to).size(), to);
    }

    TEST(unknownMemberNamesTheNearest)
    {
        expectError(R"("requires":)", R"("require":)",
                    "/p/crm/manifest.json:10:5: plugin.require: there is no such member: did you mean 'requires'?");
        expectError(R"("vendor":)", R"("zzzzzzzz":)", "/p/crm/manifest.json:6:3: zzzzzzzz: there is no such member: remove it");
    }

    TEST(missingMember)
    {
        expectError(R"("sdk": { "epoch": 1, "minMinor": 0 },)", "",
                    "/p/crm/manifest.json:7:3: plugin: expected a member 'sdk', found none: add it");
        expectError(R"("version": "1.4.0",)", "", "/p/crm/manifest.json:1:1: expected a member 'version', found none: add it");
    }

    TEST(syntaxErrorNamesItsLine)
    {
        const auto errors = errorsWith(R"("name": "CRM",)", R"("name": "CRM")");
        equal(1, errors.size());
        CPPUNIT_ASSERT_MESSAGE(errors[0], errors[0].starts_with("/p/crm/manifest.json:6:3: expected JSON, found "));
        CHECK(!ManifestReader().parse("m", std::string(full) + "x").manifest);
        CHECK(!ManifestReader().parse("m", "[]").manifest);
        CHECK(!ManifestReader().parse("m", "").manifest);
    }

    TEST(longTextIsCutBetweenCharacters)
    {
        // 76 bytes of the shown text are left for characters of one, two, three and four bytes: each is there as a whole or not at all.
        for (const std::string_view character : {"a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"})
        {
            std::string title, shown;
            for (int i = 0; i < 121; ++i) title += character;
            for (std::size_t i = 0; i < 76 / character.size(); ++i) shown += character;
            const auto errors = errorsWith(R"("name": "CRM")", "\"name\": \"" + title + "\"");
            equal(1, errors.size());
            CPPUNIT_ASSERT_MESSAGE(errors[0], errors[0].ends_with("found \"" + shown + "..."));
        }
    }

    TEST(contextsThatItServes)
    {
        const auto contexts = [](std::string_view with)
        {
            std::string text = full;
            const std::string_view member = R"("contexts": ["organization"],)";
            text.replace(text.find(member), member.size(), with);
            const auto read = ManifestReader().parse("/p/crm/manifest.json", text);
            CPPUNIT_ASSERT_MESSAGE(read.errors.empty() ? "" : read.errors[0], read.manifest != nullptr);
            return std::string(read.manifest->servesContext("org_1") ? "organization " : "") +
                   (read.manifest->servesContext("") ? "personal" : "");
        };
        equal("organization ", contexts(R"("contexts": ["organization"],)"));
        equal("personal", contexts(R"("contexts": ["personal"],)"));
        equal("organization personal", contexts(R"("contexts": ["personal", "organization"],)"));
        equal("organization ", contexts(""));
    }

    TEST(collectsAllFaults)
    {
        const auto errors = errorsWith(R"("version": "1.4.0",
  "name": "CRM",
  "vendor": "example.org",)",
                                       R"("version": "one", "name": "", "vendor": 7,)");
        equal(3, errors.size());
    }

    TEST(duplicateMember)
    {
        expectError(R"("vendor": "example.org",)", "\"vendor\": \"a\",\n \"vend\\u006fr\": \"b\",",
                    "/p/crm/manifest.json:7:2: vendor: expected each member once, found it again: remove one");
    }

    TEST(patternsAreWhole)
    {
        // Neither a line end after what is right nor something before it passes.
        equal(1, errorsWith(R"("library": "crm.so")", R"("library": "crm.so\n")").size());
        equal(1, errorsWith(R"("https://crm.example.org")", R"("https://crm.example.org/path")").size());
        equal(1, errorsWith(R"("launchUrl": "/")", R"("launchUrl": "//evil.example")").size());
        equal(1, errorsWith(R"("launchUrl": "/")", R"("launchUrl": "javascript:alert")").size());
        for (const auto* uri : {"//evil.example/cb", "javascript:/alert", "crm:/cb", "com.example.crm:cb", "http://evil.example/cb",
                                "http://localhost.evil.example/cb", "https://crm.example.org/#cb", "/a b", ""})
            equal(1, errorsWith(R"("com.example.crm:/cb")", '"' + std::string(uri) + '"').size(), uri);
        equal(1, errorsWith(R"("version": "^2")", R"("version": ">=2")").size());
    }

    TEST(permissionOfAnotherService)
    {
        const auto errors = errorsWith(R"("permission": "crm.contacts:purge")", R"("permission": "identity.contacts:purge")");
        equal(
            R"(/p/crm/manifest.json:36:7: permissions[1].permission: expected a name that begins with 'crm.', found "identity.contacts:purge")",
            errors.at(0));
    }

    TEST(bundleWithoutItsPermission)
    {
        expectError(
            R"("crm.*:*")", R"("crm.contact:read")",
            R"(/p/crm/manifest.json:40:89: roleBundles[1].permissions[0]: expected a name that 'permissions' lists, found "crm.contact:read": did you mean "crm.contacts:read"?)");
        // A pattern must cover something; these do.
        for (const auto* pattern : {R"("crm.contacts:*")", R"("crm.*:read")"})
        {
            std::string text = full;
            text.replace(text.find(R"("crm.*:*")"), 9, pattern);
            CHECK(ManifestReader().parse("m", text).manifest);
        }
        equal(1, errorsWith(R"("crm.*:*")", R"("crm.notes:*")").size());
        equal(1, errorsWith(R"("crm.*:*")", R"("identity.*:*")").size());
    }

    TEST(scopeOfAnExemptPermission)
    {
        const auto errors =
            errorsWith(R"("permissions": ["crm.contacts:read"], "bindable")", R"("permissions": ["crm.contacts:purge"], "bindable")");
        CPPUNIT_ASSERT_MESSAGE(errors.at(0), errors.at(0).find("which is apiKeyExempt") != std::string::npos);
    }

    TEST(scopeWithoutItsResource)
    {
        expectError(
            R"("bindable": ["pipeline"])", R"("bindable": ["pipelin"])",
            R"(/p/crm/manifest.json:42:117: apiKeyScopes[0].bindable[0]: expected a name that 'bindableResources' lists, found "pipelin": did you mean "pipeline"?)");
    }

    TEST(launchableNeedsApplicationAndUrl)
    {
        CHECK(errorsWith(R"("surface_kind": "application")", R"("surface_kind": "api")").at(0).find("expected surface_kind") !=
              std::string::npos);
        CHECK(errorsWith(R"("launchUrl": "/",)", "").at(0).find("expected a launchUrl") != std::string::npos);
    }

    TEST(interfacesOfTheHostAreItsOwn)
    {
        const auto errors = errorsWith(R"("interface": "crm.contacts")", R"("interface": "host.operations")");
        CPPUNIT_ASSERT_MESSAGE(errors.at(0), errors.at(0).find("names that begin with host. are those of the host") != std::string::npos);
    }

    TEST(settingOutsideTheService)
    {
        CHECK(errorsWith(R"("crm.greeting")", R"("identity.greeting")").at(0).find("expected a name that begins with 'crm.'") !=
              std::string::npos);
    }

    TEST(defaultOfAnotherType)
    {
        expectError(
            R"("default": 30)", R"("default": "30 s")",
            R"(/p/crm/manifest.json:15:48: plugin.config.crm.import.pause.default: expected a default of the type "seconds" (an integer))");
    }

    TEST(eventsOfOthers)
    {
        CHECK(errorsWith(R"("crm.import.completed")", R"("desk.import.completed")").at(0).find("expected a name that begins with 'crm.'") !=
              std::string::npos);
        CHECK(errorsWith(R"("crm.import.completed")", R"("crm.contact.created")").at(0).find("again: remove it") != std::string::npos);
        equal(1, errorsWith(R"("crm.import.completed")", R"("crm.*")").size());
    }

    TEST(textsOfWhatIsNotListed)
    {
        const auto first = [](std::string_view from, std::string_view to) { return errorsWith(from, to).at(0); };
        CHECK(first(R"("crm.contacts:read": { "title": "Kontakte)", R"("crm.contact:read": { "title": "Kontakte)")
                  .ends_with("texts.de.permissions: expected a name that 'permissions' lists, found \"crm.contact:read\": did you mean "
                             "\"crm.contacts:read\"?"));
        CHECK(first(R"("contacts.read": { "title": "Lesen)", R"("deals.close": { "title": "Lesen)")
                  .find("texts.de.apiKeyScopes: expected a name that 'apiKeyScopes' lists") != std::string::npos);
        equal(1, errorsWith(R"("de": {)", R"("german": {)").size());
        equal(1, errorsWith(R"("title": "Lesen", )", "").size());
    }

    TEST(choicesThatDoNotFit)
    {
        expectError(R"("choices": ["fast", "safe"], "default": "safe")", R"("default": "safe")",
                    "/p/crm/manifest.json:17:147: plugin.config.crm.mode.choices: expected the words of the choice, found none");
        CHECK(errorsWith(R"("default": "safe")", R"("default": "slow")").at(0).find("of the choices, found \"slow\"") != std::string::npos);
        CHECK(errorsWith(R"(["tue", "mon"])", R"(["sun"])").at(0).find("of the choices, found [\"sun\"]") != std::string::npos);
        CHECK(errorsWith(R"({ "type": "url" })", R"({ "type": "url", "choices": ["a"] })")
                  .at(0)
                  .find("with the type \"choice\" or \"list\" only") != std::string::npos);
        CHECK(errorsWith(R"("default": ["tue", "mon"])", R"("default": "tue")").at(0).find("(an array of texts)") != std::string::npos);
    }

    TEST(defaultOutOfBounds)
    {
        CHECK(errorsWith(R"("default": 26214400)", R"("default": 0)").at(0).find("between minimum and maximum, found 0") !=
              std::string::npos);
    }

    TEST(hostileDepthAndSize)
    {
        CHECK(!ManifestReader().parse("m", std::string(100'000, '[')).manifest);
        CHECK(!ManifestReader().parse("m", R"({"manifestVersion": 1e400})").manifest);
        CHECK(!ManifestReader().parse("m", "{\"name\": \"\xff\xfe\"}").manifest);
        equal(1, errorsWith(R"("startSeconds": 5)", R"("startSeconds": 18446744073709551615)").size());
    }

    TEST(unreadableFile)
    {
        portico::tests::TemporaryFolder folder;
        CHECK(ManifestReader().read(folder.path() / "manifest.json").errors.at(0).find("cannot be read") != std::string::npos);
        std::ofstream(folder.path() / "large.json") << std::string(1'048'577, ' ');
        CHECK(ManifestReader().read(folder.path() / "large.json").errors.at(0).find("expected at most 1 MiB") != std::string::npos);
    }

    TEST(shippedManifestsAreRight)
    {
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(SOURCE_TREE) / "plugins"))
        {
            const auto file = entry.path() / "manifest.json";
            if (!std::filesystem::exists(file)) continue;
            const auto read = ManifestReader().read(file);
            CPPUNIT_ASSERT_MESSAGE(read.errors.empty() ? "" : read.errors[0], read.manifest != nullptr);
            equal(entry.path().filename().string(), read.manifest->serviceId);
            ++count;
        }
        CHECK(count >= 5);
    }
};
