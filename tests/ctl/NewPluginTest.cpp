#include "ctl/TemporaryDirectory.h"
#include "support/Suite.h"

#include "host/ctl/Client.h"
#include "host/ctl/Command.h"
#include "host/ctl/NewPlugin.h"
#include "host/ctl/Terminal.h"

#include <boost/json.hpp>

#include <fstream>
#include <map>
#include <sstream>

namespace portico::test
{

using namespace host::ctl;
using portico::testing::equal;
using portico::testing::Suite;

namespace fs = std::filesystem;

/// `porticoctl new-plugin`: names, and a template written under another one. tests/http/new_plugin.py builds what comes out.
class NewPluginTest : public Suite<NewPluginTest>
{
    TEST(namesFollowFromTheId)
    {
        const auto names = pluginNames("acme-2go-notes");
        equal("acme-2go-notes", names.id);
        equal("acme_2go_notes", names.space);
        equal("Acme2goNotes", names.type);
        equal("Acme 2go Notes", names.title);
        equal("ACME_2GO_NOTES", names.variables);
    }

    TEST(namespacesAreNoWordsOfTheLanguage)
    {
        equal("new_plugin", pluginNames("new").space);
        equal("time_plugin", pluginNames("time").space);
        equal("co_await_plugin", pluginNames("co-await").space);
        equal("size_t_plugin", pluginNames("size-t").space);
    }

    TEST(wrongNamesAreRefused)
    {
        assertNameRefused("Acme-Notes", "does not begin with a lower-case letter");
        assertNameRefused("2go", "does not begin with a lower-case letter");
        assertNameRefused("acme_notes", "'_' is not allowed in a name");
        assertNameRefused("acme.notes", "'.' is not allowed in a name");
        assertNameRefused("../acme", "does not begin");
        assertNameRefused("acme-", "a hyphen is allowed only between");
        assertNameRefused("acme--notes", "a hyphen is allowed only between");
        assertNameRefused("", "too short");
        assertNameRefused("a", "too short");
        assertNameRefused(std::string(41, 'a'), "too long");
        assertNameRefused("crm", "as acme-crm");
        assertNameRefused("portico-notes", "Portico's own");
        assertNameRefused("abi-1", "Portico's own"); // its package would be portico-plugin-abi-1
        equal(std::string(40, 'a'), pluginNames(std::string(40, 'a')).id);
        equal("crm-notes", pluginNames("crm-notes").id);
    }

    TEST(renamesOnce)
    {
        const auto names = pluginNames("my-acme-notes");
        equal("my-acme-notes my_acme_notes::MyAcmeNotesPlugin MY_ACME_NOTES_TESTS \"My Acme Notes\", another acme",
              renamed("acme-notes acme_notes::AcmeNotesPlugin ACME_NOTES_TESTS \"Acme Notes\", another acme", names));
        equal("", renamed("", names));
    }

    TEST(recordsHaveAWordForOneAndForMany)
    {
        for (const auto& [word, many] : std::map<std::string, std::string>{{"room", "rooms"},
                                                                           {"bus", "buses"},
                                                                           {"box", "boxes"},
                                                                           {"branch", "branches"},
                                                                           {"city", "cities"},
                                                                           {"delay", "delays"},
                                                                           {"person:people", "people"}})
            equal(many, recordNames(word).many);
        equal("person", recordNames("person:people").one);
    }

    TEST(wordsThatMeanSomethingElseAreRefused)
    {
        for (const auto* word : {"", "r", "Room", "two-rooms", "room1", "order", "class", "page", "widget", "sheep:sheep", "room:", "a:b:c",
                                 "person:list", "abcdefghijklmnopqrstu"})
            assertRefused("invalid_record", [&] { recordNames(word); });
    }

    TEST(renamesTheRecord)
    {
        const auto names = pluginNames("acme-notes-2");
        equal("AcmeNotes2Plugin acme-notes-2 RoomRoutes RoomId rooms_by rooms:read \"room\" // A room, the room",
              renamed("AcmeNotesPlugin acme-notes NoteRoutes NoteId notes_by notes:read \"note\" // A note, the note", names,
                      recordNames("room")));
        equal("an order, a banana of data notes", renamed("a note, a banana of data notes", names, {"order", "notes"}));
    }

    /// A line is about the widget if it says so, a file if its name does.
    TEST(leavesTheWidgetOut)
    {
        makeTemplate();
        _directory.write("template/src/WidgetRoutes.cpp", "widget\n");
        _directory.write("template/src/Main.cpp", "int one;\nWidget two; // three\n    _widget.declare();\nint four;");
        const auto folder = _directory.path() / "out";
        const auto files = writePlugin(_directory.path() / "template", folder, {.names = pluginNames("acme-x"), .widget = false});
        CHECK((files == std::vector<std::string>{"manifest.json", "src/AcmeXPlugin.cpp", "src/Main.cpp"}));
        equal("int one;\nint four;", textOf(folder / "src" / "Main.cpp"));
    }

