#include "crm/ImportFixture.h"

namespace portico::tests
{

namespace json = boost::json;

/// Results and reports of imports.
class ImportTest : public Suite<ImportTest, ImportFixture>
{
    TEST(makesContacts)
    {
        const auto made =
            imported("First Name,Last Name,Email,Notes\nAda,Lovelace,ada@example.org,first programmer\nAlan,Turing,alan@example.org,\n");
        equal("completed", made.at("/status"));
        equal("2 2 0 0 0", totals(made));
        equal("people.csv", made.at("/fileName"));
        equal("100", made.at("/progress"));
        equal("null", made.at("/errorFileUrl"));
        equal("2026-12-21T09:00:00.000Z", made.at("/undoUntil"));
        const auto ada = contactNamed("ada");
        equal("import", ada.at("/source"));
        equal("people.csv", ada.at("/sourceDetail"));
        equal(owner.principalId, ada.at("/createdBy"));
        equal("1", ada.at("/counts/notes"));
        equal("ada@example.org", ada.at("/emails/0/address"));
        equal({"Alan Turing", "Ada Lovelace"}, names("sort=-displayName"));
        equal(made.at("/totals"), report(made).at("/totals"));
        // In the order of the file, although they were made at the same moment.
        equal({"Ada Lovelace", "Alan Turing"}, names("sort=createdAt"));
        // Nothing is left of the file.
        equal(0, host->context().blobs().usedBytes(owner.organizationId));
    }

    TEST(skipsWhatIsThere)
    {
        const std::string file =
            "First Name,Email,Phone\nAda,ada@example.org,\nAlan,,+49 170 1234567\nNobody,,\nAda again,ADA@example.org,\n";
        equal("4 3 0 1 0", totals(imported(file)));
        const auto again = imported(file);
        equal("completed", again.at("/status"));
        equal("4 0 0 4 0", totals(again));
        equal({"1 duplicate_existing", "2 duplicate_existing", "3 duplicate_existing", "4 duplicate_in_file"}, problems(again));
        equal("1", again.at("/duplicatesInFile"));
        equal("null", again.at("/undoUntil"));
        // A different person with the same name.
        equal("1 1 0 0 0", totals(imported("First Name,Phone\nAlan,+49 170 7654321\n")));
        // Deleted contacts are not duplicates.
        const auto ada = contactNamed("ada@example.org").at("/id");
        client->del(owner, "/api/contacts/" + ada);
        equal("4 1 0 3 0", totals(imported(file)));
    }

    TEST(updates)
    {
        created(R"({"firstName":"Ada","jobTitle":"Countess","companyName":"None","emails":[{"address":"ada@example.org"},)"
                R"({"address":"old@example.org"}],"tags":["vip"],"externalIds":[{"system":"erp","id":"7"}]})");
        const auto id = contactNamed("ada").at("/id");
        const std::string file =
            "First Name,Last Name,Email,Job Title,Company,Tags,externalIds.crm\n,Lovelace,ADA@example.org,Programmer,,math,9\n";
        const auto made = imported(file, "onDuplicate=update");
        equal("1 0 1 0 0", totals(made));
        CHECK(problems(made).empty());
        const auto ada = client->get(owner, "/api/contacts/" + id);
        equal("Ada Lovelace", ada.at("/displayName"));
        equal("Programmer", ada.at("/jobTitle"));
        equal("None", ada.at("/companyName"));
        equal("manual", ada.at("/source"));
        equal("2", ada.at("/version"));
        equal(R"(["math"])", ada.at("/tags"));
        equal(1, ada.count("/emails"));
        // Members that the row lacks stay: the contact's id in the other system.
        equal(R"([{"system":"erp","id":"7"},{"system":"crm","id":"9"}])", ada.at("/externalIds"));
        // The second import changes nothing.
        const auto again = imported(file, "onDuplicate=update");
        equal("1 0 0 1 0", totals(again));
        CHECK(problems(again).empty());
        equal("2", client->get(owner, "/api/contacts/" + id).at("/version"));
    }

