#include "ctl/TemporaryDirectory.h"
#include "support/Suite.h"

#include "host/admin/ControlServer.h"
#include "host/ctl/Command.h"
#include "host/ctl/Password.h"

#include <set>
#include <sstream>
#include <sys/stat.h>

namespace portico::test
{

using namespace host::admin;
using namespace host::ctl;
using portico::testing::equal;
using portico::testing::Suite;

namespace json = boost::json;

class PorticoctlTest : public Suite<PorticoctlTest>
{
    TEST(everyCommandHasHelpWithExamples)
    {
        for (const auto& command : commands())
        {
            const std::string name(command.name);
            CPPUNIT_ASSERT_MESSAGE(name, generalHelp().find("  " + name) != std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(name, commandHelp(command).find("porticoctl") != std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(name, command.examples.starts_with("porticoctl "));
            CPPUNIT_ASSERT_MESSAGE(name, command.examples.find(name) != std::string::npos);
        }
        equal(exitDone, runWords({"config", "check", "--help"}));
        CHECK(_out.str().starts_with("usage: porticoctl config check"));
    }

    TEST(wrongUsageIsTwo)
    {
        for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{},
                                                                                           {"relaod"},
                                                                                           {"config"},
                                                                                           {"config", "chekc"},
                                                                                           {"reload"},
                                                                                           {"reload", "crm", "--all"},
                                                                                           {"status", "now"},
                                                                                           {"status", "--verbose"},
                                                                                           {"jobs", "list", "--limit", "many"},
                                                                                           {"jobs", "retry"},
                                                                                           {"user", "create"},
                                                                                           {"user", "create", "--email"},
                                                                                           {"--socket"}})
            equal(exitUsage, runWords(words), words.empty() ? "" : words.front());
        runWords({"config"});
        CHECK(_errors.str().find("'config' needs a subcommand: check, show or reload.") != std::string::npos);
        runWords({"reload"});
        equal("porticoctl: An argument is missing. Usage: porticoctl reload [options] <service>...; "
              "see porticoctl reload --help.\n",
              _errors.str(), _errors.str());
    }

    TEST(misspeltCommandNamesTheNearest)
    {
        const auto said = [this](const std::vector<std::string>& words)
        {
            equal(exitUsage, runWords(words));
            return _errors.str();
        };
        const std::string rest = " See porticoctl --help.\n";
        equal("porticoctl: Unknown command 'servces'. Did you mean services?" + rest, said({"servces"}));
        equal("porticoctl: Unknown command 'enabel'. Did you mean enable?" + rest, said({"enabel", "crm"}));
        equal("porticoctl: Unknown command 'config chekc'. Did you mean config check?" + rest, said({"config", "chekc"}));
        equal("porticoctl: Unknown command 'xyzzyplugh'." + rest, said({"xyzzyplugh"}));
        equal("porticoctl: Unknown option --verbose before the command." + rest, said({"--verbose", "status"}));
    }

    TEST(groupOfCommandsHasHelp)
    {
        equal(exitDone, runWords({"jobs", "--help"}));
        for (const char* form : {"usage: porticoctl jobs <command>\n", "  jobs list ", "  jobs retry <job> ", "  jobs discard <job> "})
            CPPUNIT_ASSERT_MESSAGE(form, _out.str().find(form) != std::string::npos);
        CHECK(_out.str().find("config") == std::string::npos);
    }

    TEST(absentDaemonIsThree)
    {
        equal(exitUnreachable, runWords({"status"}));
        CHECK(_errors.str().find("Is porticod running?") != std::string::npos);
    }

    TEST(refusalIsOneWithItsSentence)
    {
        answerWith("enable", [](const ControlRequest&) -> json::value { throw Refused("unknown_service", "There is no service 'crn'."); });
        equal(exitRefused, runWords({"enable", "crn"}));
        equal("porticoctl: There is no service 'crn'.\n", _errors.str());
        CHECK(_out.str().empty());
    }

    TEST(refusalAsJson)
    {
        answerWith("enable", [](const ControlRequest&) -> json::value { throw Refused("unknown_service", "None.", {{"known", {"crm"}}}); });
        equal(exitRefused, runWords({"--json", "enable", "crn"}));
        const auto answer = json::parse(_out.str());
        CHECK(answer.at("error").at("code") == "unknown_service");
        CHECK(answer.at("result").at("known").at(0) == "crm");
    }

