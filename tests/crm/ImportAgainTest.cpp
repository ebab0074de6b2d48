#include "crm/ImportFixture.h"

#include "portico/Json.h"

namespace portico::tests
{

namespace json = boost::json;

/// Samples of dry runs, and POST /api/contacts/imports/{importId}/run.
class ImportAgainTest : public Suite<ImportAgainTest, ImportFixture>
{
    TEST(showsTheFirstRows)
    {
        const auto tried = imported("First Name,Email\nAda,ADA@example.org\nEve,nobody\n,\n", "dryRun=true&tags=fair");
        const auto& sample = arrayAt(tried, "/sample");
        equal({"1 created Ada", "2 failed Eve", "3 failed "}, fates(tried));
        const auto& ada = sample.at(0);
        equal(json::string("ADA@example.org"), ada.at("contact").at("emails").at(0).at("address").as_string());
        equal(R"(["fair"])", json::serialize(ada.at("contact").at("tags")));
        CHECK(ada.at("match").is_null());
        equal(2, ada.at("line").as_int64());
        // The same when it is read later.
        equal(json::serialize(sample), report(tried).at("/sample"));
        // In a list it has no place.
        const auto list = client->get(owner, "/api/contacts/imports");
        CHECK(!objectAt(list, "/items/0").contains("sample"));
    }

    TEST(showsWhatRowsMatched)
    {
        const auto id = created(R"({"firstName":"Ada","lastName":"Lovelace","emails":[{"address":"ada@example.org"}]})").at("/id");
        const std::string file =
            "First Name,Job Title,Email\nAda,Countess,ada@example.org\nAlan,,alan@example.org\nAlan,Dr,alan@example.org\n";
        const auto skipped = imported(file, "dryRun=true");
        equal({"1 skipped Ada", "2 created Alan", "3 skipped Alan"}, fates(skipped));
        equal(jsonWith(R"({"contactId":"$","displayName":"Ada Lovelace","matchedOn":"email","row":null})", id), match(skipped, 0));
        equal(R"({"contactId":null,"displayName":null,"matchedOn":"email","row":2})", match(skipped, 2));
        const auto updated = imported(file, "dryRun=true&onDuplicate=update");
        equal({"1 updated Ada Lovelace", "2 created Alan", "3 updated Alan"}, fates(updated));
        equal(json::string("Countess"), updated.at("/sample/0/contact/jobTitle"));
        equal(jsonWith(R"({"contactId":"$","displayName":"Ada Lovelace","matchedOn":"email","row":null})", id), match(updated, 0));
        CHECK(client->get(owner, "/api/contacts/" + id).at("/jobTitle").empty());
    }

    TEST(showsTwentyRows)
    {
        std::string file = "First Name\n";
        for (int i = 0; i < 1200; ++i) file += "P" + std::to_string(i) + '\n';
        const auto tried = imported(file, "dryRun=true");
        equal("1200 1200 0 0 0", totals(tried));
        equal(20, tried.count("/sample"));
        equal("20 created P19", fates(tried).back());
    }

    /// The sample shows an invalid JSON row as far as it was parsed. The row does not affect later runs.
    TEST(showsWhatBreaksOff)
    {
        const std::string file =
            "{\"firstName\":\"Ada\",\"customFields\":{\"k\":[1,,2]}}\n{\"firstName\":\"Eve\",\"customFields\":{\"k\":{\"x\":[1\n";
        const auto tried = imported(file, "dryRun=true", "application/x-ndjson");
        equal({"1 failed Ada", "2 failed Eve"}, fates(tried));
        equal(tried.at("/sample"), report(tried).at("/sample"));
        equal(200, client->get(owner, "/api/contacts/imports").status);
        const auto made = imported(file, {}, "application/x-ndjson");
        for (const auto* each : {&tried, &made})
        {
            const auto errors = errorFile(*each);
            CHECK(errors.find("invalid_json") != std::string::npos && errors.find("null") == std::string::npos);
        }
    }