    TEST(updatesOnlyTheDoNotContactFlagsOfTheFile)
    {
        const auto id =
            created(R"({"firstName":"Ada","emails":[{"address":"ada@example.org"}],"doNotContact":{"phone":true,"sms":true}})").at("/id");
        const auto flags = [&] { return client->get(owner, "/api/contacts/" + id).at("/doNotContact"); };
        const std::string file = "Email,doNotContact.email\nada@example.org,true\n";
        equal("1 0 1 0 0", totals(imported(file, "onDuplicate=update")));
        equal(R"({"email":true,"phone":true,"sms":true})", flags());
        equal("1 0 0 1 0", totals(imported(file, "onDuplicate=update")));
        const auto cleared = imported(R"([{"emails":[{"address":"ada@example.org"}],"doNotContact":{"sms":false}}])", "onDuplicate=update",
                                      "application/json");
        equal("1 0 1 0 0", totals(cleared));
        equal(R"({"email":true,"phone":true,"sms":false})", flags());
        equal("1 0 1 0 0", totals(imported("Email,doNotContact.sms\nada@example.org,true\n", "onDuplicate=merge")));
        equal(R"({"email":true,"phone":true,"sms":true})", flags());
    }

    TEST(merges)
    {
        created(R"({"firstName":"Ada","jobTitle":"Countess","emails":[{"address":"ada@example.org","label":"work"}],)"
                R"("phones":[{"number":"+44 20 7946 0001"}],"tags":["vip"]})");
        const auto id = contactNamed("ada").at("/id");
        const std::string file = "First Name,Last Name,Email,Email 2,Phone,Job Title,Company,Tags,Notes\n"
                                 "Augusta,Lovelace,ada@example.org,countess@example.org,+442079460001,Programmer,Analytical,math,x\n";
        const auto made = imported(file, "onDuplicate=merge");
        equal("1 0 1 0 0", totals(made));
        const auto ada = client->get(owner, "/api/contacts/" + id);
        equal("Ada Lovelace", ada.at("/displayName"));
        equal("Countess", ada.at("/jobTitle"));
        equal("Analytical", ada.at("/companyName"));
        equal(R"(["vip","math"])", ada.at("/tags"));
        equal(2, ada.count("/emails"));
        CHECK(ada.at("/emails/0/primary") == "true" && ada.at("/emails/1/primary") == "false");
        equal(1, ada.count("/phones"));
        equal("1", ada.at("/counts/notes"));
        equal("1 0 0 1 0", totals(imported(file, "onDuplicate=merge")));
        equal("1", client->get(owner, "/api/contacts/" + id).at("/counts/notes"));
        // A list that cannot take more.
        std::string many = R"({"firstName":"Full","emails":[{"address":"full@example.org"})";
        for (int i = 0; i < 9; ++i) many += jsonWith(R"(,{"address":"f$@example.org"})", i);
        created(many + "]}");
        const auto full = imported("Email,Email 2\nfull@example.org,more@example.org\n", "onDuplicate=merge");
        equal("1 0 0 0 1", totals(full));
        equal({"1 too_many_values"}, problems(full));
    }

    TEST(keepsE164OfTheImportedCountry)
    {
        imported("First Name,Email,Phone\nAda,ada@example.org,0170 1234567\n", "defaultCountry=DE");
        const auto id = contactNamed("ada").at("/id");
        equal("+491701234567", client->put(owner, "/api/contacts/" + id, R"({"nickname":"Countess"})").at("/phones/0/e164"));
        equal("1 0 1 0 0", totals(imported("Job Title,Email\nx,ada@example.org\n", "onDuplicate=update&defaultCountry=FR")));
        equal("+491701234567", client->get(owner, "/api/contacts/" + id).at("/phones/0/e164"));
        const auto merged = client->post(owner, "/api/contacts/" + newContact("Target") + "/merge", jsonWith(R"({"sourceIds":["$"]})", id));
        equal("+491701234567", merged.at("/contact/phones/0/e164"));
    }

    TEST(createsDespiteDuplicates)
    {
        const std::string file = "First Name,Email,externalIds.erp\nAda,ada@example.org,7\nAda,ada@example.org,\nAda,ada@example.org,7\n";
        const auto first = imported(file, "onDuplicate=create");
        equal("3 2 0 0 1", totals(first));
        equal("completed_with_errors", first.at("/status"));
        equal({"3 duplicate_in_file"}, problems(first));
        equal("2", first.at("/duplicatesInFile"));
        const auto second = imported(file, "onDuplicate=create");
        equal("3 1 0 0 2", totals(second));
        equal({"1 duplicate_existing", "3 duplicate_existing"}, problems(second));
    }