    TEST(servicesAreATable)
    {
        answerWith("services",
                   [](const ControlRequest&) -> json::value
                   {
                       return {{"services",
                                {{{"service", "crm"},
                                  {"status", "serving"},
                                  {"version", "1.0.0"},
                                  {"generation", 3},
                                  {"inFlight", 0},
                                  {"origin", "http://crm.localhost:8080"},
                                  {"note", ""}},
                                 {{"service", "identity"}, {"status", "failed"}, {"version", nullptr}, {"note", "start took too long"}}}}};
                   });
        equal(exitDone, runWords({"services"}));
        equal("SERVICE   STATUS   VERSION  GENERATION  IN FLIGHT  ORIGIN                     NOTE\n"
              "crm       serving  1.0.0    3           0          http://crm.localhost:8080\n"
              "identity  failed                                                              start took too long\n",
              _out.str());
    }

    TEST(jsonIsTheAnswerItself)
    {
        answerWith("status", [](const ControlRequest&) -> json::value { return {{"pid", 7}}; });
        equal(exitDone, runWords({"status", "--json"}));
        equal("{\"pid\":7}\n", _out.str());
    }

    TEST(failedReloadShowsItsSteps)
    {
        answerWith("reload",
                   [](const ControlRequest&) -> json::value
                   {
                       throw Refused("failed", "crm was not reloaded.",
                                     {{"operations",
                                       {{{"command", "reload"},
                                         {"service", "crm"},
                                         {"status", "failed"},
                                         {"microseconds", 12340},
                                         {"messages", {"start: no template"}},
                                         {"steps", {{{"name", "verify"}, {"ok", true}, {"microseconds", 3000}}}}}}}});
                   });
        equal(exitRefused, runWords({"reload", "crm"}));
        CHECK(_out.str().find("reload crm: failed in 12.3 ms") != std::string::npos);
        CHECK(_out.str().find("verify") != std::string::npos);
        CHECK(_out.str().find("start: no template") != std::string::npos);
    }

    TEST(reloadAllTakesNoNames)
    {
        json::object seen;
        answerWith("reload",
                   [&seen](const ControlRequest& request) -> json::value
                   {
                       seen = request.arguments;
                       return {{"operations", json::array()}};
                   });
        equal(exitDone, runWords({"reload", "--all"}));
        CHECK(seen.at("all").as_bool());
        CHECK(seen.at("services").as_array().empty());
    }

    TEST(configCheckFailsOnMistakes)
    {
        answerWith("config.check",
                   [](const ControlRequest&) -> json::value {
                       return {{"ok", false}, {"files", json::array()}, {"findings", {{{"severity", "error"}, {"text", "a:1: b"}}}}};
                   });
        equal(exitRefused, runWords({"config", "check"}));
        CHECK(_out.str().find("error: a:1: b\n") != std::string::npos);
        equal(exitRefused, runWords({"config", "check", "--json"}));
    }

    TEST(pendingMigrationFailsTheCheckOnly)
    {
        answerWith("migrate",
                   [](const ControlRequest&) -> json::value {
                       return {{"pending", true}, {"migrations", {{{"service", "crm"}, {"name", "0002_x.sql"}, {"status", "pending"}}}}};
                   });
        equal(exitRefused, runWords({"migrate", "--check"}));
        equal(exitDone, runWords({"migrate"}));
    }

    TEST(userCreateSendsTheGivenPassword)
    {
        const auto seen = captureUser();
        _input.str("correct horse\r\nsecond line\n");
        equal(exitDone,
              runWords({"user", "create", "--email", "anna@acme.example", "--organization", "acme", "--role=owner", "--password-stdin"}));
        CHECK(seen->at("password") == "correct horse");
        CHECK(seen->at("displayName") == "anna");
        CHECK(seen->at("organizationName") == "acme");
        CHECK(seen->at("role") == "owner");
        CHECK(seen->at("platformRole") == "");
        CPPUNIT_ASSERT_MESSAGE("a password that was given is not shown", _out.str().find("correct horse") == std::string::npos);
    }

    TEST(userCreateMakesAPasswordAndShowsIt)
    {
        const auto seen = captureUser();
        equal(exitDone, runWords({"user", "create", "--email", "op@portico.example", "--operator", "--json"}));
        CHECK(seen->at("platformRole") == "platform_super_admin");
        CHECK(json::parse(_out.str()).at("password") == seen->at("password"));
    }

    TEST(userJoinSendsNoPassword)
    {
        const auto seen = captureUser("user.join");
        equal(exitDone, runWords({"user", "join", "--email", "anna@acme.example", "--organization", "acme", "--role=admin"}));
        CHECK(seen->at("role") == "admin" && seen->at("organizationSlug") == "acme");
        CHECK(!seen->contains("password"));
        CHECK(_out.str().find("password") == std::string::npos);
    }