    TEST(takesPagesOnTheKitForThePage)
    {
        makeTemplate();
        _directory.write("template/manifest.json", "{\n  \"iconUrl\": \"/notes.svg\",\n  \"x\": 1\n}\n");
        _directory.write("template/src/Main.cpp", "#include \"PageRoutes.h\"\nint one;\n    _page.declare(routes);\n");
        for (const auto* file : {"src/PageRoutes.cpp", "tests/PageTest.cpp", "web/notes.js", "kit/web/src/main.tsx"})
            _directory.write(std::string("template/") + file, "notes");
        const auto files = writePlugin(_directory.path() / "template", _directory.path() / "out",
                                       {.names = pluginNames("acme-x"), .record = recordNames("room"), .kit = true});
        CHECK((files == std::vector<std::string>{"manifest.json", "src/AcmeXPlugin.cpp", "src/Main.cpp", "web/src/main.tsx"}));
        equal("int one;\n", textOf(_directory.path() / "out/src/Main.cpp"));
        const auto manifest = boost::json::parse(textOf(_directory.path() / "out/manifest.json"));
        CHECK(manifest.at("web").at("home") == "/rooms");
        // Without the kit nothing of it is there.
        const auto plain = writePlugin(_directory.path() / "template", _directory.path() / "plain", {pluginNames("acme-x")});
        equal(6, plain.size());
        CHECK(!fs::exists(_directory.path() / "plain/kit"));
        CHECK(textOf(_directory.path() / "plain/manifest.json").find("web") == std::string::npos);
    }

    TEST(putsFieldsInThePlaceOfTheText)
    {
        const auto real = templateOf(fs::read_symlink("/proc/self/exe"));
        const auto folder = _directory.path() / "assets";
        writePlugin(
            real, folder,
            {.names = pluginNames("acme-assets"),
             .record = recordNames("asset"),
             .fields = recordFields("serialNumber:text,price:integer,bought:date,insured:boolean,notes:text,weight:number,seen:date-time"),
             .kit = true});
        const auto record = textOf(folder / "src/Asset.h");
        for (const auto* part : {"std::string serialNumber;", "std::int64_t price = 0;", "std::optional<portico::LocalDate> bought;",
                                 "bool insured = false;", "std::string notes;", "#include \"portico/LocalDate.h\"", "#include <optional>",
                                 "field<&Asset::notes>().maxLength(10'000)", "field<&Asset::weight>(),", "field<&Asset::bought>().date(),"})
            CPPUNIT_ASSERT_MESSAGE(record + part, record.find(part) != std::string::npos);
        CHECK(record.find("text") == std::string::npos);
        const auto table = textOf(folder / "migrations/0001_assets.sql");
        for (const auto* part : {"serial_number   TEXT NOT NULL,", "price           BIGINT NOT NULL,", "bought          TEXT,",
                                 "seen            BIGINT,", "weight          DOUBLE PRECISION NOT NULL,"})
            CPPUNIT_ASSERT_MESSAGE(table + part, table.find(part) != std::string::npos);
        CHECK(table.find("    text") == std::string::npos);
        CHECK(textOf(folder / "web/src/assets.tsx").find("form: { title: {}, serialNumber: {}, price: {},") != std::string::npos);
        CHECK(textOf(folder / "web/src/texts/en.ts").find("\"assets.field.serialNumber\": \"Serial number\",") != std::string::npos);
        CHECK(textOf(folder / "web/src/api.d.ts").find("bought?: string | null;") != std::string::npos);
        // Texts in other languages would be about notes.
        const auto manifest = textOf(folder / "manifest.json");
        CHECK(manifest.find("Notiz") == std::string::npos);
        CHECK(!boost::json::parse(manifest).as_object().contains("texts"));
        const auto plain = _directory.path() / "plain";
        writePlugin(real, plain, {.names = pluginNames("acme-x"), .fields = recordFields("colour:text")});
        CHECK(textOf(plain / "manifest.json").find("Notiz") != std::string::npos);
        CHECK(textOf(plain / "web/templates/pages/notes.html")
                  .find("<label>{{messages.pages.notes.fields.colour}} <input name=\"colour\"></label>") != std::string::npos);
        CHECK(textOf(plain / "web/messages/en.json").find("\"colour\": \"Colour\",") != std::string::npos);
        CHECK(textOf(plain / "web/notes.js").find("[note.colour]") != std::string::npos);
        for (const auto* wrong : {"colour", "colour:red", ":text", "Colour:text", "title:text", "class:text", "a:text,a:text", "x-y:text"})
            assertRefused("invalid_field", [&] { recordFields(wrong); });
    }

    TEST(writesFilesAndFoldersUnderTheNewName)
    {
        makeTemplate();
        _directory.write("template/build/acme-notes.so", "built");
        _directory.write("template/gitignore", "build/\n");
        _directory.write("template/gitlab-ci.yml", "x");
        _directory.write("template/github/workflows/ci.yml", "x");
        const auto folder = _directory.path() / "deep" / "zoo-tasks";
        const auto files = writePlugin(_directory.path() / "template", folder, {pluginNames("zoo-tasks")});
        CHECK((files == std::vector<std::string>{".github/workflows/ci.yml", ".gitignore", ".gitlab-ci.yml", "manifest.json",
                                                 "src/ZooTasksPlugin.cpp"}));
        equal("{\"service_id\": \"zoo-tasks\"}\n", textOf(folder / "manifest.json"));
        equal("namespace zoo_tasks {}\n", textOf(folder / "src" / "ZooTasksPlugin.cpp"));
        CHECK(!fs::exists(folder / "build"));
    }

