#include "plugins/Workbench.h"
#include "support/Suite.h"

#include "host/ctl/FolderCheck.h"
#include "host/plugins/package/FileList.h"
#include "host/plugins/trust/FolderSignature.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace portico;
using namespace portico::host::plugins;
using portico::host::ctl::checkFolder;
using portico::tests::textOf;
using portico::tests::Workbench;

namespace fs = std::filesystem;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

void expectPart(const std::string& text, std::string_view part) { CPPUNIT_ASSERT_MESSAGE(text, text.find(part) != std::string::npos); }

void append(const fs::path& file, std::string_view text) { std::ofstream(file, std::ios::app | std::ios::binary) << text; }

void writeWhole(const fs::path& file, std::string_view text)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::trunc | std::ios::binary) << text;
}

std::string contentOf(const fs::path& file)
{
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return std::move(text).str();
}

/// A host whose plugin `acme` is a third party's, with a migration and a page, and one that came with the host.
struct ThirdParty : Workbench
{
    ThirdParty()
    {
        settings.trust.services.isBuiltIn = [](const std::string& id, const fs::path&) { return id == "own"; };
        settings.trust.trustedKeys = folder.path() / "trusted-keys.d";
        fs::create_directories(settings.trust.trustedKeys);
        install("ok-v1", "acme", {{"plugin.migrations", R"({"dir":"migrations"})"}, {"origins", R"(["https://acme.example"])"}});
        writeWhole(acme() / "migrations" / "0001_things.sql", "CREATE TABLE things (id TEXT);\n");
        writeWhole(acme() / "web" / "pages" / "index.html", "<p>Things</p>\n");
        install("ok-v1", "own");
    }

    fs::path acme() const { return plugins() / "acme"; }
    void sign() const { signFolder(acme(), key); }
    void trust(const std::string& name = "acme") const { writeWhole(settings.trust.trustedKeys / (name + ".pub"), key.publicKey().pem()); }
    void revoke(const std::string& name = "acme") const { fs::remove(settings.trust.trustedKeys / (name + ".pub")); }

    fs::path revoked() const { return settings.trust.trustedKeys / "revoked"; }

    std::string provenance() const { return report("acme").generations.at(0).provenance; }

    PrivateKey key = PrivateKey::generate();
};

/// A directory that is looked into before that of the host, with a plugin of a service's id.
struct Shadowed : ThirdParty
{
    Shadowed()
    {
        settings.trust.services.isBuiltIn = [this](const std::string& id, const fs::path& place)
        { return id == "own" && place.parent_path() == plugins(); };
        settings.trust.services.isOwnId = [](const std::string& id) { return id == "own"; };
        fs::remove_all(acme());
        install("ok-v2", "own");
        fs::create_directories(elsewhere());
        fs::rename(plugins() / "own", elsewhere() / "own");
        install("ok-v1", "own");
        settings.pluginDirectories.insert(settings.pluginDirectories.begin(), elsewhere());
    }

    fs::path elsewhere() const { return folder.path() / "elsewhere"; }
};

bool serves(const Workbench& bench, const std::string& id) { return bench.publisher.get(id, "/answer").first == 200; }

/// A plugin that was signed by a trusted key, then changed: refused, though it is named in the configuration too.
std::string refusalAfter(const std::function<void(ThirdParty&)>& change)
{
    ThirdParty bench;
    bench.sign();
    bench.trust();
    bench.settings.trust.allowUnsigned = {"acme"};
    change(bench);
    bench.begin();
    const auto result = bench.startAll();
    CPPUNIT_ASSERT_MESSAGE("it was loaded", !result.succeeded);
    CHECK(bench.report("acme").state == State::Failed);
    CHECK(!serves(bench, "acme"));
    CHECK(serves(bench, "own"));
    equal(1, bench.contexts.alive.load());
    // Nothing of the refused one is left.
    CHECK(!fs::exists(bench.state() / "generations" / "acme" / "1"));
    return textOf(result);
}
} // namespace

/// Loading by signature, key and configuration; a file that was changed after signing is never loaded.
class TrustTest : public Suite<TrustTest>
{
    TEST(signedIsLoaded)
    {
        ThirdParty bench;
        bench.sign();
        bench.trust("release-team");
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        CHECK(serves(bench, "acme"));
        equal("signed by release-team", bench.provenance());
        equal(1, bench.journal.count("provenance=signed by release-team"));
        equal("built-in", bench.report("own").generations.at(0).provenance);
    }

    TEST(unsignedIsRefused)
    {
        ThirdParty bench;
        bench.trust();
        bench.begin();
        const auto result = bench.startAll();
        CHECK(!result.succeeded);
        const auto text = textOf(result);
        expectPart(text, (bench.acme() / "SHA256SUMS.sig").string() + ": expected a signature of 'acme'");
        expectPart(text, "by one of the keys in " + bench.settings.trust.trustedKeys.string() + " (acme), found none");
        expectPart(text, "porticoctl plugin sign");
        expectPart(text, "name it in plugins.allowUnsigned and restart the daemon");
        CHECK(!serves(bench, "acme"));
        CHECK(serves(bench, "own"));
    }

    TEST(unsignedIsLoadedWhereItIsNamed)
    {
        ThirdParty bench;
        bench.settings.trust.allowUnsigned = {"acme"};
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        expectPart(textOf(result), "acme: it is not signed, and is loaded because plugins.allowUnsigned names it");
        equal("unsigned", bench.provenance());
    }

    TEST(builtInNeedsNoSignature)
    {
        ThirdParty bench;
        bench.serve("ok-v2", "own");
        equal(R"({"text":"v2"})", bench.answer("own"));
    }

    TEST(changedBuiltInIsRejected)
    {
        ThirdParty bench;
        signFolder(bench.plugins() / "own", bench.key);
        bench.trust();
        bench.begin();
        bench.startAll();
        CHECK(serves(bench, "own"));
        append(bench.libraryOf("own"), "x");
        const auto result = bench.reload("own");
        CHECK(!result.succeeded);
        expectPart(textOf(result), bench.libraryOf("own").string() + ": expected the SHA-256 ");
        CHECK(serves(bench, "own"));
    }

    TEST(modifiedLibrary)
    {
        expectPart(refusalAfter([](auto& bench) { append(bench.libraryOf("acme"), "x"); }), "acme/plugin.so: expected the SHA-256 ");
    }

    TEST(modifiedManifest)
    {
        expectPart(refusalAfter([](auto& bench) { append(bench.acme() / "manifest.json", "\n"); }),
                   "acme/manifest.json: expected the SHA-256 ");
    }

    TEST(modifiedMigration)
    {
        expectPart(refusalAfter([](auto& bench) { append(bench.acme() / "migrations/0001_things.sql", "DROP TABLE things;\n"); }),
                   "acme/migrations/0001_things.sql: expected the SHA-256 ");
    }

    TEST(modifiedPage)
    {
        expectPart(refusalAfter([](auto& bench) { append(bench.acme() / "web/pages/index.html", "<script>"); }),
                   "acme/web/pages/index.html: expected the SHA-256 ");
    }

    TEST(extraFile)
    {
        expectPart(refusalAfter([](auto& bench) { writeWhole(bench.acme() / "web/extra.js", ""); }),
                   "acme/web/extra.js: expected no file beside those of SHA256SUMS, found this one");
    }

    TEST(removedFile)
    {
        expectPart(refusalAfter([](auto& bench) { fs::remove(bench.acme() / "web/pages/index.html"); }),
                   "acme/web/pages/index.html: expected the file of SHA256SUMS, found none");
    }

    TEST(symbolicLink)
    {
        expectPart(refusalAfter(
                       [](auto& bench)
                       {
                           fs::rename(bench.acme() / "web/pages/index.html", bench.folder.path() / "elsewhere.html");
                           fs::create_symlink(bench.folder.path() / "elsewhere.html", bench.acme() / "web/pages/index.html");
                       }),
                   "index.html: expected files and folders only, found a symbolic link: put the file itself there");
    }

    TEST(untrustedKey)
    {
        const auto text = refusalAfter(
            [](auto& bench)
            {
                bench.revoke();
                writeWhole(bench.settings.trust.trustedKeys / "other.pub", PrivateKey::generate().publicKey().pem());
            });
        expectPart(text, "acme/SHA256SUMS.sig: expected a signature of SHA256SUMS by one of the keys in ");
        expectPart(text, "(other), found one by none of them: put the public key of who signed it there");
    }

    TEST(truncatedSignature)
    {
        expectPart(refusalAfter([](auto& bench) { fs::resize_file(bench.acme() / "SHA256SUMS.sig", 63); }),
                   "SHA256SUMS.sig: expected the 64 bytes of an Ed25519 signature, found 63: have the plugin signed again");
    }

    TEST(emptySignature)
    {
        expectPart(refusalAfter([](auto& bench) { fs::resize_file(bench.acme() / "SHA256SUMS.sig", 0); }),
                   "found 0: have the plugin signed again");
    }

    TEST(signatureOfAnotherPlugin)
    {
        expectPart(refusalAfter(
                       [](auto& bench)
                       {
                           signFolder(bench.plugins() / "own", bench.key);
                           fs::copy_file(bench.plugins() / "own/SHA256SUMS.sig", bench.acme() / "SHA256SUMS.sig",
                                         fs::copy_options::overwrite_existing);
                       }),
                   "acme/SHA256SUMS.sig: expected a signature of SHA256SUMS");
    }

    TEST(signatureWithoutSums)
    {
        expectPart(refusalAfter([](auto& bench) { fs::remove(bench.acme() / "SHA256SUMS"); }),
                   "acme/SHA256SUMS: expected the list of files that SHA256SUMS.sig signs, found none");
    }

    TEST(garbageSums)
    {
        for (const std::string_view garbage : {"garbage\n", "\n", "\1\2\n", "x"})
            expectPart(refusalAfter([&](auto& bench) { writeWhole(bench.acme() / "SHA256SUMS", garbage); }),
                       "acme/SHA256SUMS: line 1: expected ");
        expectPart(refusalAfter([](auto& bench) { writeWhole(bench.acme() / "SHA256SUMS", ""); }),
                   "acme/manifest.json: expected no file beside those of SHA256SUMS");
        expectPart(refusalAfter(
                       [](auto& bench)
                       {
                           fs::remove(bench.acme() / "SHA256SUMS");
                           fs::create_directory(bench.acme() / "SHA256SUMS");
                       }),
                   "acme/SHA256SUMS: ");
    }

    TEST(sumsRewrittenWithoutTheKey)
    {
        expectPart(refusalAfter(
                       [](auto& bench)
                       {
                           append(bench.libraryOf("acme"), "x");
                           writeWhole(bench.acme() / "SHA256SUMS", FileList::of(bench.acme()).text());
                       }),
                   "acme/SHA256SUMS.sig: expected a signature of SHA256SUMS by one of the keys");
    }

    TEST(sumsWithoutSignature)
    {
        ThirdParty bench;
        writeWhole(bench.acme() / "SHA256SUMS", FileList::of(bench.acme()).text());
        bench.begin();
        expectPart(textOf(bench.startAll()), "acme/SHA256SUMS.sig: expected a signature of 'acme'");
        bench.end();
        bench.settings.trust.allowUnsigned = {"acme"};
        bench.begin();
        CHECK(bench.startAll().succeeded);
        append(bench.libraryOf("acme"), "x");
        expectPart(textOf(bench.reload("acme")), "acme/plugin.so: expected the SHA-256 ");
    }

    TEST(revokedKey)
    {
        ThirdParty bench;
        bench.sign();
        bench.trust();
        bench.begin();
        CHECK(bench.startAll().succeeded);
        bench.revoke();
        const auto result = bench.reload("acme");
        CHECK(!result.succeeded);
        expectPart(textOf(result), "generation 1 serves on; the new one was refused: it is not loaded:");
        expectPart(textOf(result), "(none is there), found one by none of them");
        CHECK(serves(bench, "acme"));
        // Stopped, it does not come back.
        bench.disable("acme");
        CHECK(!bench.enable("acme").succeeded);
        CHECK(!serves(bench, "acme"));
        bench.trust("new-name");
        CHECK(bench.enable("acme").succeeded);
        equal("signed by new-name", bench.provenance());
    }

    TEST(keyThatCannotBeUsedIsNamed)
    {
        ThirdParty bench;
        bench.sign();
        writeWhole(bench.settings.trust.trustedKeys / "acme.pub", bench.key.pem());
        writeWhole(bench.settings.trust.trustedKeys / "broken.pub", "-----BEGIN PUBLIC KEY-----\n");
        bench.begin();
        const auto text = textOf(bench.startAll());
        expectPart(text, "acme.pub: expected a public key, found a private one");
        expectPart(text, "broken.pub: expected an Ed25519 public key in PEM");
        // One broken key takes nothing from the others.
        bench.trust("good");
        CHECK(bench.reload("acme").succeeded);
    }

    TEST(filesReplacedAfterTheyWereVerified)
    {
        ThirdParty bench;
        bench.sign();
        bench.trust();
        std::string migrated;
        bench.contexts.duringMigration = [&](const Manifest& manifest)
        {
            if (manifest.serviceId != "acme") return;
            // Between check and load, other files replace the plugin's installed ones.
            bench.install("ok-v2", "acme");
            writeWhole(bench.acme() / "migrations/0001_things.sql", "DROP TABLE things;\n");
            migrated = contentOf(*manifest.migrations / "0001_things.sql");
            equal("<p>Things</p>\n", contentOf(manifest.directory() / "web/pages/index.html"));
        };
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        equal("CREATE TABLE things (id TEXT);\n", migrated);
        equal(R"({"text":"v1"})", bench.answer("acme"));
        // The new files are rejected.
        CHECK(!bench.reload("acme").succeeded);
        equal(R"({"text":"v1"})", bench.answer("acme"));
    }

    TEST(originsOfARefusedPluginAreNotPublished)
    {
        ThirdParty bench;
        bench.begin();
        bench.startAll();
        CHECK(originsOf(bench).empty());
        bench.sign();
        bench.trust();
        CHECK(bench.reload("acme").succeeded);
        equal("https://acme.example", originsOf(bench).at(0));
    }

    TEST(migratingVerifiesFirst)
    {
        ThirdParty bench;
        bench.switches = {{"acme", false}};
        bench.sign();
        bench.trust();
        fs::path from;
        bench.contexts.duringMigration = [&](const Manifest& manifest) { from = manifest.migrations.value_or(""); };
        bench.begin();
        bench.startAll();
        CHECK(bench.lifecycle->migrate("acme", "test").get().succeeded);
        CPPUNIT_ASSERT_MESSAGE("the copy was migrated, not what is installed", from.string().starts_with(bench.state().string()));
        CPPUNIT_ASSERT_MESSAGE("the copy went with it", !fs::exists(from));
        CHECK(bench.report("acme").state == State::Disabled);
        append(bench.acme() / "migrations/0001_things.sql", "DROP TABLE things;\n");
        from.clear();
        const auto result = bench.lifecycle->migrate("acme", "test").get();
        CHECK(!result.succeeded);
        expectPart(textOf(result), "0001_things.sql: expected the SHA-256");
        CHECK(from.empty());
    }

    TEST(safeModeStartsOnlyWhatCameWithTheHost)
    {
        ThirdParty bench;
        bench.sign();
        bench.trust();
        bench.settings.trust.safeMode = true;
        bench.begin();
        const auto started = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(started), started.succeeded);
        expectPart(textOf(started), "acme: the host runs in safe mode (--safe-mode or plugins.safeMode)");
        CHECK(serves(bench, "own"));
        CHECK(!serves(bench, "acme"));
        std::shared_ptr<const tests::FakePublisher::Set> set;
        CHECK(bench.publisher.find("acme", set)->status == ServiceStatus::Disabled);
        const auto report = bench.report("acme");
        CHECK(report.state == State::Disabled && report.enabled);
        expectPart(report.lastError, "safe mode");
        // Nothing starts it, and its code was not even copied.
        CHECK(!bench.enable("acme").succeeded);
        CHECK(!bench.reload("acme").succeeded);
        bench.lifecycle->reloadAll("test").get();
        CHECK(!serves(bench, "acme"));
        equal(1, bench.contexts.alive.load());
        CHECK(!fs::exists(bench.state() / "generations" / "acme"));
        // Out of safe mode it starts again.
        bench.end();
        bench.settings.trust.safeMode = false;
        bench.begin();
        CHECK(bench.startAll().succeeded);
        CHECK(serves(bench, "acme"));
    }

    static std::vector<std::string> originsOf(const Workbench& bench)
    {
        std::shared_ptr<const tests::FakePublisher::Set> set;
        return bench.publisher.find("acme", set)->manifest->origins;
    }

    /// By the hash of its list, as sha256sum prints it, while the key stays trusted.
    TEST(revokedVersion)
    {
        ThirdParty bench;
        bench.sign();
        bench.trust();
        bench.begin();
        CHECK(bench.startAll().succeeded);
        writeWhole(bench.revoked(), "# leaks\n\n" + sha256OfFile(bench.acme() / "SHA256SUMS") + "  acme/SHA256SUMS\n");
        const auto refused = bench.reload("acme");
        CHECK(!refused.succeeded);
        expectPart(textOf(refused), (bench.acme() / "SHA256SUMS").string() + ": expected a file that is trusted, found one that " +
                                        bench.revoked().string() + ":3 takes the trust from");
        CHECK(serves(bench, "acme"));
        bench.end();
        bench.begin();
        bench.startAll();
        CHECK(!serves(bench, "acme"));
        // Another version of the same maker is taken.
        append(bench.acme() / "web/pages/index.html", "<p>More</p>\n");
        bench.sign();
        const auto result = bench.reload("acme");
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
    }

    TEST(revokedLibraryOfAnUnsignedPlugin)
    {
        ThirdParty bench;
        bench.settings.trust.allowUnsigned = {"acme"};
        writeWhole(bench.revoked(), sha256OfFile(bench.libraryOf("acme")) + "\n");
        bench.begin();
        const auto result = bench.startAll();
        CHECK(!result.succeeded);
        expectPart(textOf(result), bench.libraryOf("acme").string() + ": expected a file that is trusted");
        CHECK(!serves(bench, "acme"));
        const auto check = checkFolder(ManifestReader(), bench.acme(), TrustedKeys::read(bench.settings.trust.trustedKeys), false);
        CHECK(!check.ok());
        fs::remove(bench.revoked());
        CHECK(bench.reload("acme").succeeded);
    }

    /// Its author wanted to revoke a file.
    TEST(revocationsThatCannotBeRead)
    {
        for (const bool isSigned : {true, false})
        {
            ThirdParty bench;
            if (isSigned) bench.sign();
            if (isSigned) bench.trust();
            bench.settings.trust.allowUnsigned = {"acme"};
            writeWhole(bench.revoked(), "0123456789abcdef\n");
            bench.begin();
            const auto result = bench.startAll();
            CHECK(!result.succeeded);
            expectPart(textOf(result), bench.revoked().string() + ":1: expected a SHA-256 as sha256sum prints it");
            CHECK(!serves(bench, "acme"));
            CHECK(serves(bench, "own"));
            writeWhole(bench.revoked(), "");
            CHECK(bench.reload("acme").succeeded);
        }
    }

    /// Going back is the operator's right, and shows; also when the host was restarted in between.
    TEST(olderVersionIsReported)
    {
        const auto installed = [](ThirdParty& bench, const std::string& version)
        {
            bench.install("ok-v1", "acme", {{"version", '"' + version + '"'}});
            bench.sign();
        };
        ThirdParty bench;
        bench.trust();
        installed(bench, "1.10.0");
        bench.begin();
        const auto first = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(first), first.succeeded && first.messages.empty());
        installed(bench, "1.9.0");
        const auto back = bench.reload("acme");
        CHECK(back.succeeded);
        expectPart(textOf(back), "acme: version 1.9.0 is lower than 1.10.0, which served before");
        CHECK(bench.reload("acme").messages.empty());
        installed(bench, "1.9.1");
        CHECK(bench.reload("acme").messages.empty());
        bench.end();
        installed(bench, "1.9.1-rc.2");
        bench.begin();
        expectPart(textOf(bench.startAll()), "acme: version 1.9.1-rc.2 is lower than 1.9.1, which served before");
    }

