#include "crm/CrmFixture.h"
#include "support/Together.h"

#include <atomic>
#include <set>

namespace portico::tests
{

namespace json = boost::json;

/// POST /api/contacts/{id}/merge and its undoing.
class MergeTest : public Suite<MergeTest, CrmFixture>
{
public:
    TEST(fillsWhatIsEmpty)
    {
        auto& members = directory.members;
        const auto user = "usr_" + makeUlid(Instant{});
        members[{owner.organizationId, user}] = true;
        const auto target = add(R"({"firstName":"Ada","jobTitle":"Countess","lifecycle":"customer","doNotContact":{"email":true}})");
        const auto first = add(R"({"firstName":"Augusta","lastName":"King","birthday":"1815-12-10","jobTitle":"Lady","department":"Maths",
            "doNotContact":{"sms":true},"sourceDetail":"fair"})");
        const auto second = add(jsonWith(R"({"lastName":"Byron","companyName":"Engines","department":"Verse","ownerUserId":"$"})", user));
        const auto merged = merge(target, {first, second});
        equal(200, merged.status, merged.body);
        const auto contact = valueAt(merged, "/contact");
        for (const auto& [member, value] :
             std::vector<std::pair<std::string, std::string>>{{"id", '"' + target + '"'},
                                                              {"firstName", R"("Ada")"},
                                                              {"lastName", R"("King")"},
                                                              {"displayName", R"("Ada King")"},
                                                              {"jobTitle", R"("Countess")"},
                                                              {"department", R"("Maths")"},
                                                              {"companyName", R"("Engines")"},
                                                              {"birthday", R"("1815-12-10")"},
                                                              {"ownerUserId", '"' + user + '"'},
                                                              {"lifecycle", R"("customer")"},
                                                              {"sourceDetail", R"("fair")"},
                                                              {"doNotContact", R"({"email":true,"phone":false,"sms":true})"},
                                                              {"version", "2"}})
            equal(value, json::serialize(contact.at(member)), member);
        equal({"firstName \"Augusta\" " + first + " other_value", "lastName \"Byron\" " + second + " other_value",
               "jobTitle \"Lady\" " + first + " other_value", "department \"Verse\" " + second + " other_value",
               "lifecycle \"lead\" " + first + " other_value"},
              leftOut(merged));
        equal(json::serialize(contact), show(target).at(""));
        CHECK(merged.at("/mergeId").starts_with("mrg_"));
        equal("2026-12-21T09:00:00.003Z", merged.at("/undoUntil"));
    }

