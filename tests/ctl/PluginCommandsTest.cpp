#include "ctl/TemporaryDirectory.h"

#include "host/ctl/Command.h"
#include "host/ctl/Terminal.h"

#include <boost/json.hpp>
#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <sstream>

namespace portico::test
{

using namespace host::ctl;

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
class PluginCommandsTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(PluginCommandsTest);
    CPPUNIT_TEST(wrongUsage);
    CPPUNIT_TEST(keygenNeverOverwrites);
    CPPUNIT_TEST(signThenVerify);
    CPPUNIT_TEST(whatIsNotSignedDoesNotVerify);
    CPPUNIT_TEST(keysAreListedWithTheirFingerprints);
    CPPUNIT_TEST(signRefusesWhatIsNoPlugin);
    CPPUNIT_TEST(signWantsAKeyThatIsPrivate);
    CPPUNIT_TEST(verifyTellsEverythingAtOnce);
    CPPUNIT_TEST(verifyReadsMigrationsForBothDatabases);
    CPPUNIT_TEST(verifyOfWhatIsInstalled);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _directory.write("acme/manifest.json", manifest);
        _directory.write("acme/acme.so", std::string(100, 'x'));
        _directory.write("acme/migrations/0001_notes.sql", "CREATE TABLE notes (id TEXT);\n");
        fs::create_directory(_directory.path() / "keys");
    }

    void wrongUsage()
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
            CPPUNIT_ASSERT_EQUAL_MESSAGE(words.back(), exitUsage, runWords(words));
    }

    void keygenNeverOverwrites()
    {
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"--json", "plugin", "keygen", key()}));
        const auto answer = json::parse(_out.str());
        CPPUNIT_ASSERT(answer.at("privateKey").as_string() == key());
        CPPUNIT_ASSERT(answer.at("publicKey").as_string() == (_directory.path() / "keys/acme.pub").string());
        CPPUNIT_ASSERT_EQUAL(std::size_t(64), answer.at("fingerprint").as_string().size());
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"plugin", "keygen", key()}));
        CPPUNIT_ASSERT(_errors.str().find("acme.pub: the file exists and was not changed: choose another name") != std::string::npos);
    }

    void signThenVerify()
    {
        sign();
        CPPUNIT_ASSERT(fs::exists(_directory.path() / "acme/SHA256SUMS.sig"));
        CPPUNIT_ASSERT_EQUAL(exitDone, verify());
        CPPUNIT_ASSERT_EQUAL("ok  " + folder() + ": acme 1.2.0, signed by acme\n", _out.str());
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"plugin", "verify", "--json", "--trusted-keys", keys(), folder()}));
        const auto answer = json::parse(_out.str());
        CPPUNIT_ASSERT(answer.at("ok").as_bool());
        CPPUNIT_ASSERT(answer.at("plugins").at(0).at("key") == "acme");
        _directory.write("acme/migrations/0001_notes.sql", "DROP TABLE notes;\n");
        CPPUNIT_ASSERT_EQUAL(exitRefused, verify());
        CPPUNIT_ASSERT(_out.str().find("0001_notes.sql: expected the SHA-256 ") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"plugin", "verify", "--json", "--trusted-keys", keys(), folder()}));
        CPPUNIT_ASSERT(!json::parse(_out.str()).at("ok").as_bool());
        // One that is right does not make up for one that is not.
        fs::copy(_directory.path() / "acme", _directory.path() / "other", fs::copy_options::recursive);
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"plugin", "sign", "--key", key(), (_directory.path() / "other").string()}));
        CPPUNIT_ASSERT_EQUAL(exitRefused,
                             runWords({"plugin", "verify", "--trusted-keys", keys(), folder(), (_directory.path() / "other").string()}));
    }

    void whatIsNotSignedDoesNotVerify()
    {
        CPPUNIT_ASSERT_EQUAL(exitRefused, verify());
        CPPUNIT_ASSERT(_out.str().find("SHA256SUMS.sig: expected a signature by one of the keys in " + keys() +
                                       " (none is there), found none") != std::string::npos);
    }

    void keysAreListedWithTheirFingerprints()
    {
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"plugin", "keys", "--trusted-keys", keys()}));
        CPPUNIT_ASSERT_EQUAL("No key is trusted: there is none in " + keys() + ".\n", _out.str());
        runWords({"plugin", "keygen", "--json", key()});
        const auto made = json::parse(_out.str());
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"plugin", "keys", "--json", "--trusted-keys", keys()}));
        auto answer = json::parse(_out.str());
        CPPUNIT_ASSERT(answer.at("keys").at(0) == (json::object{{"name", "acme"}, {"fingerprint", made.at("fingerprint")}}));
        _directory.write("keys/broken.pub", "no key");
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"plugin", "keys", "--trusted-keys", keys()}));
        CPPUNIT_ASSERT(_out.str().find("error: " + keys() + "/broken.pub: expected an Ed25519 public key") != std::string::npos);
        CPPUNIT_ASSERT(_out.str().find("acme  ") != std::string::npos);
    }

    void signRefusesWhatIsNoPlugin()
    {
        runWords({"plugin", "keygen", key()});
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"plugin", "sign", "--key", key(), keys()}));
        CPPUNIT_ASSERT(_errors.str().find("keys/manifest.json: cannot be read") != std::string::npos);
        CPPUNIT_ASSERT(!fs::exists(_directory.path() / "keys/SHA256SUMS"));
    }

    void signWantsAKeyThatIsPrivate()
    {
        runWords({"plugin", "keygen", key()});
        fs::permissions(key(), fs::perms::others_read, fs::perm_options::add);
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"plugin", "sign", "--key", key(), folder()}));
        CPPUNIT_ASSERT(_errors.str().find("chmod 600 it") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"plugin", "sign", "--key", keys() + "/acme.pub", folder()}));
        CPPUNIT_ASSERT(!fs::exists(_directory.path() / "acme/SHA256SUMS"));
    }

    void verifyTellsEverythingAtOnce()
    {
        _directory.write("acme/migrations/0003_gap.sql", "SELECT 1;\n");
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"verify", "--json", "--signed", "--trusted-keys", keys(), folder()}));
        const auto check = json::parse(_out.str()).at("plugins").at(0);
        CPPUNIT_ASSERT(check.at("service") == "acme");
        CPPUNIT_ASSERT(!check.at("signed").as_bool());
        std::string failed;
        for (const auto& step : check.at("checks").as_array())
            if (!step.at("ok").as_bool()) failed += std::string(step.at("name").as_string()) + " ";
        CPPUNIT_ASSERT_EQUAL(std::string("library migrations signed "), failed);
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"verify", "--trusted-keys", keys(), folder()}));
        CPPUNIT_ASSERT_MESSAGE(_out.str(),
                               _out.str().find("library: " + folder() + "/acme.so: expected a shared object (ELF)") != std::string::npos);
        CPPUNIT_ASSERT(_out.str().find("expected migration 2, found 3; numbers run from 1 without gaps") != std::string::npos);
        CPPUNIT_ASSERT(_out.str().find("warning: it is not signed") != std::string::npos);
    }

    void verifyReadsMigrationsForBothDatabases()
    {
        _directory.write("acme/migrations/0002_twin.sqlite.sql", "SELECT 1;\n");
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"verify", folder()}));
        CPPUNIT_ASSERT(_out.str().find("expected a twin for PostgreSQL") != std::string::npos);
    }

    void verifyOfWhatIsInstalled()
    {
        // Beside the tests' program lie the services of this tree, or none where they were not built.
        const auto status = runWords({"verify", "--json"});
        if (status == exitRefused)
            return CPPUNIT_ASSERT(_errors.str().find("No plugin is installed beside this porticoctl") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(exitDone, status);
        const auto answer = json::parse(_out.str());
        for (const auto& check : answer.at("plugins").as_array()) CPPUNIT_ASSERT(check.at("builtIn").as_bool());
    }

private:
    std::string folder() const { return (_directory.path() / "acme").string(); }
    std::string keys() const { return (_directory.path() / "keys").string(); }
    std::string key() const { return keys() + "/acme.key"; }

    void sign()
    {
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"plugin", "keygen", key()}));
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"plugin", "sign", "--key", key(), folder()}));
        CPPUNIT_ASSERT(_out.str().starts_with("Signed acme 1.2.0: 3 files"));
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

CPPUNIT_TEST_SUITE_REGISTRATION(PluginCommandsTest);

} // namespace portico::test