    TEST(matchesByTheChosenField)
    {
        created(R"({"firstName":"Mail","emails":[{"address":"a@example.org"}]})");
        // Older than the others, one of which will have its address, too.
        clock().advance(std::chrono::seconds(1));
        created(R"({"firstName":"Call","phones":[{"number":"+49 170 1234567"}]})");
        created(R"({"firstName":"Number","externalIds":[{"system":"erp","id":"7"}]})");
        const auto nicknamed = [&](std::string_view row, std::string_view matchBy)
        {
            static int round = 0;
            const auto name = "x" + std::to_string(++round);
            imported("Nickname,Email,Phone,externalIds.erp\n" + name + std::string(row) + "\n",
                     "onDuplicate=update&matchBy=" + std::string(matchBy));
            Names found;
            for (const auto* each : {"Mail", "Call", "Number"})
                if (contactNamed(each).at("/nickname") == name) found.emplace_back(each);
            return found;
        };
        // The order of the kinds decides.
        equal({"Call"}, nicknamed(",a@example.org,+491701234567,", "phone,email"));
        equal({"Mail"}, nicknamed(",a@example.org,+491701234567,", "email,externalId"));
        equal({"Number"}, nicknamed(",b@example.org,,7", "externalId"));
        // The row's address belongs to another contact than its external id.
        const auto taken = imported("Email,externalIds.erp\na@example.org,7\n", "onDuplicate=update&matchBy=email");
        equal({"1 duplicate_existing"}, problems(taken));
        equal("externalIds.erp", taken.at("/errors/0/column"));
    }

    TEST(findsOwners)
    {
        const auto colleague = "usr_" + makeUlid(Instant{}), gone = "usr_" + makeUlid(Instant{});
        directory.members[{owner.organizationId, colleague}] = true;
        directory.members[{owner.organizationId, gone}] = false;
        directory.emails = {{"colleague@example.org", colleague}, {"gone@example.org", gone}};
        const std::string file = "First Name,Contact owner\nAda,colleague@example.org\nAlan,gone@example.org\nEve,who@example.org\nBob,\n";
        const auto made = imported(file, "mapping=%7B%22Contact%20owner%22%3A%22ownerEmail%22%7D");
        equal("4 2 0 0 2", totals(made));
        equal({"2 unknown_owner", "3 unknown_owner"}, problems(made));
        equal("Contact owner", made.at("/errors/0/column"));
        equal("gone@example.org", made.at("/errors/0/value"));
        equal(colleague, contactNamed("ada").at("/ownerUserId"));
        equal("null", contactNamed("bob").at("/ownerUserId"));
        // The owner for all rows takes precedence over the file's.
        equal("4 4 0 0 0", totals(imported(file, "onDuplicate=create&ownerUserId=" + colleague)));
        equal({"ownerUserId unknown_owner"}, importFile(owner, file, "ownerUserId=" + gone).errors());
        services().withdraw(interfaces::Directory::interfaceName);
        equal("validation_unavailable", importFile(owner, file, "ownerUserId=" + gone).code());
    }

    TEST(setsTagsAndStage)
    {
        const auto mover = withPermission(owner, "crm.pipeline:move");
        created(R"({"firstName":"Ada","emails":[{"address":"ada@example.org"}],"tags":["vip"]})");
        const auto reader = withPermission(owner, "crm.pipeline:read");
        const auto pipelines = client->get(reader, "/api/pipeline");
        const auto& pipeline = valueAt(pipelines, "/items/0");
        const auto pipelineId = std::string(pipeline.at("pipelineId").as_string());
        const auto stage = std::string(pipeline.at("stages").at(2).at("stageId").as_string());
        const std::string file = "First Name,Email\nAda,ada@example.org\nAlan,alan@example.org\n";
        const auto query = "onDuplicate=merge&tags=fair%202026,vip&stageId=" + stage;
        const auto made = importFile(mover, file, query);
        equal("2 1 1 0 0", totals(made));
        const auto ada = contactNamed("ada"), alan = contactNamed("alan");
        equal(R"(["vip","fair 2026"])", ada.at("/tags"));
        equal(R"(["fair 2026","vip"])", alan.at("/tags"));
        for (const auto* contact : {&ada, &alan})
        {
            equal(pipelineId, (*contact).at("/pipelines/0/pipelineId"));
            equal(stage, (*contact).at("/pipelines/0/stageId"));
        }
        const auto history = client->get(reader, "/api/pipeline/" + ada.at("/id") + "/history");
        equal("import", history.at("/items/0/source"));
        // Contacts on the board keep their stage.
        equal("2 0 0 2 0", totals(importFile(mover, file, query)));
        // A board without a stage means its first stage.
        equal("1 1 0 0 0", totals(importFile(mover, "First Name\nBob\n", "pipelineId=" + pipelineId)));
        equal(std::string(pipeline.at("stages").at(0).at("stageId").as_string()), contactNamed("bob").at("/pipelines/0/stageId"));
    }

