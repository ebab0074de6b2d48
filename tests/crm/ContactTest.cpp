#include "crm/CrmFixture.h"

namespace portico::tests
{

namespace json = boost::json;

namespace
{

std::string repeated(std::string_view text, int count)
{
    std::string out;
    for (int i = 0; i < count; ++i) out += text;
    return out;
}

std::string listOf(std::string_view element, int count)
{
    std::string out = "[";
    for (int i = 0; i < count; ++i)
    {
        std::string item(element);
        if (const auto at = item.find('#'); at != std::string::npos) item.replace(at, 1, std::to_string(i));
        out += (i == 0 ? "" : ",") + item;
    }
    return out + "]";
}

} // namespace

/// The contact's record: its members, limits and rules.
class ContactTest : public Suite<ContactTest, CrmFixture>
{
    TEST(showsEveryMember)
    {
        const auto made = created(R"({"firstName":"Ada","emails":[{"address":"ada@a.example"}]})");
        const auto shown = client->get(owner, "/api/contacts/" + made.at("/id"));
        equal(200, shown.status);
        equal("\"1\"", shown.etag);
        auto expected = objectAt(made, "");
        CHECK(expected.at("possibleDuplicates").as_array().empty());
        expected.erase("possibleDuplicates");
        equal(json::serialize(expected), shown.at(""));
        for (const auto* member : {"id",
                                   "firstName",
                                   "middleName",
                                   "lastName",
                                   "prefix",
                                   "suffix",
                                   "nickname",
                                   "displayName",
                                   "emails",
                                   "phones",
                                   "addresses",
                                   "companyName",
                                   "companyId",
                                   "jobTitle",
                                   "department",
                                   "websites",
                                   "socialProfiles",
                                   "birthday",
                                   "tags",
                                   "ownerUserId",
                                   "source",
                                   "sourceDetail",
                                   "lifecycle",
                                   "doNotContact",
                                   "customFields",
                                   "externalIds",
                                   "pipelines",
                                   "counts",
                                   "photoAttachmentId",
                                   "createdAt",
                                   "createdBy",
                                   "updatedAt",
                                   "version",
                                   "deletedAt"})
            CPPUNIT_ASSERT_MESSAGE(member, shown.has("/" + std::string(member)));
        equal(owner.principalId, shown.at("/createdBy"));
        equal("2026-11-21T09:00:00.000Z", shown.at("/createdAt"));
        equal(R"({"notes":0,"attachments":0})", shown.at("/counts"));
        CHECK(made.headerBlock().find("Location: /api/contacts/" + made.at("/id")) != std::string::npos);
    }

    TEST(keepsTextLimits)
    {
        const std::vector<std::pair<std::string, int>> limits{
            {"firstName", 100},   {"middleName", 100},  {"lastName", 100}, {"prefix", 30},      {"suffix", 30},       {"nickname", 100},
            {"displayName", 300}, {"companyName", 200}, {"jobTitle", 150}, {"department", 150}, {"sourceDetail", 200}};
        for (const auto& [member, limit] : limits)
        {
            // Characters, not bytes.
            const auto make = [&, &member = member](int length)
            { return post(jsonWith(R"({"phones":[{"number":"110"}],"$":"$"})", member, repeated("ü", length))); };
            equal(201, make(limit).status, member);
            const auto refused = make(limit + 1);
            equal(400, refused.status, member);
            equal({member + " too_long"}, refused.errors());
        }
    }