    TEST(unitesLists)
    {
        const auto target =
            add(R"({"emails":[{"address":"a@a.example","label":"work"},{"address":"b@a.example","primary":true}],"tags":["x","y"],
            "phones":[{"number":"+49 170 1234567"}],"websites":["a.example"],"addresses":[{"street":"S 1","city":"K"}]})");
        const auto source =
            add(R"({"firstName":"S","emails":[{"address":"B@A.example","label":"home"},{"address":"c@a.example","primary":true}],
            "tags":["Y","x"],"phones":[{"number":"0049 170 1234567"},{"number":"030 1234"}],"websites":["a.example","b.example"],
            "socialProfiles":[{"service":"irc","value":"s"}],"addresses":[{"street":"s 1","city":"K","label":"home"},{"street":"T"}]})");
        const auto contact = valueAt(merge(target, {source}), "/contact");
        equal(R"([{"address":"a@a.example","label":"work","primary":false},{"address":"b@a.example","label":"other","primary":true},)"
              R"({"address":"c@a.example","label":"other","primary":false}])",
              json::serialize(contact.at("emails")));
        equal(R"(["x","y","Y"])", json::serialize(contact.at("tags")));
        equal(2, contact.at("phones").as_array().size());
        equal(true, contact.at("phones").at(0).at("primary").as_bool());
        equal(R"(["a.example","b.example"])", json::serialize(contact.at("websites")));
        equal(1, contact.at("socialProfiles").as_array().size());
        equal(2, contact.at("addresses").as_array().size());
        // Filters and searches find it by all of them.
        equal(1, names("email=c@a.example").size());
        equal(1, names("tag=Y").size());
        equal(1, names("q=c%40a.exam").size());
    }

    TEST(acceptsStoredNumbersOfSources)
    {
        const auto target = add(R"({"firstName":"T"})"), source = add(R"({"phones":[{"number":"+49170123456"}]})");
        // Stored before such numbers were rejected.
        database().transact(
            [](Transaction& transaction) {
                transaction.execute(
                    "UPDATE contact SET document = replace(document, '\"number\":\"+49170123456\"', '\"number\":\"4.91701E+11\"')");
            });
        const auto merged = merge(target, {source});
        equal(200, merged.status, merged.body);
        equal("4.91701E+11", merged.at("/contact/phones/0/number"));
    }

    TEST(keepsLimitsAndReportsTheRest)
    {
        const auto list = [](const std::string& name, int from, int to, const std::function<std::string(int)>& item)
        {
            std::string text = jsonWith(R"("$":[)", name);
            for (int i = from; i < to; ++i) text += (i == from ? "" : ",") + item(i);
            return text + "]";
        };
        const auto email = [](int i) { return jsonWith(R"({"address":"m$@a.example"})", i); };
        const auto tag = [](int i) { return "\"t" + std::to_string(i) + "\""; };
        const auto external = [](int i) { return std::string(R"({"system":"s","id":")") + std::to_string(i) + "\"}"; };
        const auto target =
            add("{" + list("emails", 0, 9, email) + "," + list("tags", 0, 49, tag) + "," + list("externalIds", 0, 9, external) + "}");
        const auto source =
            add("{" + list("emails", 8, 12, email) + "," + list("tags", 48, 52, tag) + "," + list("externalIds", 9, 11, external) + "}");
        const auto merged = merge(target, {source});
        equal(10, merged.count("/contact/emails"));
        equal(50, merged.count("/contact/tags"));
        equal(10, merged.count("/contact/externalIds"));
        equal({R"(emails {"address":"m10@a.example","label":"other","primary":false} )" + source + " limit",
               R"(emails {"address":"m11@a.example","label":"other","primary":false} )" + source + " limit",
               "tags \"t50\" " + source + " limit", "tags \"t51\" " + source + " limit",
               R"(externalIds {"system":"s","id":"10"} )" + source + " limit"},
              leftOut(merged));
        equal(200, undo(merged).status);
        equal(4, show(source).count("/emails"));
    }

    TEST(takesWhatIsPreferred)
    {
        const auto target = add(R"({"firstName":"Ada","jobTitle":"Countess","emails":[{"address":"t@a.example"}],"lifecycle":"customer",
            "doNotContact":{"email":true},"nickname":"T"})");
        const auto source =
            add(R"({"firstName":"Augusta","emails":[{"address":"s@a.example"}],"lifecycle":"former","doNotContact":{"phone":true}})");
        const auto merged =
            merge(target, {source},
                  jsonWith(R"("prefer":{"firstName":"$","emails":"$","lifecycle":"$","doNotContact":"$","nickname":"$","jobTitle":"$"})",
                           source, source, source, source, source, target));
        equal(200, merged.status, merged.body);
        const auto contact = valueAt(merged, "/contact");
        equal("Augusta", std::string(contact.at("displayName").as_string()));
        equal("Countess", std::string(contact.at("jobTitle").as_string()));
        equal("former", std::string(contact.at("lifecycle").as_string()));
        // A preferred contact is used even if its value is empty.
        equal("", std::string(contact.at("nickname").as_string()));
        equal(R"({"email":false,"phone":true,"sms":false})", json::serialize(contact.at("doNotContact")));
        equal(R"([{"address":"s@a.example","label":"other","primary":true},{"address":"t@a.example","label":"other","primary":false}])",
              json::serialize(contact.at("emails")));
        equal({"firstName \"Ada\" " + target + " other_value", "nickname \"T\" " + target + " other_value",
               "lifecycle \"customer\" " + target + " other_value"},
              leftOut(merged));
    }

    TEST(keepsTheOldestCreation)
    {
        auto other = owner;
        other.principalId = "usr_" + makeUlid(Instant{});
        const auto old = client->post(other, "/api/contacts", R"({"firstName":"Old"})");
        clock().advance(std::chrono::hours(1));
        const auto target = add(R"({"firstName":"New"})");
        clock().advance(std::chrono::hours(1));
        const auto youngest = add(R"({"firstName":"Youngest"})");
        const auto contact = valueAt(merge(target, {youngest, old.at("/id")}), "/contact");
        equal(old.at("/createdAt"), std::string(contact.at("createdAt").as_string()));
        equal(other.principalId, std::string(contact.at("createdBy").as_string()));
        equal({"New"}, names("createdTo=2026-11-21T09:30:00Z"));
    }

    TEST(choosesNames)
    {
        // A name that was built is built again; one that was given stays, and is taken from a source rather than a built one.
        equal("Ada", mergedName(R"({"companyName":"Acme"})", R"({"firstName":"Ada"})"));
        equal("The Countess", mergedName(R"({"firstName":"Ada","displayName":"The Countess"})", R"({"lastName":"King"})"));
        equal("The Countess", mergedName(R"({"firstName":"Ada"})", R"({"lastName":"King","displayName":"The Countess"})"));
        const auto target = add(R"({"firstName":"Ada"})"), source = add(R"({"lastName":"King"})");
        const auto merged = merge(target, {source}, jsonWith(R"("prefer":{"displayName":"$"})", source));
        equal("King", merged.at("/contact/displayName"));
    }

    TEST(unitesCustomFields)
    {
        for (const auto* field : {R"({"key":"a","label":"x","type":"text"})", R"({"key":"b","label":"x","type":"text"})",
                                  R"({"key":"c","label":"x","type":"text"})", R"({"key":"d","label":"x","type":"text","required":true})",
                                  R"({"key":"m","label":"x","type":"multi_select","options":["1","2","3"]})"})
            equal(201, client->post(owner, "/api/custom-fields", field).status);
        const auto target = add(R"({"firstName":"T","customFields":{"a":"ta","c":"tc","d":"td","m":["2","1"]}})");
        const auto source = add(R"({"firstName":"S","customFields":{"a":"sa","b":"sb","c":"sc","d":"sd","m":["3","2"]}})");
        // Values that were valid once are not checked again.
        const auto list = client->get(owner, "/api/custom-fields");
        client->put(owner, "/api/custom-fields/" + list.at("/items/4/customFieldId"), R"({"options":["2"]})");
        const auto merged = merge(target, {source}, jsonWith(R"("prefer":{"customFields.c":"$"})", source));
        equal(200, merged.status, merged.body);
        equal(R"({"a":"ta","b":"sb","c":"sc","d":"td","m":["2","1","3"]})", merged.at("/contact/customFields"));
        equal({"firstName \"S\" " + source + " other_value", "customFields.a \"sa\" " + source + " other_value",
               "customFields.c \"tc\" " + target + " other_value", "customFields.d \"sd\" " + source + " other_value"},
              leftOut(merged));
        equal(200, undo(merged).status);
        equal(R"({"a":"sa","b":"sb","c":"sc","d":"sd","m":["3","2"]})", show(source).at("/customFields"));
    }

    TEST(movesNotes)
    {
        const auto target = add(R"({"firstName":"T"})"), first = add(R"({"firstName":"A"})"), second = add(R"({"firstName":"B"})");
        note(target, "t");
        note(first, "a1");
        note(first, "a2");
        note(second, "b");
        const auto merged = merge(target, {first, second});
        equal(R"({"notes":4,"attachments":0})", merged.at("/contact/counts"));
        equal({"a1", "a2", "b", "t"}, notes(target));
    }

    TEST(takesTheSourcesAway)
    {
        const auto target = add(R"({"firstName":"T"})"),
                   source = add(R"({"firstName":"S","emails":[{"address":"s@a.example"}],"tags":["s"]})");
        merge(target, {source});
        const auto path = "/api/contacts/" + source;
        const auto purger = withPermission(owner, "crm.contacts:purge");
        const auto& api = *client;
        for (const auto& answer :
             {api.get(purger, path), api.put(purger, path, "{}"), api.del(purger, path), api.del(purger, path + "?permanent=true"),
              api.post(purger, path + "/restore", ""), api.get(purger, path + "/notes"),
              api.post(purger, path + "/merge", jsonWith(R"({"sourceIds":["$"]})", target)), merge(target, {source})})
            equal(404, answer.status);
        equal({"T"}, names(""));
        equal({}, names("archived=true"));
        equal({"T"}, names("q=s%40a.example"));
    }

    TEST(takesExternalIds)
    {
        const auto target = add(R"({"firstName":"T","externalIds":[{"system":"a","id":"1"}]})");
        const auto source = add(R"({"firstName":"S","externalIds":[{"system":"a","id":"2"}]})");
        const auto merged = merge(target, {source});
        equal(R"([{"system":"a","id":"1"},{"system":"a","id":"2"}])", merged.at("/contact/externalIds"));
        const auto taken = client->post(owner, "/api/contacts", R"({"firstName":"X","externalIds":[{"system":"a","id":"2"}]})");
        equal({"externalIds[0] not_unique"}, taken.errors());
        equal(200, undo(merged).status);
        equal(R"([{"system":"a","id":"2"}])", show(source).at("/externalIds"));
        equal(R"([{"system":"a","id":"1"}])", show(target).at("/externalIds"));
    }

    TEST(previews)
    {
        const auto target = add(R"({"firstName":"T","emails":[{"address":"t@a.example"}],"externalIds":[{"system":"a","id":"1"}]})");
        const auto source =
            add(R"({"firstName":"S","lastName":"L","emails":[{"address":"s@a.example"}],"externalIds":[{"system":"a","id":"2"}]})");
        note(source, "x");
        const auto before = show(target).at("") + show(source).at("");
        const auto events = eventTypes(owner).size();
        const auto preview = merge(target, {source}, R"("dryRun":true)");
        equal(200, preview.status);
        equal("null", preview.at("/mergeId"));
        equal("null", preview.at("/undoUntil"));
        equal(before, show(target).at("") + show(source).at(""));
        equal(events, eventTypes(owner).size());
        equal({"x"}, notes(source));
        const auto merged = merge(target, {source});
        equal(merged.at("/contact"), preview.at("/contact"));
        equal(leftOut(merged), leftOut(preview));
    }

    TEST(checksItsInput)
    {
        const auto target = add(R"({"firstName":"T"})"), source = add(R"({"firstName":"S"})");
        const auto other = add(R"({"firstName":"O"})"), gone = add(R"({"firstName":"G"})");
        client->del(owner, "/api/contacts/" + gone);
        const auto foreign = client->post(stranger, "/api/contacts", R"({"firstName":"F"})").at("/id");
        equal({"sourceIds[0] same_contact"}, merge(target, {target}).errors());
        equal({"sourceIds[1] same_contact", "sourceIds[2] not_unique"}, merge(target, {source, target, source}).errors());
        equal({"sourceIds required"}, merge(target, {}).errors());
        equal({"sourceIds too_many_values"}, merge(target, Names(11, source)).errors());
        equal({"sourceIds[0] invalid_id"}, merge(target, {"x"}).errors());
        equal({"sourceIds required"}, client->post(owner, "/api/contacts/" + target + "/merge", "{}").errors());
        for (const auto& [name, id] : std::vector<std::pair<std::string, std::string>>{{"firstName", other},
                                                                                       {"first", source},
                                                                                       {"id", source},
                                                                                       {"createdAt", source},
                                                                                       {"customFields.none", source},
                                                                                       {"notes", source}})
            equal({"prefer." + name + " unknown_option"}, merge(target, {source}, jsonWith(R"("prefer":{"$":"$"})", name, id)).errors());
        for (const auto& missing : {foreign, gone, "con_" + makeUlid(Instant{})})
        {
            equal(404, merge(target, {missing}).status);
            equal(404, merge(target, {source, missing}, R"("dryRun":true)").status);
            equal(404, merge(missing, {source}).status);
        }
        equal(404, client->post(stranger, "/api/contacts/" + foreign + "/merge", jsonWith(R"({"sourceIds":["$"]})", source)).status);
        const auto reader = testing::userOf(owner.organizationId, {"crm.contacts:read"});
        equal(403, client->post(reader, "/api/contacts/" + target + "/merge", "{}").status);
        equal({"O", "S", "T"}, names(""));
        equal("1", show(target).at("/version"));
    }

    TEST(honoursIfMatch)
    {
        const auto target = add(R"({"firstName":"T"})"), source = add(R"({"firstName":"S"})");
        const auto body = jsonWith(R"({"sourceIds":["$"]})", source);
        const auto path = "/api/contacts/" + target + "/merge";
        equal(412, client->post(owner, path, body, {{"If-Match", "\"2\""}}).status);
        equal(200, show(source).status);
        equal(200, client->post(owner, path, body, {{"If-Match", "\"1\""}}).status);
    }

    TEST(mergesPublishEvents)
    {
        const auto target = add(R"({"firstName":"T"})"), source = add(R"({"lastName":"S"})");
        const auto merged = merge(target, {source});
        equal(jsonWith(R"({"contactId":"$","organizationId":"$","changedFields":["lastName","displayName"],"mergedIds":["$"]})", target,
                       owner.organizationId, source),
              lastEvent("crm.contact.merged"));
        clock().advance(std::chrono::seconds(1));
        undo(merged);
        equal(
            jsonWith(R"({"contactId":"$","organizationId":"$","changedFields":["lastName","displayName"]})", target, owner.organizationId),
            lastEvent("crm.contact.updated"));
        equal(jsonWith(R"({"contactId":"$","organizationId":"$"})", source, owner.organizationId), lastEvent("crm.contact.restored"));
    }

    TEST(letsOneOfTwoMergesHaveTheSource)
    {
        for (int round = 0; round < 10; ++round)
        {
            const auto source = add(R"({"firstName":"S","emails":[{"address":"s@a.example"}]})");
            note(source, "x");
            const Names targets{add(R"({"firstName":"A"})"), add(R"({"firstName":"B"})"), add(R"({"firstName":"C"})")};
            std::atomic<int> merged = 0, missing = 0;
            runTogether(3,
                        [&](int i)
                        {
                            const auto status = merge(targets[static_cast<std::size_t>(i)], {source}).status;
                            merged += status == 200;
                            missing += status == 404;
                        });
            equal(1, merged.load());
            equal(2, missing.load());
            std::size_t with = 0, kept = 0;
            for (const auto& target : targets)
            {
                with += show(target).count("/emails");
                kept += notes(target).size();
            }
            equal(1, with);
            equal(1, kept);
        }
    }

    TEST(mergesCrosswise)
    {
        for (int round = 0; round < 10; ++round)
        {
            const auto a = add(R"({"firstName":"A"})"), b = add(R"({"firstName":"B"})");
            std::atomic<int> merged = 0, missing = 0;
            runTogether(2,
                        [&](int i)
                        {
                            const auto status = i == 0 ? merge(a, {b}).status : merge(b, {a}).status;
                            merged += status == 200;
                            missing += status == 404;
                        });
            equal(1, merged.load());
            equal(1, missing.load());
        }
        equal(10, names("").size());
    }

    TEST(losesNoNoteInARace)
    {
        for (int round = 0; round < 5; ++round)
        {
            const auto target = add(R"({"firstName":"T"})"), source = add(R"({"firstName":"S"})");
            std::atomic<int> written = 0;
            std::atomic<bool> merged = false;
            runTogether(3,
                        [&](int i)
                        {
                            if (i == 0)
                            {
                                equal(200, merge(target, {source}).status);
                                merged = true;
                                return;
                            }
                            for (bool last = false; !last;)
                            {
                                last = merged;
                                const auto status = client->post(owner, "/api/contacts/" + source + "/notes", R"({"body":"x"})").status;
                                CHECK(status == 201 || status == 404);
                                written += status == 201;
                            }
                        });
            equal(std::int64_t{written.load()}, std::stoll(show(target).at("/counts/notes")));
        }
    }