    TEST(refusesStages)
    {
        const std::string file = "First Name\nAda\n";
        const auto stage = "stg_" + makeUlid(Instant{}), pipeline = "pip_" + makeUlid(Instant{});
        auto mover = withPermission(owner, "crm.pipeline:move");
        auto other = mover;
        std::erase(other.permissions, "crm.pipeline:move");
        equal(403, importFile(other, file, "stageId=" + stage).status);
        equal({"stageId unknown_stage"}, importFile(mover, file, "stageId=" + stage).errors());
        equal({"pipelineId unknown_option"}, importFile(mover, file, "pipelineId=" + pipeline).errors());
        mover.credential = CredentialKind::ApiKey;
        std::erase(mover.scopes, "pipeline.write");
        equal("insufficient_scope", importFile(mover, file, "stageId=" + stage).code());
        equal(0, countContacts());
    }

    TEST(readsCustomFields)
    {
        const auto define = [&](std::string_view body) { equal(201, client->post(owner, "/api/custom-fields", body).status); };
        define(R"({"key":"size","label":"Size","type":"number"})");
        define(R"({"key":"colour","label":"Colour","type":"select","options":["red","blue"]})");
        const auto made = imported("First Name,customFields.size,customFields.colour\nAda,42,red\nAlan,big,\nEve,,green\nBob,1e2,blue\n");
        equal("4 2 0 0 2", totals(made));
        equal(R"({"colour":"red","size":42})", contactNamed("ada").at("/customFields"));
        equal("customFields.size", made.at("/errors/0/field"));
        equal("2", made.at("/errors/0/row"));
        equal("unknown_option", made.at("/errors/1/code"));
        equal({"1 unknown_field"}, problems(imported("First Name,customFields.none\nAda,1\n")));
    }

    TEST(demandsRequiredValuesOfNewContactsOnly)
    {
        created(R"({"firstName":"Ada","emails":[{"address":"ada@example.org"}],"externalIds":[{"system":"erp","id":"7"}]})");
        equal(201, client->post(owner, "/api/custom-fields", R"({"key":"vat","label":"VAT","type":"text","required":true})").status);
        const auto skipped = imported("First Name,Email\nAda,ada@example.org\nEve,eve@example.org\n");
        equal("2 0 0 1 1", totals(skipped));
        equal({"1 duplicate_existing", "2 required"}, problems(skipped));
        equal({"1 duplicate_existing"}, problems(imported("First Name\nAda\n")));
        equal("1 0 1 0 0", totals(imported("Job Title,Email\nBoss,ada@example.org\n", "onDuplicate=update")));
        const auto card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEMAIL:ada@example.org\r\nNICKNAME:A\r\nEND:VCARD\r\n";
        equal("1 0 1 0 0", totals(imported(card, "onDuplicate=merge", "text/vcard")));
        // Rows without an identity can change the contact of their external id.
        const auto updated = imported("externalIds.erp,Job Title\n7,Countess\n8,Boss\n", "onDuplicate=update");
        equal("2 0 1 0 1", totals(updated));
        equal({"2 missing_identity", "2 required"}, problems(updated));
        equal("Countess", contactNamed("ada").at("/jobTitle"));
        const auto stolen = imported("externalIds.erp,ownerUserId\n7,usr_" + makeUlid(Instant{}) + "\n", "onDuplicate=update");
        equal({"1 unknown_owner"}, problems(stolen));
    }

