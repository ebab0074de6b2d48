#include "ctl/TemporaryDirectory.h"
#include "support/Suite.h"

#include "host/ctl/Command.h"
#include "host/ctl/Terminal.h"

#include <boost/json.hpp>

#include <sstream>

namespace portico::test
{

using namespace host::ctl;
using portico::testing::equal;
using portico::testing::Suite;

namespace json = boost::json;
namespace fs = std::filesystem;

namespace
{
constexpr std::string_view manifest = R"({"manifestVersion": 1, "service_id": "acme", "version": "1.2.0", "name": "Acme",
    "plugin": {"library": "acme.so", "sdk": {"epoch": 1, "minMinor": 0}, "migrations": {"dir": "migrations"}},
    "surface_kind": "internal", "surface_group": "platform", "permissions": []})";
} // namespace

/// Keys, signatures and checks of plugin folders, without a daemon. tests/plugins looks into what is refused and why, and
/// tests/http/new_plugin.py signs and checks a real one.
class PluginCommandsTest : public Suite<PluginCommandsTest>
{
    void setUp() override
    {
        _directory.write("acme/manifest.json", manifest);
        _directory.write("acme/acme.so", std::string(100, 'x'));
        _directory.write("acme/migrations/0001_notes.sql", "CREATE TABLE notes (id TEXT);\n");
        fs::create_directory(_directory.path() / "keys");
    }

    TEST(wrongUsage)
    {
        for (const auto& words : std::vector<std::vector<std::string>>{{"plugin"},
                                                                       {"plugin", "sing"},
                                                                       {"plugin", "keygen"},
                                                                       {"plugin", "keygen", "a", "b"},
                                                                       {"plugin", "sign", folder()},
                                                                       {"plugin", "sign", "--key", "k"},
                                                                       {"plugin", "verify"},
                                                                       {"plugin", "verify", folder() + "-absent"},
                                                                       {"plugin", "verify", folder() + "/manifest.json"},
                                                                       {"verify", folder(), "--trusted-keys", folder() + "-absent"},
                                                                       {"verify", "--key", "k"}})
            equal(exitUsage, runWords(words), words.back());
    }

    TEST(keygenNeverOverwrites)
    {
        equal(exitDone, runWords({"--json", "plugin", "keygen", key()}));
        const auto answer = json::parse(_out.str());
        CHECK(answer.at("privateKey").as_string() == key());
        CHECK(answer.at("publicKey").as_string() == (_directory.path() / "keys/acme.pub").string());
        equal(64, answer.at("fingerprint").as_string().size());
        equal(exitRefused, runWords({"plugin", "keygen", key()}));
        CHECK(_errors.str().find("acme.pub: the file exists and was not changed: choose another name") != std::string::npos);
    }

    TEST(signThenVerify)
    {
        sign();
        CHECK(fs::exists(_directory.path() / "acme/SHA256SUMS.sig"));
        equal(exitDone, verify());
        equal("ok  " + folder() + ": acme 1.2.0, signed by acme\n", _out.str());
        equal(exitDone, runWords({"plugin", "verify", "--json", "--trusted-keys", keys(), folder()}));
        const auto answer = json::parse(_out.str());
        CHECK(answer.at("ok").as_bool());
        CHECK(answer.at("plugins").at(0).at("key") == "acme");
        _directory.write("acme/migrations/0001_notes.sql", "DROP TABLE notes;\n");
        equal(exitRefused, verify());
        CHECK(_out.str().find("0001_notes.sql: expected the SHA-256 ") != std::string::npos);
        equal(exitRefused, runWords({"plugin", "verify", "--json", "--trusted-keys", keys(), folder()}));
        CHECK(!json::parse(_out.str()).at("ok").as_bool());
        // One that is right does not make up for one that is not.
        fs::copy(_directory.path() / "acme", _directory.path() / "other", fs::copy_options::recursive);
        equal(exitDone, runWords({"plugin", "sign", "--key", key(), (_directory.path() / "other").string()}));
        equal(exitRefused, runWords({"plugin", "verify", "--trusted-keys", keys(), folder(), (_directory.path() / "other").string()}));
    }

    TEST(unsignedPluginDoesNotVerify)
    {
        equal(exitRefused, verify());
        CHECK(_out.str().find("SHA256SUMS.sig: expected a signature by one of the keys in " + keys() + " (none is there), found none") !=
              std::string::npos);
    }