protected:
    std::string add(const std::string& body) const
    {
        clock().advance(std::chrono::milliseconds(1));
        return created(body).at("/id");
    }
    Answer merge(const std::string& target, const Names& sources, const std::string& more = {}) const
    {
        json::array ids(sources.begin(), sources.end());
        return client->post(owner, "/api/contacts/" + target + "/merge",
                            jsonWith(R"({"sourceIds":$$})", json::serialize(ids), (more.empty() ? "" : "," + more)));
    }
    Answer undo(const Answer& merged) const { return client->post(owner, "/api/contacts/merges/" + merged.at("/mergeId") + "/undo", ""); }
    Answer show(const std::string& id) const { return client->get(owner, "/api/contacts/" + id); }
    std::string note(const std::string& id, const std::string& body) const
    {
        return client->post(owner, "/api/contacts/" + id + "/notes", jsonWith(R"({"body":"$"})", body)).at("/noteId");
    }
    Names notes(const std::string& id) const
    {
        Names bodies;
        const auto list = client->get(owner, "/api/contacts/" + id + "/notes?limit=200");
        for (const auto& item : arrayAt(list, "/items"))
        {
            equal(id, std::string(item.at("contactId").as_string()));
            bodies.emplace_back(item.at("body").as_string());
        }
        std::sort(bodies.begin(), bodies.end());
        return bodies;
    }
    std::string mergedName(const std::string& target, const std::string& source) const
    {
        return merge(add(target), {add(source)}).at("/contact/displayName");
    }
    /// `field value contact reason` of each.
    static Names leftOut(const Answer& merged)
    {
        Names list;
        for (const auto& item : arrayAt(merged, "/leftOut"))
            list.push_back(std::string(item.at("field").as_string()) + ' ' + json::serialize(item.at("value")) + ' ' +
                           std::string(item.at("contactId").as_string()) + ' ' + std::string(item.at("reason").as_string()));
        return list;
    }
};