    TEST(showsNothingOfRealImports)
    {
        const auto made = imported("First Name\nAda\n");
        CHECK(!made.has("/sample"));
        equal("null", made.at("/fileUntil"));
        equal(0, bytes());
    }

    TEST(runsForReal)
    {
        const auto tried = imported("First Name,Email\nAda,ada@example.org\nEve,nobody\n", "dryRun=true&tags=fair");
        equal("2026-11-22T09:00:00.000Z", tried.at("/fileUntil"));
        CHECK(bytes() > 0);
        // The options that it was tried with, to be sent again.
        auto options = objectAt(tried, "/options");
        options["dryRun"] = false;
        const auto made = run(tried, json::serialize(options));
        equal(200, made.status, made.body);
        CHECK(made.at("/importId") != tried.at("/importId"));
        equal("people.csv", made.at("/fileName"));
        equal(totals(tried), totals(made));
        equal(problems(tried), problems(made));
        equal({"Ada"}, names("tag=fair"));
        equal(200, undo(made).status);
        equal(409, undo(tried).status);
        // The dry run is unchanged, and can be run again.
        equal("2 1 0 0 1", totals(run(tried, "{}")));
        equal({}, names("tag=fair"));
    }

    TEST(runsWithOtherOptions)
    {
        created(R"({"firstName":"Ada","emails":[{"address":"ada@example.org"}]})");
        const auto first = imported("Name,Mail\nAugusta,ada@example.org\n", "dryRun=true");
        const auto second =
            run(first, R"({"dryRun":true,"onDuplicate":"update","mapping":{"Name":"nickname","Mail":"emails[0].address"}})");
        equal("1 0 1 0 0", totals(second));
        equal(json::string("Augusta"), second.at("/sample/0/contact/nickname"));
        CHECK(second.at("/dryRun") == "true" && second.at("/fileUntil") != "null");
        const auto third = run(second, R"({"onDuplicate":"update","mapping":{"Name":null,"Mail":"emails[0].address"}})");
        equal("1 0 0 1 0", totals(third));
        equal(1, countContacts());
    }

    TEST(runsLargeFiles)
    {
        std::string file = "First Name\n";
        for (int i = 0; i < 6000; ++i) file += "P" + std::to_string(i) + '\n';
        const auto started = imported(file, "dryRun=true");
        equal("running", started.at("/status"));
        equal(409, run(started, "{}").status);
        host->context().jobs().runDue();
        equal("completed", report(started).at("/status"));
        const auto made = run(started, "{}");
        equal("running", made.at("/status"));
        host->context().jobs().runDue();
        equal("6000 6000 0 0 0", totals(report(made)));
    }

    TEST(runsOtherFormats)
    {
        // The format from the content type is stored for the later run.
        for (const auto& [type, file] :
             std::vector<std::pair<std::string, std::string>>{{"text/vcard", "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Grace\r\nEND:VCARD\r\n"},
                                                              {"application/json", R"([{"firstName":"Alan"}])"},
                                                              {"application/x-ndjson", "{\"firstName\":\"Edsger\"}\n"}})
        {
            const auto tried = imported(file, "dryRun=true", type);
            const auto made = run(tried, "{}");
            equal("1 1 0 0 0", totals(made), type);
            equal(tried.at("/format"), made.at("/format"), type);
        }
    }