    TEST(reportsBadRows)
    {
        const auto made = imported("First "
                                   "Name,Email,Birthday\nAda,ada@example,\nAlan,alan@example.org,1912-06-23\n,,\n\"Eve\n\",eve@"
                                   "example.org,1999-02-30\n,,1990-01-01\n");
        equal("completed_with_errors", made.at("/status"));
        equal("5 1 0 0 4", totals(made));
        equal({"1 invalid_email", "3 empty_row", "4 invalid_date", "5 missing_identity"}, problems(made));
        equal("4", made.at("/errorCount"));
        const auto& first = valueAt(made, "/errors/0");
        equal(2, first.at("line").as_int64());
        equal("Email", std::string(first.at("column").as_string()));
        equal("emails[0].address", std::string(first.at("field").as_string()));
        equal("ada@example", std::string(first.at("value").as_string()));
        equal("5", made.at("/errors/2/line"));
        equal("7", made.at("/errors/3/line"));
        equal(path(made) + "/errors.csv", made.at("/errorFileUrl"));
    }

    TEST(cutsTheReport)
    {
        std::string file = "First Name,Email\n";
        for (int i = 0; i < 150; ++i) file += "x,nobody\n";
        const auto made = imported(file);
        equal(100, made.count("/errors"));
        equal("150", made.at("/errorCount"));
        const auto lines = errorFile(made);
        equal(151, std::count(lines.begin(), lines.end(), '\n'));
    }

    TEST(givesAnErrorFileThatCanBeImported)
    {
        created(R"({"firstName":"Alan","emails":[{"address":"alan@example.org"}]})");
        const auto made = imported("First Name;Email;Company\nAda;ada@;\"A; \"\"B\"\"\"\nAlan;alan@example.org;\nEve;eve@example.org;\n");
        equal("3 1 0 1 1", totals(made));
        auto lines = errorFile(made);
        equal(std::string("First Name,Email,Company,_errorCode,_errorMessage\r\n"
                          "Ada,ada@,\"A; \"\"B\"\"\",invalid_email,Email: Not an e-mail address\r\n"
                          "Alan,alan@example.org,,duplicate_existing,Email: There is such a contact already\r\n")
                  .substr(0, lines.find("Email: ")),
              lines.substr(0, lines.find("Email: ")));
        // Without corrections, the same rows fail for the same reasons.
        const auto again = imported(lines);
        equal("2 0 0 1 1", totals(again));
        equal(lines, errorFile(again));
        // With corrections, they succeed.
        lines.replace(lines.find("ada@,"), 5, "ada@example.org,");
        equal("2 1 0 1 0", totals(imported(lines)));
        equal("A; \"B\"", contactNamed("ada@example.org").at("/companyName"));
    }

    TEST(keepsLimits)
    {
        settings.config.insert_or_assign("crm.imports.maxRows", "3");
        settings.config.insert_or_assign("crm.imports.maxBytes", "1024");
        start();
        const auto made = imported("First Name\na\nb\nc\nd\ne\n");
        equal("5 3 0 0 2", totals(made));
        equal({"4 limit_reached", "5 limit_reached"}, problems(made));
        // The rest can be imported from the error file.
        equal("2 2 0 0 0", totals(imported(errorFile(made))));
        const auto large = importFile(owner, "First Name\n" + std::string(1024, 'x'));
        equal(413, large.status);
        equal(R"([{"field":"file","code":"too_large","limit":1024}])", large.at("/details/fields"));
    }

    TEST(refusesFiles)
    {
        const auto errors = [&](std::string_view body, std::string_view query = {}, std::string_view type = "text/csv")
        { return importFile(owner, body, query, type).errors(); };
        equal({"file empty_file"}, errors(""));
        equal({"file empty_file"}, errors("\xef\xbb\xbf \n"));
        equal({"file unsupported_format"}, errors("PK\x03\x04 a workbook"));
        equal({"file unsupported_format"}, errors("7", "", "application/json"));
        equal({"mapping.Mail unknown_column"}, errors("First Name\nx\n", "mapping=%7B%22Mail%22%3Anull%7D"));
        equal({"onDuplicate invalid_value"}, errors("First Name\nx\n", "onDuplicate=explode"));
        equal({"tags[1] required"}, errors("First Name\nx\n", "tags=a,%20"));
        equal("unknown_parameter", importFile(owner, "First Name\nx\n", "dryrun=true").code());
        equal(0, client->get(owner, "/api/contacts/imports").count("/items"));
    }