    TEST(keysAreListedWithTheirFingerprints)
    {
        equal(exitDone, runWords({"plugin", "keys", "--trusted-keys", keys()}));
        equal("No key is trusted: there is none in " + keys() + ".\n", _out.str());
        runWords({"plugin", "keygen", "--json", key()});
        const auto made = json::parse(_out.str());
        equal(exitDone, runWords({"plugin", "keys", "--json", "--trusted-keys", keys()}));
        auto answer = json::parse(_out.str());
        CHECK(answer.at("keys").at(0) == (json::object{{"name", "acme"}, {"fingerprint", made.at("fingerprint")}}));
        _directory.write("keys/broken.pub", "no key");
        equal(exitRefused, runWords({"plugin", "keys", "--trusted-keys", keys()}));
        CHECK(_out.str().find("error: " + keys() + "/broken.pub: expected an Ed25519 public key") != std::string::npos);
        CHECK(_out.str().find("acme  ") != std::string::npos);
    }

    TEST(signRefusesWhatIsNoPlugin)
    {
        runWords({"plugin", "keygen", key()});
        equal(exitRefused, runWords({"plugin", "sign", "--key", key(), keys()}));
        CHECK(_errors.str().find("keys/manifest.json: cannot be read") != std::string::npos);
        CHECK(!fs::exists(_directory.path() / "keys/SHA256SUMS"));
    }

    TEST(signWantsAKeyThatIsPrivate)
    {
        runWords({"plugin", "keygen", key()});
        fs::permissions(key(), fs::perms::others_read, fs::perm_options::add);
        equal(exitRefused, runWords({"plugin", "sign", "--key", key(), folder()}));
        CHECK(_errors.str().find("chmod 600 it") != std::string::npos);
        equal(exitRefused, runWords({"plugin", "sign", "--key", keys() + "/acme.pub", folder()}));
        CHECK(!fs::exists(_directory.path() / "acme/SHA256SUMS"));
    }

    TEST(verifyReportsAllFaults)
    {
        _directory.write("acme/migrations/0003_gap.sql", "SELECT 1;\n");
        equal(exitRefused, runWords({"verify", "--json", "--signed", "--trusted-keys", keys(), folder()}));
        const auto check = json::parse(_out.str()).at("plugins").at(0);
        CHECK(check.at("service") == "acme");
        CHECK(!check.at("signed").as_bool());
        std::string failed;
        for (const auto& step : check.at("checks").as_array())
            if (!step.at("ok").as_bool()) failed += std::string(step.at("name").as_string()) + " ";
        equal("library migrations signed ", failed);
        equal(exitRefused, runWords({"verify", "--trusted-keys", keys(), folder()}));
        CPPUNIT_ASSERT_MESSAGE(_out.str(),
                               _out.str().find("library: " + folder() + "/acme.so: expected a shared object (ELF)") != std::string::npos);
        CHECK(_out.str().find("expected migration 2, found 3; numbers run from 1 without gaps") != std::string::npos);
        CHECK(_out.str().find("warning: it is not signed") != std::string::npos);
    }

    TEST(verifyReadsMigrationsForBothDatabases)
    {
        _directory.write("acme/migrations/0002_twin.sqlite.sql", "SELECT 1;\n");
        equal(exitRefused, runWords({"verify", folder()}));
        CHECK(_out.str().find("expected a twin for PostgreSQL") != std::string::npos);
    }

    TEST(verifyOfWhatIsInstalled)
    {
        // Beside the tests' program lie the services of this tree, or none where they were not built.
        const auto status = runWords({"verify", "--json"});
        if (status == exitRefused) return CHECK(_errors.str().find("No plugin is installed beside this porticoctl") != std::string::npos);
        equal(exitDone, status);
        const auto answer = json::parse(_out.str());
        for (const auto& check : answer.at("plugins").as_array()) CHECK(check.at("builtIn").as_bool());
    }

    std::string folder() const { return (_directory.path() / "acme").string(); }
    std::string keys() const { return (_directory.path() / "keys").string(); }
    std::string key() const { return keys() + "/acme.key"; }

    void sign()
    {
        equal(exitDone, runWords({"plugin", "keygen", key()}));
        equal(exitDone, runWords({"plugin", "sign", "--key", key(), folder()}));
        CHECK(_out.str().starts_with("Signed acme 1.2.0: 3 files"));
    }

    int verify() { return runWords({"plugin", "verify", "--trusted-keys", keys(), folder()}); }

    int runWords(std::vector<std::string> words)
    {
        _out.str({});
        _errors.str({});
        return host::ctl::run(std::move(words), _input, Terminal(_out, false), _errors);
    }

    const TemporaryDirectory _directory;
    std::istringstream _input;
    std::ostringstream _out;
    std::ostringstream _errors;
};

} // namespace portico::test