    TEST(keepsTheFileForADay)
    {
        const auto tried = imported("First Name\nAda\n", "dryRun=true");
        clock().advance(std::chrono::hours(24) - std::chrono::minutes(2));
        host->context().jobs().runDue();
        const auto again = run(tried, R"({"dryRun":true})");
        equal(200, again.status);
        // From then on, whether it was swept or not.
        clock().advance(std::chrono::minutes(2));
        equal(410, run(tried, "{}").status);
        const auto kept = bytes();
        host->context().jobs().runDue();
        CHECK(bytes() < kept && bytes() > 0);
        const auto gone = run(tried, "{}");
        refused(gone, 410, "import_file_gone");
        equal("null", report(tried).at("/fileUntil"));
        equal(0, report(tried).count("/sample"));
        equal("1 1 0 0 0", totals(report(tried)));
        equal(200, run(again, "{}").status);
        clock().advance(std::chrono::hours(25));
        host->context().jobs().runDue();
        equal(0, bytes());
    }

    TEST(keepsTheFileOfAFailedCheck)
    {
        const auto tried = imported("First Name,Email\nAda,nobody\nEve,\n", "dryRun=true&atomic=true");
        equal("failed", tried.at("/status"));
        equal("2 1 0 0 1", totals(run(tried, "{}")));
    }

    TEST(refusesWhatIsNoDryRun)
    {
        const auto made = imported("First Name\nAda\n");
        equal(409, run(made, "{}").status);
        equal(404, client->post(owner, "/api/contacts/imports/imp_" + makeUlid(Instant{}) + "/run", "{}").status);
    }

    TEST(honoursIfMatch)
    {
        const auto tried = imported("First Name\nAda\n", "dryRun=true");
        const auto runPath = path(tried) + "/run";
        equal(412, client->post(owner, runPath, "{}", {{"If-Match", "\"99\""}}).status);
        const auto made = client->post(owner, runPath, "{}", {{"If-Match", report(tried).etag}});
        equal(200, made.status);
        equal(412, client->post(owner, path(made) + "/undo", "", {{"If-Match", "\"99\""}}).status);
        equal(200, client->post(owner, path(made) + "/undo", "", {{"If-Match", report(made).etag}}).status);
        equal(0, countContacts());
    }

    TEST(checksItsOptions)
    {
        const auto tried = imported("First Name\nAda\n", "dryRun=true");
        equal({"tags[0] required"}, run(tried, R"({"tags":[" "]})").errors());
        equal("unknown_field", run(tried, R"({"nothing":1})").code());
        equal({" wrong_type"}, run(tried, "null").errors());
        equal(400, run(tried, R"({"mapping":{"Nobody":"firstName"}})").status);
        equal(0, countContacts());
    }

    TEST(keepsOrganizationsApart)
    {
        const auto tried = imported("First Name\nAda\n", "dryRun=true");
        equal(404, client->post(stranger, path(tried) + "/run", "{}").status);
    }

    TEST(needsTheRight)
    {
        const auto tried = imported("First Name\nAda\n", "dryRun=true");
        auto weak = owner;
        std::erase(weak.permissions, "crm.contacts:import");
        equal(403, client->post(weak, path(tried) + "/run", "{}").status);
        weak = owner;
        std::erase(weak.permissions, "crm.pipeline:move");
        const auto stage = valueAt(client->get(owner, "/api/pipeline"), "/items/0/stages/0/stageId");
        equal(403, client->post(weak, path(tried) + "/run", jsonWith(R"({"stageId":$})", json::serialize(stage))).status);
    }

    Answer run(const Answer& tried, std::string_view options) const { return client->post(owner, path(tried) + "/run", options); }
    std::uint64_t bytes() const { return host->context().blobs().usedBytes(owner.organizationId); }
    /// `row fate name` of each row shown.
    static Names fates(const Answer& report)
    {
        Names found;
        for (const auto& row : arrayAt(report, "/sample"))
            found.push_back(std::to_string(row.at("row").as_int64()) + ' ' + std::string(row.at("fate").as_string()) + ' ' +
                            std::string(row.at("contact").at("displayName").as_string()));
        return found;
    }
    static std::string match(const Answer& report, std::size_t index)
    {
        return json::serialize(valueAt(report, "/sample").at(index).at("match"));
    }
};

} // namespace portico::tests