    TEST(readablePasswordFileIsRefused)
    {
        const auto file = _directory.write("pw", "secret\n");
        ::chmod(file.c_str(), 0644);
        CPPUNIT_ASSERT_THROW(readPasswordFile(file.string()), UsageError);
        ::chmod(file.c_str(), 0600);
        equal("secret", readPasswordFile(file.string()));
        CPPUNIT_ASSERT_THROW(readPasswordFile((_directory.path() / "none").string()), UsageError);
        // It would never end.
        CPPUNIT_ASSERT_THROW(readPasswordFile("/dev/zero"), UsageError);
    }

    TEST(madePasswordsDiffer)
    {
        std::set<std::string> seen;
        for (int i = 0; i < 1000; ++i)
        {
            const auto password = makePassword();
            equal(24, password.size());
            seen.insert(password);
        }
        equal(1000, seen.size());
    }

    TEST(tableAlignsByCharacters)
    {
        Table table({"NAME", "X"});
        table.add({"Zoë", "1"});
        table.add({"Maria", "2"});
        table.add({"Eve", ""});
        table.print(Terminal(_out, false));
        equal("NAME   X\nZoë    1\nMaria  2\nEve\n", _out.str());
        const Terminal coloured(_out, true);
        equal(std::string("\033[32mok\033[0m"), coloured.paint("ok", colourOf("ok")));
    }

    TEST(optionsMayStandAnywhere)
    {
        const std::vector<std::string> words{"a", "--limit=3", "b", "--all", "--", "--c"};
        constexpr Option known[] = {{"limit", "N", ""}, {"all", "", ""}};
        const Arguments arguments(known, words);
        equal("3", arguments.option("limit").value());
        CHECK(arguments.has("all"));
        CHECK((arguments.words() == std::vector<std::string>{"a", "b", "--c"}));
        const std::vector<std::string> valued{"--all=yes"};
        CPPUNIT_ASSERT_THROW(Arguments(known, valued), UsageError);
    }

    TEST(controlCharactersOfPluginsAreNotPrinted)
    {
        const std::string title = "bad \033]0;owned\007 \r\xC2\x9B"
                                  "2J tab\there";
        const std::string shown = "bad ?]0;owned? ??2J tab\there";
        equal(shown + "\nd\xC3\xA9j\xC3\xA0", host::ctl::printable(title + "\nd\xC3\xA9j\xC3\xA0"));
        equal("?\xC2", host::ctl::printable("\x7F\xC2"));
        std::ostringstream out;
        // A colour is only one where there are any, and nothing but a colour.
        Terminal(out, true).line("\033[32mserving\033[0m \033[2J \033[");
        equal(std::string("\033[32mserving\033[0m ?[2J ?[\n"), out.str());
        answerWith("reload", [title](const ControlRequest&) -> json::value { throw Refused("failed", title); });
        equal(1, runWords({"reload", "crm"}));
        CPPUNIT_ASSERT_MESSAGE(_errors.str(), _errors.str().find(shown) != std::string::npos);
        // A program gets what was said.
        equal(1, runWords({"reload", "crm", "--json"}));
        CHECK(json::parse(_out.str()).at("error").at("message").as_string() == title);
    }

    void answerWith(std::string command, ControlCommands::Handler handler)
    {
        _commands.add(std::move(command), std::move(handler));
        _server = std::make_unique<ControlServer>(_directory.path() / "control.sock", _commands);
    }

    std::shared_ptr<json::object> captureUser(const std::string& command = "user.create")
    {
        auto seen = std::make_shared<json::object>();
        answerWith(command,
                   [seen](const ControlRequest& request) -> json::value
                   {
                       *seen = request.arguments;
                       return {{"userId", "usr_1"}, {"organizationId", "org_1"}};
                   });
        return seen;
    }

    int runWords(std::vector<std::string> words)
    {
        _out.str({});
        _errors.str({});
        words.push_back("--socket=" + (_directory.path() / "control.sock").string());
        if (words.front() == "--socket") words.pop_back();
        return host::ctl::run(std::move(words), _input, Terminal(_out, false), _errors);
    }

    TemporaryDirectory _directory;
    ControlCommands _commands;
    std::unique_ptr<ControlServer> _server;
    std::istringstream _input;
    std::ostringstream _out;
    std::ostringstream _errors;
};

} // namespace portico::test