    TEST(existingFolderIsNotTouched)
    {
        makeTemplate();
        _directory.write("acme/mine.txt", "mine");
        assertRefused("directory_exists",
                      [&] { writePlugin(_directory.path() / "template", _directory.path() / "acme", {pluginNames("acme-x")}); });
        fs::create_directory(_directory.path() / "empty");
        assertRefused("directory_exists",
                      [&] { writePlugin(_directory.path() / "template", _directory.path() / "empty", {pluginNames("acme-x")}); });
        assertRefused("write_failed",
                      [&] { writePlugin(_directory.path() / "template", _directory.path() / "acme/mine.txt/x", {pluginNames("acme-x")}); });
        equal("mine", textOf(_directory.path() / "acme/mine.txt"));
    }

    TEST(aFailureLeavesNothing)
    {
        makeTemplate();
        // A folder and a file of one name cannot both be written.
        _directory.write("template/acme-notes", "a file");
        _directory.write("template/acme_notes/x", "in a folder");
        auto names = pluginNames("acme-x");
        names.space = names.id;
        assertRefused("write_failed", [&] { writePlugin(_directory.path() / "template", _directory.path() / "out", {names}); });
        CHECK(!fs::exists(_directory.path() / "out"));
    }

    TEST(findsItsTemplate)
    {
        CHECK(templateOf(_directory.path() / "usr/bin/porticoctl").empty());
        _directory.write("tree/sdk/template/manifest.json", "{}");
        equal(_directory.path() / "tree/sdk/template", templateOf(_directory.path() / "tree/build/dev/bin/porticoctl"));
        _directory.write("usr/share/portico/template/manifest.json", "{}");
        equal(_directory.path() / "usr/share/portico/template", templateOf(_directory.path() / "usr/bin/porticoctl"));
        assertRefused("template_missing",
                      [&] { writePlugin(_directory.path() / "usr", _directory.path() / "out", {pluginNames("acme-x")}); });
        CHECK(!fs::exists(_directory.path() / "out"));
    }

    TEST(theCommandSaysWhatItWrote)
    {
        makeTemplate();
        const auto folder = (_directory.path() / "out").string();
        equal(0, runWords({"--json", "new-plugin", "acme-x", "--directory", folder}));
        const auto answer = boost::json::parse(_out.str());
        CHECK(answer.at("service") == "acme-x");
        CHECK(answer.at("directory").as_string() == folder);
        equal(2, answer.at("files").as_array().size());
        fs::remove_all(folder);
        equal(0, runWords({"new-plugin", "acme-x", "--directory", folder}));
        CHECK(_out.str().starts_with("Wrote the plugin acme-x to " + folder + ": 2 files.\n"));
        equal(2, runWords({"new-plugin"}));
        equal(2, runWords({"new-plugin", "acme-x", "acme-y"}));
    }

    TEST(refusalsAsJson)
    {
        makeTemplate();
        equal(1, runWords({"--json", "new-plugin", "Acme"}));
        CHECK(boost::json::parse(_out.str()).at("error").at("code") == "invalid_name");
        equal(1, runWords({"--json", "new-plugin", "acme-x", "--directory", _directory.path().string()}));
        CHECK(boost::json::parse(_out.str()).at("error").at("code") == "directory_exists");
    }

    void makeTemplate()
    {
        _directory.write("template/manifest.json", "{\"service_id\": \"acme-notes\"}\n");
        _directory.write("template/src/AcmeNotesPlugin.cpp", "namespace acme_notes {}\n");
    }
    static std::string textOf(const fs::path& path)
    {
        std::ostringstream content;
        content << std::ifstream(path).rdbuf();
        return content.str();
    }
    static void assertNameRefused(const std::string& name, const std::string& part)
    {
        try
        {
            pluginNames(name);
        }
        catch (const Refused& refused)
        {
            equal("invalid_name", refused.code());
            CPPUNIT_ASSERT_MESSAGE(refused.what(), std::string(refused.what()).find(part) != std::string::npos);
            return;
        }
        CPPUNIT_FAIL(name + " was taken");
    }
    template <class F>
    static void assertRefused(const std::string& code, const F& what)
    {
        try
        {
            what();
        }
        catch (const Refused& refused)
        {
            equal(code, refused.code(), refused.what());
            return;
        }
        CPPUNIT_FAIL("expected " + code);
    }
    int runWords(std::vector<std::string> words)
    {
        _out.str({});
        words.push_back("--template=" + (_directory.path() / "template").string());
        std::istringstream input;
        std::ostringstream errors;
        return host::ctl::run(std::move(words), input, Terminal(_out, false), errors);
    }

    TemporaryDirectory _directory;
    std::ostringstream _out;
};

} // namespace portico::test