/// Undoing merges, and forgetting them.
class MergeUndoTest : public Suite<MergeUndoTest, MergeTest>
{
    TEST(restoresEverything)
    {
        const auto target = add(R"({"firstName":"T","emails":[{"address":"t@a.example"}],"tags":["t"]})");
        const auto a = add(R"({"prefix":"Dr.","firstName":"A","lastName":"Q","nickname":"Z","companyName":"C","displayName":"D",
            "emails":[{"address":"a@a.example"},{"address":"t@a.example"}],"phones":[{"number":"+49 170 1234567","label":"cell"}],
            "addresses":[{"street":"S"}],"websites":["a.example"],"socialProfiles":[{"service":"irc","value":"z"}],"birthday":"--02-29",
            "tags":["a","t"],"externalIds":[{"system":"h","id":"1"}],"doNotContact":{"phone":true},"sourceDetail":"x","lifecycle":"other"})");
        const auto b = add(R"({"firstName":"B"})");
        const Answer before[]{show(target), show(a), show(b)};
        const auto merged = merge(target, {a, b});
        clock().advance(std::chrono::hours(1));
        const auto undone = undo(merged);
        equal(200, undone.status, undone.body);
        equal(jsonWith(R"({"restoredIds":["$","$"]})", a, b), undone.at(""));
        const auto versions = std::vector<std::int64_t>{3, 2, 2};
        for (std::size_t i = 0; i < std::size(before); ++i)
        {
            auto now = objectAt(show(before[i].at("/id")), "");
            equal(versions[i], now.at("version").as_int64());
            CHECK(now.at("updatedAt").as_string().starts_with("2026-11-21T10:00:00"));
            for (const auto* member : {"version", "updatedAt"}) now[member] = valueAt(before[i], "").at(member);
            equal(before[i].at(""), json::serialize(now));
        }
        equal({"B", "D", "T"}, names(""));
        equal({"D"}, names("q=a%40a.example"));
        equal({"D"}, names("tag=a"));
        equal({"D", "T"}, names("email=t@a.example"));
        equal({"D"}, names("phone=%2B491701234567"));
    }

    TEST(givesNotesBack)
    {
        const auto target = add(R"({"firstName":"T"})"), a = add(R"({"firstName":"A"})"), b = add(R"({"firstName":"B"})");
        note(target, "t");
        note(a, "a1");
        const auto gone = note(a, "a2");
        const auto edited = note(b, "b");
        const auto merged = merge(target, {a, b});
        const auto path = "/api/contacts/" + target + "/notes/";
        equal(200, client->del(owner, path + gone).status);
        equal(200, client->put(owner, path + edited, R"({"body":"B2"})").status);
        note(target, "later");
        // Notes are no change of the contact.
        equal(200, undo(merged).status);
        equal({"later", "t"}, notes(target));
        equal({"a1"}, notes(a));
        equal({"B2"}, notes(b));
        for (const auto& [id, count] : std::vector<std::pair<std::string, std::int64_t>>{{target, 2}, {a, 1}, {b, 1}})
            equal(count, std::stoll(show(id).at("/counts/notes")));
    }

    TEST(refusesWhatWasChangedSince)
    {
        const auto target = add(R"({"firstName":"T"})"), source = add(R"({"firstName":"S"})");
        const auto merged = merge(target, {source});
        client->put(owner, "/api/contacts/" + target, R"({"jobTitle":"x"})");
        const auto answer = undo(merged);
        refused(answer, 409, "conflict");
        equal(404, show(source).status);
        // Fails after the target was deleted, also if it was restored.
        const auto other = add(R"({"firstName":"O"})"), last = add(R"({"firstName":"L"})");
        const auto again = merge(other, {last});
        client->del(owner, "/api/contacts/" + other);
        equal(409, undo(again).status);
        client->post(owner, "/api/contacts/" + other + "/restore", "");
        equal(409, undo(again).status);
    }

    TEST(undoesOnce)
    {
        const auto target = add(R"({"firstName":"T"})"), source = add(R"({"firstName":"S"})");
        const auto merged = merge(target, {source});
        equal(200, undo(merged).status);
        equal(409, undo(merged).status);
        // Contacts of an undone merge can be merged again.
        const auto again = merge(target, {source});
        equal(200, again.status);
        equal(409, undo(merged).status);
        equal(200, undo(again).status);
        equal(404, client->post(owner, "/api/contacts/merges/mrg_" + makeUlid(Instant{}) + "/undo", "").status);
        equal(404, client->post(owner, "/api/contacts/merges/x/undo", "").status);
        // The record no longer contains personal data.
        auto session = database().session();
        for (Row row : session.query("SELECT record FROM contact_merge")) equal("{}", row.get<std::string>(0));
    }

    TEST(undoesOneOfTwoUndos)
    {
        for (int round = 0; round < 5; ++round)
        {
            const auto target = add(R"({"firstName":"T"})"), source = add(R"({"firstName":"S"})");
            const auto merged = merge(target, {source});
            std::atomic<int> undone = 0, refused = 0;
            runTogether(3,
                        [&](int i)
                        {
                            const auto status =
                                i == 2 ? client->put(owner, "/api/contacts/" + target, R"({"jobTitle":"x"})").status : undo(merged).status;
                            if (i == 2)
                                equal(200, status);
                            else
                                ++(status == 200 ? undone : refused);
                        });
            equal(2, undone + refused);
            CHECK(undone <= 1);
            equal(undone == 1 ? 200 : 404, show(source).status);
            equal("x", show(target).at("/jobTitle"));
        }
    }

    TEST(undoesMergesOfMerges)
    {
        const auto a = add(R"({"firstName":"A"})"), b = add(R"({"lastName":"B"})"), c = add(R"({"nickname":"C"})");
        note(c, "c");
        const auto inner = merge(b, {c});
        const auto outer = merge(a, {b});
        equal({"c"}, notes(a));
        // From the outside to the inside only.
        equal(409, undo(inner).status);
        equal(200, undo(outer).status);
        equal({"c"}, notes(b));
        equal(200, undo(inner).status, "The contact is again as the inner merge left it");
        equal({"c"}, notes(c));
        equal({"A", "B", "C"}, names(""));
    }

    TEST(undoesMergesInTurn)
    {
        const auto a = add(R"({"firstName":"A"})"), b = add(R"({"lastName":"B"})"), c = add(R"({"nickname":"C"})");
        const auto first = merge(a, {b}), second = merge(a, {c});
        equal(409, undo(first).status);
        equal(200, undo(second).status);
        equal(200, undo(first).status);
        equal({"A", "B", "C"}, names(""));
        equal("5", show(a).at("/version"));
    }

    TEST(countsARemovedFieldAsAChange)
    {
        const auto field = client->post(owner, "/api/custom-fields", R"({"key":"a","label":"x","type":"text"})").at("/customFieldId");
        const auto target = add(R"({"firstName":"T","customFields":{"a":"t"}})"),
                   source = add(R"({"firstName":"S","customFields":{"a":"s"}})");
        const auto merged = merge(target, {source}, jsonWith(R"("prefer":{"customFields.a":"$"})", target));
        equal(200, merged.status);
        client->del(owner, "/api/custom-fields/" + field);
        // The removal changed the target.
        equal(409, undo(merged).status);
    }

    /// A field that was created again may have another type: values that do not fit are dropped.
    TEST(givesBackNoValueOfAnotherType)
    {
        const auto field = client->post(owner, "/api/custom-fields", R"({"key":"a","label":"x","type":"text"})").at("/customFieldId");
        const auto target = add(R"({"firstName":"T"})"), source = add(R"({"firstName":"S","customFields":{"a":"s"}})");
        const auto merged = merge(target, {source}, jsonWith(R"("prefer":{"customFields.a":"$"})", target));
        client->del(owner, "/api/custom-fields/" + field);
        client->post(owner, "/api/custom-fields", R"({"key":"a","label":"x","type":"multi_select","options":["o"]})");
        equal(200, undo(merged).status);
        equal("{}", show(source).at("/customFields"));
        const auto other = add(R"({"firstName":"O","customFields":{"a":["o"]}})");
        equal(200, merge(other, {source}).status);
    }

    TEST(refusesWhenAnExternalIdIsTaken)
    {
        std::string ids;
        for (int i = 0; i < 10; ++i) ids += (i == 0 ? "" : ",") + std::string(R"({"system":"s","id":")") + std::to_string(i) + "\"}";
        const auto target = add(jsonWith(R"({"firstName":"T","externalIds":[$]})", ids));
        const auto source = add(R"({"firstName":"S","externalIds":[{"system":"s","id":"more"}]})");
        const auto merged = merge(target, {source});
        equal(2, merged.count("/leftOut"));
        const auto other = add(R"({"firstName":"O","externalIds":[{"system":"s","id":"more"}]})");
        equal(409, undo(merged).status);
        equal(404, show(source).status);
        equal(std::stoll(merged.at("/contact/version")), std::stoll(show(target).at("/version")));
        client->del(owner, "/api/contacts/" + other);
        equal(200, undo(merged).status);
    }

    TEST(forgetsAfterThirtyDays)
    {
        const auto target = add(R"({"firstName":"T"})"), source = add(R"({"firstName":"S"})"), other = add(R"({"firstName":"O"})");
        const auto first = merge(target, {source});
        clock().advance(std::chrono::hours(24));
        const auto second = merge(target, {other});
        clock().advance(std::chrono::hours(29 * 24));
        host->context().jobs().runDue();
        equal(404, undo(first).status);
        equal(1, records());
        equal(200, undo(second).status);
        clock().advance(std::chrono::hours(24));
        // Too old is too old, also before the job has run.
        equal(404, undo(second).status);
        host->context().jobs().runDue();
        equal(0, records());
    }

    TEST(forgetsWithAPurge)
    {
        const auto purger = withPermission(owner, "crm.contacts:purge");
        const auto a = add(R"({"firstName":"A"})"), b = add(R"({"firstName":"B"})"), c = add(R"({"firstName":"C"})");
        const auto kept = add(R"({"firstName":"K"})");
        const auto other = merge(kept, {add(R"({"firstName":"L"})")});
        const auto inner = merge(b, {c}), outer = merge(a, {b});
        equal(3, records());
        equal(200, client->del(purger, "/api/contacts/" + a + "?permanent=true").status);
        equal(1, records());
        equal(404, undo(outer).status);
        equal(404, undo(inner).status);
        equal(200, undo(other).status);
    }

    TEST(keepsOrganizationsApart)
    {
        const auto target = add(R"({"firstName":"T"})"), source = add(R"({"firstName":"S"})");
        const auto merged = merge(target, {source});
        equal(404, client->post(stranger, "/api/contacts/merges/" + merged.at("/mergeId") + "/undo", "").status);
        const auto reader = testing::userOf(owner.organizationId, {"crm.contacts:read"});
        equal(403, client->post(reader, "/api/contacts/merges/" + merged.at("/mergeId") + "/undo", "").status);
        equal(200, undo(merged).status);
    }

    std::int64_t records() const
    {
        auto session = database().session();
        return *session.value<std::int64_t>("SELECT count(*) FROM contact_merge");
    }
};

} // namespace portico::tests