    TEST(takesForms)
    {
        const auto send = [&](std::string_view parts, std::string_view query = {})
        {
            const std::string body = std::string(parts) + "--b--\r\n";
            return importFile(owner, body, query, "multipart/form-data; boundary=b");
        };
        const std::string file = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"C:\\\\temp\\\\gäste.csv\"\r\n"
                                 "Content-Type: text/csv\r\n\r\nFirst Name\nAda\n\r\n";
        const auto options = [](std::string_view text)
        { return "--b\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n" + std::string(text) + "\r\n"; };
        const auto made = send(file + options(R"({"tags":["fair"],"mapping":{"First Name":"nickname"}})"));
        equal(200, made.status, made.body);
        equal("gäste.csv", made.at("/fileName"));
        const auto ada = contactNamed("ada");
        equal("Ada", ada.at("/nickname"));
        equal("gäste.csv", ada.at("/sourceDetail"));
        equal("1 0 0 1 0", totals(send(file, "dryRun=true&mapping=%7B%22First%20Name%22%3A%22nickname%22%7D")));
        equal({"file required"}, send(options("{}")).errors());
        equal({"file too_many_values"}, send(file + file).errors());
        equal({"options conflicting"}, send(file + options("{}"), "dryRun=true").errors());
        equal("unknown_field", send(file + options(R"({"dryrun":true})")).code());
        equal("invalid_json", send(file + options("{")).code());
        equal("unknown_field", send(file + "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\r\n").code());
    }

    TEST(keepsOrganizationsApart)
    {
        const std::string file = "First Name,Email,externalIds.erp\nAda,ada@example.org,7\nEve,nobody,\n";
        const auto made = imported(file);
        for (const auto* what : {"", "/errors.csv"}) equal(404, client->get(stranger, path(made) + what).status);
        equal(404, client->post(stranger, path(made) + "/undo", "{}").status);
        equal(0, client->get(stranger, "/api/contacts/imports").count("/items"));
        equal(404, client->get(owner, "/api/contacts/imports/imp_" + makeUlid(Instant{})).status);
        // The same people are other contacts there.
        equal("2 1 0 0 1", totals(importFile(stranger, file)));
        equal(1, countContacts());
    }

    TEST(needsItsPermission)
    {
        auto caller = owner;
        std::erase(caller.permissions, "crm.contacts:import");
        const auto made = imported("First Name\nAda\n");
        equal(403, importFile(caller, "First Name\nAda\n").status);
        equal(403, client->post(caller, path(made) + "/undo", "{}").status);
        equal(200, client->get(caller, path(made)).status);
        auto key = testing::keyOf(owner.organizationId, owner.permissions, {"contacts.read"});
        equal("insufficient_scope", importFile(key, "First Name\nEve\n").code());
        key.scopes = {"contacts.write"};
        equal("1 1 0 0 0", totals(importFile(key, "First Name\nEve\n")));
    }

    TEST(lists)
    {
        for (const auto* file : {"First Name\nAda\n", "First Name,Email\nEve,x\n", "First Name\nAlan\n"})
        {
            imported(file);
            clock().advance(std::chrono::seconds(1));
        }
        const auto started = [&](std::string_view query)
        {
            const auto answer = client->get(owner, "/api/contacts/imports?" + std::string(query));
            equal(200, answer.status, answer.body);
            Names found;
            for (const auto& item : arrayAt(answer, "/items")) found.push_back(std::string(item.at("startedAt").as_string()).substr(17, 2));
            return found;
        };
        equal({"02", "01", "00"}, started(""));
        equal({"00", "01", "02"}, started("sort=startedAt"));
        equal({"01"}, started("status=completed_with_errors,running"));
        equal(400, client->get(owner, "/api/contacts/imports?status=done").status);
        Names all;
        std::string cursor;
        do {
            const auto page = client->get(owner, "/api/contacts/imports?limit=1&include=total" + cursor);
            equal("3", page.at("/total"));
            for (const auto& item : arrayAt(page, "/items")) all.push_back(std::string(item.at("startedAt").as_string()).substr(17, 2));
            cursor = page.at("/nextCursor") == "null" ? std::string() : "&cursor=" + page.at("/nextCursor");
        } while (!cursor.empty());
        equal({"02", "01", "00"}, all);
    }