    TEST(anotherPluginTakesNoPlaceOfTheHosts)
    {
        Shadowed bench;
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        equal(R"({"text":"v1"})", bench.answer("own"));
        const auto text = textOf(result);
        expectPart(text, (bench.elsewhere() / "own/manifest.json").string() + ": expected 'own', a service of the host, from " +
                             (bench.plugins() / "own").string() + " only, found another plugin of that id, which is not loaded");
        expectPart(text, "name it in plugins.override and restart the daemon");
    }

    /// It must be trusted like any other plugin.
    TEST(anotherPluginTakesAPlaceWhereItIsNamed)
    {
        Shadowed bench;
        bench.settings.trust.services.overridden = {"own"};
        bench.begin();
        const auto refused = bench.startAll();
        CHECK(!refused.succeeded);
        expectPart(textOf(refused), "expected a signature of 'own', which did not come with the host");
        CHECK(!serves(bench, "own"));
        signFolder(bench.elsewhere() / "own", bench.key);
        bench.trust();
        const auto result = bench.reload("own");
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        equal(R"({"text":"v2"})", bench.answer("own"));
        equal("signed by acme", bench.report("own").generations.at(0).provenance);
    }

    /// Its package may be installed tomorrow.
    TEST(idOfTheHostIsItsOwnWithoutAPluginToo)
    {
        Shadowed bench;
        fs::remove_all(bench.plugins() / "own");
        bench.begin();
        const auto result = bench.startAll();
        CHECK(!result.succeeded);
        expectPart(textOf(result), (bench.elsewhere() / "own/manifest.json").string() + ": expected 'own', a service of the host");
        CHECK(bench.report("own").state == State::Failed);
        CHECK(!serves(bench, "own"));
    }
};
