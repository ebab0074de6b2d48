#include "crm/ImportFixture.h"

#include "portico/Json.h"

namespace portico::tests
{

namespace json = boost::json;

/// What a dry run shows, and POST /api/contacts/imports/{importId}/run.
class ImportAgainTest : public ImportFixture
{
    CPPUNIT_TEST_SUITE(ImportAgainTest);
    CPPUNIT_TEST(showsTheFirstRows);
    CPPUNIT_TEST(showsWhatRowsMatched);
    CPPUNIT_TEST(showsTwentyRows);
    CPPUNIT_TEST(showsWhatBreaksOff);
    CPPUNIT_TEST(showsNothingOfRealImports);
    CPPUNIT_TEST(runsForReal);
    CPPUNIT_TEST(runsWithOtherOptions);
    CPPUNIT_TEST(runsLargeFiles);
    CPPUNIT_TEST(runsOtherFormats);
    CPPUNIT_TEST(keepsTheFileForADay);
    CPPUNIT_TEST(keepsTheFileOfAFailedCheck);
    CPPUNIT_TEST(refusesWhatIsNoDryRun);
    CPPUNIT_TEST(honoursIfMatch);
    CPPUNIT_TEST(checksItsOptions);
    CPPUNIT_TEST(keepsOrganizationsApart);
    CPPUNIT_TEST(needsTheRight);
    CPPUNIT_TEST_SUITE_END();

public:
    void showsTheFirstRows()
    {
        const auto tried = imported("First Name,Email\nAda,ADA@example.org\nEve,nobody\n,\n", "dryRun=true&tags=fair");
        const auto& sample = tried["sample"].as_array();
        CPPUNIT_ASSERT_EQUAL((Names{"1 created Ada", "2 failed Eve", "3 failed "}), fates(tried));
        const auto& ada = sample.at(0);
        CPPUNIT_ASSERT_EQUAL(json::string("ADA@example.org"), ada.at("contact").at("emails").at(0).at("address").as_string());
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["fair"])"), json::serialize(ada.at("contact").at("tags")));
        CPPUNIT_ASSERT(ada.at("match").is_null());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, ada.at("line").as_int64());
        // The same when it is read later.
        CPPUNIT_ASSERT_EQUAL(json::serialize(sample), json::serialize(report(tried)["sample"]));
        // In a list it has no place.
        const auto list = client->get(owner, "/api/contacts/imports");
        CPPUNIT_ASSERT(!list["items"].at(0).as_object().contains("sample"));
    }

    void showsWhatRowsMatched()
    {
        const auto id = created(R"({"firstName":"Ada","lastName":"Lovelace","emails":[{"address":"ada@example.org"}]})").id();
        const std::string file =
            "First Name,Job Title,Email\nAda,Countess,ada@example.org\nAlan,,alan@example.org\nAlan,Dr,alan@example.org\n";
        const auto skipped = imported(file, "dryRun=true");
        CPPUNIT_ASSERT_EQUAL((Names{"1 skipped Ada", "2 created Alan", "3 skipped Alan"}), fates(skipped));
        CPPUNIT_ASSERT_EQUAL(R"({"contactId":")" + id + R"(","displayName":"Ada Lovelace","matchedOn":"email","row":null})",
                             match(skipped, 0));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"contactId":null,"displayName":null,"matchedOn":"email","row":2})"), match(skipped, 2));
        const auto updated = imported(file, "dryRun=true&onDuplicate=update");
        CPPUNIT_ASSERT_EQUAL((Names{"1 updated Ada Lovelace", "2 created Alan", "3 updated Alan"}), fates(updated));
        CPPUNIT_ASSERT_EQUAL(json::string("Countess"), updated["sample"].at(0).at("contact").at("jobTitle").as_string());
        CPPUNIT_ASSERT_EQUAL(R"({"contactId":")" + id + R"(","displayName":"Ada Lovelace","matchedOn":"email","row":null})",
                             match(updated, 0));
        CPPUNIT_ASSERT(client->get(owner, "/api/contacts/" + id)["jobTitle"].as_string().empty());
    }

    void showsTwentyRows()
    {
        std::string file = "First Name\n";
        for (int i = 0; i < 1200; ++i) file += "P" + std::to_string(i) + '\n';
        const auto tried = imported(file, "dryRun=true");
        CPPUNIT_ASSERT_EQUAL(std::string("1200 1200 0 0 0"), totals(tried));
        CPPUNIT_ASSERT_EQUAL(std::size_t{20}, tried["sample"].as_array().size());
        CPPUNIT_ASSERT_EQUAL(std::string("20 created P19"), fates(tried).back());
    }

    /// A row that is no JSON is shown as far as it could be read, and stands in nobody's way later.
    void showsWhatBreaksOff()
    {
        const std::string file =
            "{\"firstName\":\"Ada\",\"customFields\":{\"k\":[1,,2]}}\n{\"firstName\":\"Eve\",\"customFields\":{\"k\":{\"x\":[1\n";
        const auto tried = imported(file, "dryRun=true", "application/x-ndjson");
        CPPUNIT_ASSERT_EQUAL((Names{"1 failed Ada", "2 failed Eve"}), fates(tried));
        CPPUNIT_ASSERT_EQUAL(json::serialize(tried["sample"]), json::serialize(report(tried)["sample"]));
        CPPUNIT_ASSERT_EQUAL(200, client->get(owner, "/api/contacts/imports").status);
        const auto made = imported(file, {}, "application/x-ndjson");
        for (const auto& each : {tried, made})
        {
            const auto errors = errorFile(each);
            CPPUNIT_ASSERT(errors.find("invalid_json") != std::string::npos && errors.find("null") == std::string::npos);
        }
    }

    void showsNothingOfRealImports()
    {
        const auto made = imported("First Name\nAda\n");
        CPPUNIT_ASSERT(!made.body.as_object().contains("sample"));
        CPPUNIT_ASSERT(made["fileUntil"].is_null());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, bytes());
    }

    void runsForReal()
    {
        const auto tried = imported("First Name,Email\nAda,ada@example.org\nEve,nobody\n", "dryRun=true&tags=fair");
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-22T09:00:00.000Z"), tried.text("fileUntil"));
        CPPUNIT_ASSERT(bytes() > 0);
        // The options that it was tried with, to be sent again.
        auto options = tried["options"].as_object();
        options["dryRun"] = false;
        const auto made = run(tried, json::serialize(options));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(made.body), 200, made.status);
        CPPUNIT_ASSERT(made.text("importId") != tried.text("importId"));
        CPPUNIT_ASSERT_EQUAL(std::string("people.csv"), made.text("fileName"));
        CPPUNIT_ASSERT_EQUAL(totals(tried), totals(made));
        CPPUNIT_ASSERT_EQUAL(problems(tried), problems(made));
        CPPUNIT_ASSERT_EQUAL(Names{"Ada"}, names("tag=fair"));
        CPPUNIT_ASSERT_EQUAL(200, undo(made).status);
        CPPUNIT_ASSERT_EQUAL(409, undo(tried).status);
        // It is what it was, and can be run again.
        CPPUNIT_ASSERT_EQUAL(std::string("2 1 0 0 1"), totals(run(tried, "{}")));
        CPPUNIT_ASSERT_EQUAL(Names{}, names("tag=fair"));
    }

    void runsWithOtherOptions()
    {
        created(R"({"firstName":"Ada","emails":[{"address":"ada@example.org"}]})");
        const auto first = imported("Name,Mail\nAugusta,ada@example.org\n", "dryRun=true");
        const auto second =
            run(first, R"({"dryRun":true,"onDuplicate":"update","mapping":{"Name":"nickname","Mail":"emails[0].address"}})");
        CPPUNIT_ASSERT_EQUAL(std::string("1 0 1 0 0"), totals(second));
        CPPUNIT_ASSERT_EQUAL(json::string("Augusta"), second["sample"].at(0).at("contact").at("nickname").as_string());
        CPPUNIT_ASSERT(second["dryRun"].as_bool() && second["fileUntil"].is_string());
        const auto third = run(second, R"({"onDuplicate":"update","mapping":{"Name":null,"Mail":"emails[0].address"}})");
        CPPUNIT_ASSERT_EQUAL(std::string("1 0 0 1 0"), totals(third));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, countContacts());
    }

    void runsLargeFiles()
    {
        std::string file = "First Name\n";
        for (int i = 0; i < 6000; ++i) file += "P" + std::to_string(i) + '\n';
        const auto started = imported(file, "dryRun=true");
        CPPUNIT_ASSERT_EQUAL(std::string("running"), started.text("status"));
        CPPUNIT_ASSERT_EQUAL(409, run(started, "{}").status);
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("completed"), report(started).text("status"));
        const auto made = run(started, "{}");
        CPPUNIT_ASSERT_EQUAL(std::string("running"), made.text("status"));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("6000 6000 0 0 0"), totals(report(made)));
    }

    void runsOtherFormats()
    {
        // What the content type said is known later.
        for (const auto& [type, file] :
             std::vector<std::pair<std::string, std::string>>{{"text/vcard", "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Grace\r\nEND:VCARD\r\n"},
                                                              {"application/json", R"([{"firstName":"Alan"}])"},
                                                              {"application/x-ndjson", "{\"firstName\":\"Edsger\"}\n"}})
        {
            const auto tried = imported(file, "dryRun=true", type);
            const auto made = run(tried, "{}");
            CPPUNIT_ASSERT_EQUAL_MESSAGE(type, std::string("1 1 0 0 0"), totals(made));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(type, tried.text("format"), made.text("format"));
        }
    }

    void keepsTheFileForADay()
    {
        const auto tried = imported("First Name\nAda\n", "dryRun=true");
        clock().advance(std::chrono::hours(24) - std::chrono::minutes(2));
        host->context().jobs().runDue();
        const auto again = run(tried, R"({"dryRun":true})");
        CPPUNIT_ASSERT_EQUAL(200, again.status);
        // From then on, whether it was swept or not.
        clock().advance(std::chrono::minutes(2));
        CPPUNIT_ASSERT_EQUAL(410, run(tried, "{}").status);
        const auto kept = bytes();
        host->context().jobs().runDue();
        CPPUNIT_ASSERT(bytes() < kept && bytes() > 0);
        const auto gone = run(tried, "{}");
        CPPUNIT_ASSERT_EQUAL(410, gone.status);
        CPPUNIT_ASSERT_EQUAL(std::string("import_file_gone"), gone.code());
        CPPUNIT_ASSERT(report(tried)["fileUntil"].is_null());
        CPPUNIT_ASSERT(report(tried)["sample"].as_array().empty());
        CPPUNIT_ASSERT_EQUAL(std::string("1 1 0 0 0"), totals(report(tried)));
        CPPUNIT_ASSERT_EQUAL(200, run(again, "{}").status);
        clock().advance(std::chrono::hours(25));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, bytes());
    }

    void keepsTheFileOfAFailedCheck()
    {
        const auto tried = imported("First Name,Email\nAda,nobody\nEve,\n", "dryRun=true&atomic=true");
        CPPUNIT_ASSERT_EQUAL(std::string("failed"), tried.text("status"));
        CPPUNIT_ASSERT_EQUAL(std::string("2 1 0 0 1"), totals(run(tried, "{}")));
    }

    void refusesWhatIsNoDryRun()
    {
        const auto made = imported("First Name\nAda\n");
        CPPUNIT_ASSERT_EQUAL(409, run(made, "{}").status);
        CPPUNIT_ASSERT_EQUAL(404, client->post(owner, "/api/contacts/imports/imp_" + makeUlid(Instant{}) + "/run", "{}").status);
    }

    void honoursIfMatch()
    {
        const auto tried = imported("First Name\nAda\n", "dryRun=true");
        const auto runPath = path(tried) + "/run";
        CPPUNIT_ASSERT_EQUAL(412, client->post(owner, runPath, "{}", {{"If-Match", "\"99\""}}).status);
        const auto made = client->post(owner, runPath, "{}", {{"If-Match", report(tried).etag}});
        CPPUNIT_ASSERT_EQUAL(200, made.status);
        CPPUNIT_ASSERT_EQUAL(412, client->post(owner, path(made) + "/undo", "", {{"If-Match", "\"99\""}}).status);
        CPPUNIT_ASSERT_EQUAL(200, client->post(owner, path(made) + "/undo", "", {{"If-Match", report(made).etag}}).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, countContacts());
    }

    void checksItsOptions()
    {
        const auto tried = imported("First Name\nAda\n", "dryRun=true");
        CPPUNIT_ASSERT_EQUAL(Names{"tags[0] required"}, run(tried, R"({"tags":[" "]})").errors());
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_field"), run(tried, R"({"nothing":1})").code());
        CPPUNIT_ASSERT_EQUAL(Names{" wrong_type"}, run(tried, "null").errors());
        CPPUNIT_ASSERT_EQUAL(400, run(tried, R"({"mapping":{"Nobody":"firstName"}})").status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, countContacts());
    }

    void keepsOrganizationsApart()
    {
        const auto tried = imported("First Name\nAda\n", "dryRun=true");
        CPPUNIT_ASSERT_EQUAL(404, client->post(stranger, path(tried) + "/run", "{}").status);
    }

    void needsTheRight()
    {
        const auto tried = imported("First Name\nAda\n", "dryRun=true");
        auto weak = owner;
        std::erase(weak.permissions, "crm.contacts:import");
        CPPUNIT_ASSERT_EQUAL(403, client->post(weak, path(tried) + "/run", "{}").status);
        weak = owner;
        std::erase(weak.permissions, "crm.pipeline:move");
        const auto stage = client->get(owner, "/api/pipeline")["items"].at(0).at("stages").at(0).at("stageId");
        CPPUNIT_ASSERT_EQUAL(403, client->post(weak, path(tried) + "/run", R"({"stageId":)" + json::serialize(stage) + "}").status);
    }

private:
    Answer run(const Answer& tried, std::string_view options) const { return client->post(owner, path(tried) + "/run", options); }
    std::uint64_t bytes() const { return host->context().blobs().usedBytes(owner.organizationId); }
    /// `row fate name` of each row shown.
    static Names fates(const Answer& report)
    {
        Names found;
        for (const auto& row : report["sample"].as_array())
            found.push_back(std::to_string(row.at("row").as_int64()) + ' ' + std::string(row.at("fate").as_string()) + ' ' +
                            std::string(row.at("contact").at("displayName").as_string()));
        return found;
    }
    static std::string match(const Answer& report, std::size_t index) { return json::serialize(report["sample"].at(index).at("match")); }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ImportAgainTest);

} // namespace portico::tests