    TEST(checksOnly)
    {
        created(R"({"firstName":"Ada","emails":[{"address":"ada@example.org"}]})");
        const std::string file =
            "First Name,Email,Notes\nAugusta,ada@example.org,x\nAlan,alan@example.org,y\nAlan,alan@example.org,y\nEve,nobody,\n";
        for (const auto* mode : {"skip", "update", "merge", "create"})
        {
            const auto query = "onDuplicate=" + std::string(mode);
            const auto checked = imported(file, query + "&dryRun=true");
            CHECK(checked.at("/dryRun") == "true" && checked.at("/undoUntil") == "null");
            equal(409, undo(checked).status);
            equal("Ada", contactNamed("ada").at("/displayName"));
            equal(1, countContacts());
            const auto made = imported(file, query);
            equal(totals(made), totals(checked), mode);
            equal(problems(made), problems(checked), mode);
            equal(std::stoll(made.at("/duplicatesInFile")), std::stoll(checked.at("/duplicatesInFile")), mode);
            equal(200, undo(made).status, mode);
        }
        equal(0, rowsOf("import_contact") + rowsOf("import_key"));
    }

    TEST(sendsOneEventForAnImportAndOneForItsUndo)
    {
        const std::string file = "First Name,Email\nAda,ada@example.org\nEve,secret\n";
        imported(file, "dryRun=true");
        CHECK(eventTypes(owner).empty());
        const auto made = imported(file);
        equal({"crm.import.completed"}, eventTypes(owner));
        const auto data = lastEvent("crm.import.completed");
        CHECK(data.find("secret") == std::string::npos && data.find("\"errors\"") == std::string::npos);
        clock().advance(std::chrono::seconds(1));
        equal(200, undo(made).status);
        equal({"crm.import.completed", "crm.import.undone"}, eventTypes(owner));
        const auto undone = json::parse(lastEvent("crm.import.undone"));
        equal(json::string(made.at("/importId")), undone.at("importId").as_string());
        CHECK(!undone.at("undoneAt").is_null() && !undone.as_object().contains("errors"));
        equal(made.at("/importId"), std::string(json::parse(data).at("importId").as_string()));
        equal(1, json::parse(data).at("totals").at("created").as_int64());
    }

    TEST(readsOtherFormats)
    {
        const auto cards =
            imported("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada Lovelace\r\nN:Lovelace;Ada\r\nUID:u1\r\nNOTE:first\r\nEND:VCARD\r\n"
                     "BEGIN:VCARD\r\nVERSION:4.0\r\nKIND:group\r\nFN:Friends\r\nEND:VCARD\r\n",
                     "", "text/vcard");
        equal("vcard", cards.at("/format"));
        equal("2 1 0 1 0", totals(cards));
        const auto list = imported(R"([{"firstName":"Alan","source":"form"},{"firstName":7},{"firstName":"Eve","customFields":{"x":1}}])",
                                   "", "application/json");
        equal("3 1 0 0 2", totals(list));
        // The source of the file is kept.
        equal("form", contactNamed("alan").at("/source"));
        CHECK(errorFile(list).find("_errorCode") != std::string::npos);
    }

    TEST(neverStoresWhatIsNoText)
    {
        // At the start of a file a zero byte says that it is no text; later on it is damage.
        equal({"file not_decodable"}, importFile(owner, std::string("First Name\na\0b\n", 15)).errors());
        const auto late = "First Name\n" + std::string(4096, 'x') + std::string("\na\0b\nc\n", 7);
        const auto made = imported(late);
        equal("3 1 0 0 2", totals(made));
        equal({"1 too_long", "2 bad_encoding"}, problems(made));
        equal(std::string::npos, errorFile(made).find('\0'));
        // JSON can say it in letters.
        const auto escaped = imported(R"([{"firstName":"a\u0000b"},{"firstName":"Ada"}])", "", "application/json");
        equal("2 1 0 0 1", totals(escaped));
        errorFile(escaped);
        equal({"1 bad_encoding"}, problems(imported("First Name\nZo\xeb\n", "encoding=utf-8")));
        // A row in a file that is text otherwise.
        const auto latin = imported("[{\"firstName\":\"Zo\xeb\"},{\"firstName\":\"Zo\xc3\xab\"}]", "", "application/json");
        equal(200, report(latin).status);
        errorFile(latin);
    }

    std::int64_t rowsOf(std::string_view table) const
    {
        auto session = database().session();
        return session.value<std::int64_t>("SELECT count(*) FROM " + std::string(table)).value_or(0);
    }
};

} // namespace portico::tests