    TEST(keepsListLimits)
    {
        const std::vector<std::tuple<std::string, int, std::string>> limits{{"emails", 10, R"({"address":"a#@a.example"})"},
                                                                            {"phones", 10, R"({"number":"+49 170 12345#"})"},
                                                                            {"addresses", 5, R"({"city":"Ulm"})"},
                                                                            {"websites", 5, R"("https://a.example/#")"},
                                                                            {"socialProfiles", 10, R"({"service":"x","value":"v#"})"},
                                                                            {"tags", 50, R"("tag #")"},
                                                                            {"externalIds", 10, R"({"system":"s","id":"LISTID#"})"}};
        for (const auto& [member, limit, element] : limits)
        {
            const auto make = [&, &member = member, &element = element](int count)
            { return post(jsonWith(R"({"lastName":"L","$":$})", member, listOf(element, count))); };
            const auto taken = make(limit);
            equal(201, taken.status, member);
            equal(static_cast<std::size_t>(limit), taken.count("/" + member), member);
            const auto refused = make(limit + 1);
            equal(400, refused.status, member);
            equal({member + " too_many_values"}, refused.errors());
        }
    }

    TEST(limitsTextsInLists)
    {
        refuses(jsonWith(R"({"emails":[{"address":"a@a.example","label":"$"}]})", repeated("x", 41)), "emails[0].label too_long");
        refuses(jsonWith(R"({"emails":[{"address":"$@$example"}]})", repeated("x", 64), repeated("x.", 95)), "emails[0].address too_long");
        refuses(jsonWith(R"({"phones":[{"number":"$"}]})", repeated("1", 41)), "phones[0].number too_long");
        refuses(jsonWith(R"({"lastName":"L","addresses":[{"street":"$"}]})", repeated("x", 201)), "addresses[0].street too_long");
        refuses(jsonWith(R"({"lastName":"L","addresses":[{"country":"$"}]})", repeated("x", 81)), "addresses[0].country too_long");
        refuses(jsonWith(R"({"lastName":"L","tags":["ok","$"]})", repeated("x", 51)), "tags[1] too_long");
        refuses(R"({"lastName":"L","socialProfiles":[{"service":"x"}]})", "socialProfiles[0].value required");
        refuses(R"({"lastName":"L","externalIds":[{"id":"1"}]})", "externalIds[0].system required");
        refuses(R"({"lastName":"L","externalIds":[{"system":"s","id":"1"},{"system":"s","id":"1"}]})", "externalIds[1] not_unique");
    }

    TEST(needsSomethingToGoBy)
    {
        refuses("{}", " missing_identity");
        refuses(R"({"jobTitle":"Boss","prefix":"Dr.","firstName":""})", " missing_identity");
        refuses(R"({"firstName":" ","lastName":"\t","displayName":"  ","companyName":" "})", " missing_identity");
        equal("Ada", created(R"({"firstName":"Ada","displayName":" "})").at("/displayName"));
        equal("null", created(R"({"firstName":"Ada","birthday":""})").at("/birthday"));
        for (const auto* body : {R"({"firstName":"A"})", R"({"middleName":"A"})", R"({"lastName":"A"})", R"({"nickname":"A"})",
                                 R"({"companyName":"A"})", R"({"emails":[{"address":"a@a.example"}]})", R"({"phones":[{"number":"110"}]})"})
            equal(201, client->post(owner, "/api/contacts", body).status, body);
    }

    TEST(removesInvisibleCharacters)
    {
        const auto made =
            created(R"({"firstName":"I\u200bvy","lastName":"\ufeffIn\u00advisible","companyName":"A\u202ecme","jobTitle":"\u2060",
            "emails":[{"address":"\u200bivy@example.org\u200b"}],"phones":[{"number":"\u202a+49 170 1234567\u202c"}],
            "addresses":[{"street":"Way\u200f 1","city":"U\udb40\udc41lm"}],"websites":["ivy.example\u2060"],"tags":["v\u200dip"]})");
        equal("Ivy", made.at("/firstName"));
        equal("Invisible", made.at("/lastName"));
        equal("Ivy Invisible", made.at("/displayName"));
        equal("Acme", made.at("/companyName"));
        equal("", made.at("/jobTitle"));
        equal("ivy@example.org", made.at("/emails/0/address"));
        equal("+49 170 1234567", made.at("/phones/0/number"));
        equal("+491701234567", made.at("/phones/0/e164"));
        equal("Way 1", made.at("/addresses/0/street"));
        equal("Ulm", made.at("/addresses/0/city"));
        equal("ivy.example", made.at("/websites/0"));
        equal("vip", made.at("/tags/0"));
        equal(1, list("phone=%E2%80%AA%2B491701234567%E2%80%AC").count("/items"));
        equal(1, list("email=ivy%E2%80%8B@example.org").count("/items"));
        const auto changed = client->put(owner, "/api/contacts/" + made.at("/id"), R"({"nickname":"Iv\u200by"})");
        equal("Ivy", changed.at("/nickname"));
        refuses(R"({"firstName":"\u200b","lastName":"\ufeff \u2060","displayName":"\u3164","companyName":"\u2800"})", " missing_identity");
        refuses(R"({"emails":[{"address":"\u200b"}]})", "emails[0].address invalid_email");
        refuses(R"({"firstName":"A","phones":[{"number":"\u202a\u202c"}]})", "phones[0].number invalid_phone");
        refuses(R"({"firstName":"A","socialProfiles":[{"service":"xing","value":"\u200b"}]})", "socialProfiles[0].value required");
        refuses(R"({"firstName":"A","tags":["\u200b"]})", "tags[0] required");
    }

    TEST(refusesNumbersThatASpreadsheetBroke)
    {
        refuses(R"({"phones":[{"number":"4.91701E+11"}]})", "phones[0].number invalid_phone");
        refuses(R"({"phones":[{"number":"4,91701E+11"}]})", "phones[0].number invalid_phone");
        const auto made = created(R"({"phones":[{"number":"+49170123456.0"}]})");
        equal("+49170123456", made.at("/phones/0/number"));
        // One that was stored before there was this rule does not keep the rest from being changed.
        database().transact(
            [](Transaction& transaction) {
                transaction.execute(
                    "UPDATE contact SET document = replace(document, '\"number\":\"+49170123456\"', '\"number\":\"4.91701E+11\"')");
            });
        equal(200, client->put(owner, "/api/contacts/" + made.at("/id"), R"({"nickname":"Sci"})").status);
    }

    TEST(checksEmails)
    {
        for (const auto* address : {"ada", "ada@", "@a.example", "a b@a.example", "a@b..example", "a@-b.example", "a@b"})
            refuses(jsonWith(R"({"emails":[{"address":"$"}]})", address), "emails[0].address invalid_email");
        const auto made = created(R"({"emails":[{"address":"Ada@B\u00fccher.example"}]})");
        equal("Ada@B\u00fccher.example", made.at("/emails/0/address"));
    }

    TEST(marksOnePrimary)
    {
        const auto made =
            created(R"({"emails":[{"address":"a@a.example"},{"address":"b@a.example"}],"phones":[{"number":"110"},{"number":"112",)"
                    R"("primary":true}]})");
        equal("true", made.at("/emails/0/primary"));
        equal("false", made.at("/emails/1/primary"));
        equal("false", made.at("/phones/0/primary"));
        equal("true", made.at("/phones/1/primary"));
        refuses(R"({"emails":[{"address":"a@a.example","primary":true},{"address":"b@a.example","primary":true}]})",
                "emails too_many_primary");
    }

    TEST(keepsNumbersAsTyped)
    {
        const auto made =
            created(R"({"phones":[{"number":"+49 (0)170/123 45 67","e164":"+1"},{"number":"0170 1234567","label":"mobile"}]})");
        const auto& phones = arrayAt(made, "/phones");
        equal("+49 (0)170/123 45 67", std::string(phones[0].at("number").as_string()));
        equal("+491701234567", std::string(phones[0].at("e164").as_string()));
        equal("other", std::string(phones[0].at("label").as_string()));
        CHECK(phones[1].at("e164").is_null());
        equal("mobile", std::string(phones[1].at("label").as_string()));
        refuses(R"({"phones":[{"number":"none"}]})", "phones[0].number invalid_phone");
    }

    TEST(checksDatesAndLinks)
    {
        for (const auto* day : {"1815-12-10", "--12-10", "--02-29", "2024-02-29"})
            equal(day, created(jsonWith(R"({"lastName":"L","birthday":"$"})", day)).at("/birthday"));
        for (const auto* day : {"1815-13-10", "--02-30", "2023-02-29", "12-10", "--1-1", "x"})
            refuses(jsonWith(R"({"lastName":"L","birthday":"$"})", day), "birthday invalid_date");
        for (const auto* link : {"https://a.example/x?y#z", "http://a.example", "www.a.example/x", "a.example:8080"})
            equal(201, post(jsonWith(R"({"lastName":"L","websites":["$"]})", link)).status, link);
        for (const auto* link :
             {"javascript:alert(1)", "javascript:alert(1.0)", "ftp://a.example", "data:text/html,x.y", "nodot", "a b.example", "https://"})
            refuses(jsonWith(R"({"lastName":"L","websites":["$"]})", link), "websites[0] invalid_url");
    }

    TEST(checksWords)
    {
        refuses(R"({"lastName":"L","lifecycle":"customers"})", "lifecycle unknown_option");
        refuses(R"({"lastName":"L","source":"fax"})", "source unknown_option");
        refuses(R"({"lastName":"L","doNotContact":{"sms":1}})", "doNotContact.sms wrong_type");
        refuses(R"({"lastName":7})", "lastName wrong_type");
        const auto made = created(R"({"lastName":"L","lifecycle":"former","source":"booking","doNotContact":{"sms":true}})");
        equal("former", made.at("/lifecycle"));
        equal("booking", made.at("/source"));
        equal(R"({"email":false,"phone":false,"sms":true})", made.at("/doNotContact"));
    }

    TEST(buildsDisplayNames)
    {
        const auto nameOf = [&](std::string_view body) { return created(body).at("/displayName"); };
        equal("Dr. Ada K. Lovelace PhD",
              nameOf(R"({"prefix":"Dr.","firstName":"Ada","middleName":"K.","lastName":"Lovelace","suffix":"PhD"})"));
        equal("Countess", nameOf(R"({"nickname":"Countess","companyName":"Engines"})"));
        equal("Engines", nameOf(R"({"companyName":"Engines","emails":[{"address":"a@a.example"}]})"));
        equal("a@a.example", nameOf(R"({"emails":[{"address":"a@a.example"}],"phones":[{"number":"110"}]})"));
        equal("110", nameOf(R"({"phones":[{"number":"110"}]})"));
        equal("Given", nameOf(R"({"firstName":"Ada","displayName":"Given"})"));
    }

    TEST(tidiesTags)
    {
        const auto made = created(R"({"lastName":"L","tags":[" vip ","vip","VIP"]})");
        equal(R"(["vip","VIP"])", made.at("/tags"));
        refuses(R"({"lastName":"L","tags":["  "]})", "tags[0] required");
    }

    TEST(refusesUnknownMembers)
    {
        const auto unknown = post(R"({"lastName":"L","surname":"L","emails":[{"address":"a@a.example","kind":"x"}]})");
        refused(unknown, 400, "unknown_field");
        equal({"surname unknown_field", "emails[0].kind unknown_field"}, unknown.errors());
        // Columns that are no members.
        equal("unknown_field", post(R"({"lastName":"L","noteCount":3})").code());
        const auto custom = post(R"({"lastName":"L","customFields":{"shoe_size":43}})");
        equal("unknown_field", custom.code());
        equal({"customFields.shoe_size unknown_field"}, custom.errors());
    }

    TEST(takesOwnersWhoAreMembers)
    {
        auto& members = directory.members;
        const auto here = "usr_" + makeUlid(Instant{}), gone = "usr_" + makeUlid(Instant{}), elsewhere = "usr_" + makeUlid(Instant{});
        members = {
            {{owner.organizationId, here}, true}, {{owner.organizationId, gone}, false}, {{stranger.organizationId, elsewhere}, true}};
        const auto make = [&](const std::string& user) { return jsonWith(R"({"lastName":"L","ownerUserId":"$"})", user); };
        const auto made = created(make(here));
        equal(here, made.at("/ownerUserId"));
        refuses(make(gone), "ownerUserId unknown_owner");
        refuses(make(elsewhere), "ownerUserId unknown_owner");
        refuses(make("usr_x"), "ownerUserId invalid_id");

        // A former member stays the owner until another one is set.
        members.clear();
        const auto path = "/api/contacts/" + made.at("/id");
        equal(200, client->put(owner, path, jsonWith(R"({"jobTitle":"x","ownerUserId":"$"})", here)).status);
        equal(400, client->put(owner, path, jsonWith(R"({"ownerUserId":"$"})", elsewhere)).status);
        equal("null", client->put(owner, path, R"({"ownerUserId":null})").at("/ownerUserId"));
    }

    TEST(needsTheDirectoryForOwners)
    {
        services().withdraw(interfaces::Directory::interfaceName);
        const auto answer = post(jsonWith(R"({"lastName":"L","ownerUserId":"usr_$"})", makeUlid(Instant{})));
        refused(answer, 503, "validation_unavailable");
        equal(201, post(R"({"lastName":"L"})").status);
    }

    TEST(notesWhereItComesFrom)
    {
        equal("manual", created(R"({"lastName":"L"})").at("/source"));
        owner.credential = CredentialKind::ApiKey;
        equal("api", created(R"({"lastName":"L"})").at("/source"));
    }

    TEST(refusesPersonalContext)
    {
        owner.organizationId.clear();
        for (const auto& answer : {post(R"({"lastName":"L"})"), list(""), client->get(owner, "/api/widget")})
        {
            refused(answer, 403, "service_access_denied");
        }
    }

    TEST(includesWhatTheCallerMayRead)
    {
        const auto path = "/api/contacts/" + newContact();
        const std::vector<std::array<std::string, 3>> parts{{"notes", "crm.notes:read", "notes.read"},
                                                            {"attachments", "crm.attachments:read", "attachments.read"},
                                                            {"history", "crm.pipeline:read", "pipeline.read"}};
        for (const auto& [part, permission, scope] : parts)
        {
            const auto include = "?include=" + part;
            auto member = testing::userOf(owner.organizationId, {"crm.contacts:read"});
            equal(200, client->get(member, path).status);
            for (const auto& answer : {client->get(member, path + include),
                                       // A caller without the permission does not learn what exists.
                                       client->get(member, "/api/contacts/con_" + makeUlid(Instant{}) + include)})
            {
                refused(answer, 403, "permission_denied", part);
            }
            CHECK(valueAt(client->get(withPermission(member, permission), path + include), "/" + part).is_array());

            auto key = testing::keyOf(owner.organizationId, owner.permissions, {"contacts.read"});
            const auto answer = client->get(key, path + include);
            refused(answer, 403, "insufficient_scope", part);
            key.scopes.push_back(scope);
            std::sort(key.scopes.begin(), key.scopes.end());
            CHECK(valueAt(client->get(key, path + include), "/" + part).is_array());
            equal(403, client->get(key, path + "?include=notes,attachments,history").status);
        }
    }

    Answer post(std::string_view body) const { return client->post(owner, "/api/contacts", body); }

    void refuses(std::string_view body, const std::string& error) const
    {
        const auto answer = post(body);
        equal(400, answer.status, body);
        equal({error}, answer.errors(), body);
    }
};

} // namespace portico::tests
