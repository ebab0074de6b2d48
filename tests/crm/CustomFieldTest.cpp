#include "crm/CrmFixture.h"
#include "support/Together.h"

#include "records/CustomValues.h"

#include <atomic>
#include <set>

namespace portico::tests
{

namespace json = boost::json;

/// /api/custom-fields: definitions.
class CustomFieldTest : public Suite<CustomFieldTest, CrmFixture>
{
    TEST(defines)
    {
        const auto made = post(R"({"key":"shirt_size","label":" Shirt size ","type":"select","options":["S"," M ","L"],"required":true})");
        equal(201, made.status);
        CHECK(made.at("/customFieldId").starts_with("cfd_"));
        equal(jsonWith(R"({"customFieldId":"$","key":"shirt_size","label":"Shirt size","type":"select","options":["S","M","L"],)"
                       R"("required":true,"order":0,"createdAt":"2026-11-21T09:00:00.000Z","updatedAt":"2026-11-21T09:00:00.000Z",)"
                       R"("version":1})",
                       made.at("/customFieldId")),
              made.at(""));
        equal("\"1\"", made.etag);
        equal(made.at(""), list().at("/items/0"));
        equal("1", post(R"({"key":"other","label":"O","type":"text"})").at("/order"));
    }

    TEST(checksDefinitions)
    {
        struct Case
        {
            std::string_view body, error;
        };
        const std::vector<Case> cases{
            {R"({"label":"x","type":"text"})", "key required"},
            {R"({"key":"x","type":"text"})", "label required"},
            {R"({"key":"x","label":"x"})", "type required"},
            {R"({"key":"x","label":"  ","type":"text"})", "label required"},
            {R"({"key":"X","label":"x","type":"text"})", "key invalid_key"},
            {R"({"key":"1x","label":"x","type":"text"})", "key invalid_key"},
            {R"({"key":"x-y","label":"x","type":"text"})", "key invalid_key"},
            {R"({"key":"\u00e4","label":"x","type":"text"})", "key invalid_key"},
            {R"({"key":"x","label":"x","type":"money"})", "type unknown_option"},
            {R"({"key":"x","label":"x","type":"select"})", "options required"},
            {R"({"key":"x","label":"x","type":"multi_select","options":[]})", "options required"},
            {R"({"key":"x","label":"x","type":"text","options":["a"]})", "options not_allowed"},
            {R"({"key":"x","label":"x","type":"select","options":["a"," "]})", "options[1] required"},
            {R"({"key":"x","label":"x","type":"select","options":["a","b"," a"]})", "options[2] not_unique"},
            {R"({"key":"x","label":"x","type":"text","order":-1})", "order out_of_range"},
        };
        for (const auto& [body, error] : cases)
        {
            const auto answer = post(body);
            equal(400, answer.status, body);
            equal({std::string(error)}, answer.errors(), body);
        }
        equal(400, post(jsonWith(R"({"key":"$","label":"x","type":"text"})", std::string(41, 'k'))).status);
        equal(400, post(jsonWith(R"({"key":"x","label":"$","type":"text"})", std::string(81, 'l'))).status);
        equal(400, post(jsonWith(R"({"key":"x","label":"x","type":"select","options":["$"]})", std::string(81, 'o'))).status);
        equal(400, post(jsonWith(R"({"key":"x","label":"x","type":"select","options":[$]})", numbered(101))).status);
        equal(0, list().count("/items"));
        equal(201, post(jsonWith(R"({"key":"x","label":"x","type":"select","options":[$]})", numbered(100))).status);
        equal(201, post(jsonWith(R"({"key":"$","label":"$","type":"url"})", std::string(40, 'k'), std::string(80, 'l'))).status);
    }

    TEST(changes)
    {
        const auto id = define("size", "select", R"(,"options":["S","M"])");
        clock().advance(std::chrono::seconds(1));
        const auto changed = put(id, R"({"label":"Grösse","options":["M","XL"],"required":true,"order":7})");
        equal(200, changed.status);
        equal("2", changed.at("/version"));
        equal("2026-11-21T09:00:01.000Z", changed.at("/updatedAt"));
        equal(R"(["M","XL"])", changed.at("/options"));
        equal(changed.at(""), list().at("/items/0"));
        // An answer can be sent back without a change.
        equal(changed.at(""), put(id, changed.at("")).at(""));
        equal({"required required"}, put(id, R"({"required":null})").errors());
        equal(false, put(id, R"({"required":false})").at("/required") == "true");
        equal({"label required"}, put(id, R"({"label":null})").errors());
        equal({"options required"}, put(id, R"({"options":[]})").errors());
        equal(404, put("cfd_" + makeUlid(Instant{}), "{}").status);
        equal(404, put("cfd_1", "{}").status);
    }

    TEST(neverChangesKeyAndType)
    {
        const auto id = define("size", "text");
        equal({"key immutable", "type immutable"}, put(id, R"({"key":"length","type":"number"})").errors());
        equal(200, put(id, R"({"key":"size","type":"text","label":"L"})").status);
    }

    TEST(honoursIfMatch)
    {
        const auto id = define("size", "text");
        const auto path = "/api/custom-fields/" + id;
        const auto& api = *client;
        equal(412, api.put(owner, path, R"({"label":"L"})", {{"If-Match", "\"2\""}}).status);
        equal(200, api.put(owner, path, R"({"label":"L"})", {{"If-Match", "\"1\""}}).status);
        equal(412, api.del(owner, path, {{"If-Match", "\"1\""}}).status);
        equal(200, api.del(owner, path, {{"If-Match", "*"}}).status);
    }

    TEST(listsInOrder)
    {
        for (const auto* body : {R"({"key":"c","label":"x","type":"text","order":5})", R"({"key":"a","label":"x","type":"text","order":9})",
                                 R"({"key":"b","label":"x","type":"text","order":5})", R"({"key":"d","label":"x","type":"text"})",
                                 R"({"key":"e","label":"x","type":"text","order":0})"})
        {
            post(body);
            clock().advance(std::chrono::milliseconds(1));
        }
        const Names expected{"e", "c", "b", "a", "d"};
        equal(expected, keys(list()));
        Names paged;
        std::string cursor;
        while (true)
        {
            const auto page = list("?limit=2&include=total" + cursor);
            equal("5", page.at("/total"));
            for (const auto& key : keys(page)) paged.push_back(key);
            if (page.at("/nextCursor") == "null") break;
            cursor = "&cursor=" + page.at("/nextCursor");
        }
        equal(expected, paged);
        equal("unknown_parameter", list("?sort=key").code());
    }

    /// An answer can also be sent back after the last number.
    TEST(takesBackTheLastOrder)
    {
        post(R"({"key":"y","label":"x","type":"text","order":1000000})");
        const auto after = post(R"({"key":"z","label":"x","type":"text"})");
        const auto path = "/api/custom-fields/" + after.at("/customFieldId");
        const auto again = client->put(owner, path, after.at(""));
        equal(200, again.status, again.body);
    }

    TEST(keepsKeysUnique)
    {
        const auto id = define("size", "text");
        equal({"key not_unique"}, post(R"({"key":"size","label":"x","type":"number"})").errors());
        equal(201, client->post(stranger, "/api/custom-fields", R"({"key":"size","label":"x","type":"text"})").status);
        client->del(owner, "/api/custom-fields/" + id);
        equal(201, post(R"({"key":"size","label":"x","type":"number"})").status);
    }

    TEST(definesTwoHundred)
    {
        std::string id;
        for (int i = 0; i < 200; ++i) id = define("f" + std::to_string(i), "text");
        const auto refused = post(R"({"key":"more","label":"x","type":"text"})");
        equal(400, refused.status);
        equal({" limit_reached"}, refused.errors());
        equal(200, list("?limit=200").count("/items"));
        client->del(owner, "/api/custom-fields/" + id);
        equal(201, post(R"({"key":"more","label":"x","type":"text"})").status);
    }

    TEST(countsRivals)
    {
        for (int i = 0; i < 198; ++i) define("f" + std::to_string(i), "text");
        std::atomic<int> made = 0, refused = 0;
        runTogether(6,
                    [&](int i)
                    {
                        const auto answer = post(jsonWith(R"({"key":"r$","label":"x","type":"text"})", i));
                        ++(answer.status == 201 ? made : refused);
                    });
        equal(2, made.load());
        equal(4, refused.load());
        // Rivals for one key.
        client->del(owner, "/api/custom-fields/" + list("?limit=200").at("/items/0/customFieldId"));
        made = 0;
        runTogether(4, [&](int) { made += post(R"({"key":"same","label":"x","type":"text"})").status == 201; });
        equal(1, made.load());
    }

    TEST(keepsOrganizationsApart)
    {
        const auto id = define("size", "text");
        const auto path = "/api/custom-fields/" + id;
        equal(404, client->put(stranger, path, R"({"label":"x"})").status);
        equal(404, client->del(stranger, path).status);
        equal(0, client->get(stranger, "/api/custom-fields").count("/items"));
        const auto refused = client->post(stranger, "/api/contacts", R"({"firstName":"A","customFields":{"size":"x"}})");
        equal("unknown_field", refused.code());
        equal(1, list().count("/items"));
    }

    TEST(needsPermissionAndScope)
    {
        auto reader = testing::userOf(owner.organizationId, {"crm.contacts:read", "crm.settings:read"});
        equal(200, client->get(reader, "/api/custom-fields").status);
        equal("permission_denied", client->post(reader, "/api/custom-fields", "{").code());
        const auto key = testing::keyOf(owner.organizationId, {"crm.settings:read", "crm.settings:write"}, {"settings.read"});
        equal(200, client->get(key, "/api/custom-fields").status);
        equal("insufficient_scope", client->post(key, "/api/custom-fields", "{").code());
        equal(401, client->get(Caller::nobody(), "/api/custom-fields").status);
    }

    Answer post(std::string_view body) const { return client->post(owner, "/api/custom-fields", body); }
    Answer put(const std::string& id, std::string_view body) const { return client->put(owner, "/api/custom-fields/" + id, body); }
    Answer list(const std::string& query = {}) const { return client->get(owner, "/api/custom-fields" + query); }
    std::string define(const std::string& key, const std::string& type, const std::string& more = {}) const
    {
        const auto made = post(jsonWith(R"({"key":"$","label":"x","type":"$"$})", key, type, more));
        equal(201, made.status, made.body);
        return made.at("/customFieldId");
    }
    static std::string numbered(int count)
    {
        std::string options;
        for (int i = 0; i < count; ++i) options += (i == 0 ? "\"" : ",\"") + std::to_string(i) + '"';
        return options;
    }
    static Names keys(const Answer& answer)
    {
        Names found;
        for (const auto& item : arrayAt(answer, "/items")) found.emplace_back(item.at("key").as_string());
        return found;
    }
};

/// Values of custom fields in contacts.
class CustomFieldValueTest : public Suite<CustomFieldValueTest, CrmFixture>
{
    void setUp() override
    {
        CrmFixture::setUp();
        for (const auto* type : {"text", "number", "date", "boolean", "url"}) define(type, type);
        define("select", "select", R"(,"options":["S","M","L"])");
        define("multi", "multi_select", R"(,"options":["red","green","blue"])");
    }

    TEST(takesEveryType)
    {
        const std::vector<std::array<std::string, 3>> cases{
            {"text", R"("Grüße \"x\"\n\u2028")", ""},
            {"text", '"' + std::string(4000, 'x') + '"', ""},
            {"number", "-12.5", ""},
            {"number", "1.0", "1"},
            {"number", "1e3", "1000"},
            {"number", "9007199254740993", ""},
            {"number", "-0", "0"},
            {"number", "0.1", ""},
            {"number", "1e300", "1e+300"},
            {"date", R"("2024-02-29")", ""},
            {"boolean", "true", ""},
            {"boolean", "false", ""},
            {"url", R"("https://a.example/x?y=1")", ""},
            {"url", R"("a.example")", ""},
            {"select", R"("M")", ""},
            {"multi", R"(["blue","red"])", ""},
            {"multi", R"(["red","red","blue","red"])", R"(["red","blue"])"},
        };
        const auto id = newContact();
        for (const auto& [key, value, expected] : cases)
        {
            const auto body = jsonWith(R"({"firstName":"A","customFields":{"$":$}})", key, value);
            const auto stored = json::serialize(json::parse(jsonWith(R"({"$":$})", key, (expected.empty() ? value : expected))));
            const auto made = created(body);
            equal(stored, made.at("/customFields"), body);
            equal(stored, show(made.at("/id")).at("/customFields"), body);
            equal(200, put(id, body).status, body);
            // An answer can be sent back without a change.
            const auto read = show(made.at("/id"));
            equal(read.at(""), put(made.at("/id"), read.at("")).at(""));
        }
        equal(7, show(id).count("/customFields"));
    }

    TEST(refusesWrongValues)
    {
        const std::vector<std::array<std::string, 2>> cases{
            {R"("text":1)", "customFields.text wrong_type"},
            {R"("text":{"a":1})", "customFields.text wrong_type"},
            {jsonWith(R"("text":"$")", std::string(4001, 'x')), "customFields.text too_long"},
            {R"("number":"1")", "customFields.number wrong_type"},
            {R"("number":true)", "customFields.number wrong_type"},
            {R"("date":"29.2.2024")", "customFields.date invalid_date"},
            {R"("date":"2023-02-29")", "customFields.date invalid_date"},
            {R"("date":20240229)", "customFields.date wrong_type"},
            {R"("boolean":"yes")", "customFields.boolean wrong_type"},
            {R"("boolean":0)", "customFields.boolean wrong_type"},
            {R"x("url":"javascript:alert(1)")x", "customFields.url invalid_url"},
            {jsonWith(R"("url":"http://$")", std::string(2000, 'x')), "customFields.url too_long"},
            {R"("url":["a.example"])", "customFields.url wrong_type"},
            {R"("select":"XL")", "customFields.select unknown_option"},
            {R"("select":"s")", "customFields.select unknown_option"},
            {R"("select":["S"])", "customFields.select wrong_type"},
            {R"("multi":"red")", "customFields.multi wrong_type"},
            {R"("multi":["red","pink"])", "customFields.multi[1] unknown_option"},
            {R"("multi":["red",null])", "customFields.multi[1] wrong_type"},
            {R"("multi":[["red"]])", "customFields.multi[0] wrong_type"},
        };
        const auto id = newContact();
        for (const auto& [values, error] : cases)
        {
            const auto body = jsonWith(R"({"firstName":"A","customFields":{$}})", values);
            for (const auto& answer : {client->post(owner, "/api/contacts", body), put(id, body)})
            {
                refused(answer, 400, "validation_failed", body);
                equal({error}, answer.errors(), body);
            }
        }
        // Beside other faults.
        equal({"customFields.number wrong_type", "phones[0].number invalid_phone"},
              put(id, R"({"phones":[{"number":"x"}],"customFields":{"number":"x"}})").errors());
        equal("1", show(id).at("/version"));
        equal({"Ada"}, names(""));
    }

    TEST(refusesUnknownKeys)
    {
        const auto rejected =
            client->post(owner, "/api/contacts", R"({"firstName":"A","customFields":{"text":"x","none":1,"__proto__":"x"}})");
        refused(rejected, 400, "unknown_field");
        equal({"customFields.__proto__ unknown_field", "customFields.none unknown_field"}, rejected.errors());
        const auto id = newContact();
        equal("unknown_field", put(id, R"({"customFields":{"none":1}})").code());
        // Nothing is no value of nothing.
        equal(200, put(id, R"({"customFields":{"none":null}})").status);
        equal("{}", created(R"({"firstName":"A","customFields":{"none":null,"text":""}})").at("/customFields"));
        // A hostile body gets a bounded answer.
        std::string many;
        for (int i = 0; i < 5000; ++i) many += jsonWith(R"(,"k$":1)", i);
        equal(100, put(id, jsonWith(R"({"customFields":{$}})", many.substr(1))).errors().size());
    }

    TEST(removesByNull)
    {
        const auto id = created(R"({"firstName":"A","customFields":{"text":"a","number":1,"multi":["red"],"select":"S"}})").at("/id");
        equal(R"({"multi":["red"],"number":1,"select":"S"})", put(id, R"({"customFields":{"text":null}})").at("/customFields"));
        equal(R"({"number":1,"select":"S","text":"b"})", put(id, R"({"customFields":{"multi":[],"text":"b"}})").at("/customFields"));
        equal(R"({"number":1,"select":"S"})", put(id, R"({"customFields":{"text":""}})").at("/customFields"));
        equal("{}", put(id, R"({"customFields":null})").at("/customFields"));
        equal("{}", show(id).at("/customFields"));
    }

    TEST(demandsRequiredValues)
    {
        const auto old = created(R"({"firstName":"Old","customFields":{"text":"x"}})").at("/id");
        define("vat", "text", R"(,"required":true)");
        for (const auto* body :
             {R"({"firstName":"A"})", R"({"firstName":"A","customFields":{"vat":null}})", R"({"firstName":"A","customFields":{"vat":""}})"})
            equal({"customFields.vat required"}, client->post(owner, "/api/contacts", body).errors(), body);
        const auto id = created(R"({"firstName":"A","customFields":{"vat":"DE1"}})").at("/id");
        equal({"customFields.vat required"}, put(id, R"({"customFields":{"vat":null}})").errors());
        equal({"customFields.vat required"}, put(id, R"({"customFields":null})").errors());
        equal(200, put(id, R"({"lastName":"B"})").status);
        equal(200, put(id, R"({"customFields":{"vat":"DE2"}})").status);
        // One from before stays writable without it.
        equal(200, put(old, R"({"lastName":"B"})").status);
        equal(200, put(old, R"({"customFields":{"text":"y"}})").status);
    }

    TEST(keepsValuesWhoseOptionIsGone)
    {
        const auto id = created(R"({"firstName":"A","customFields":{"select":"S","multi":["red","blue"]}})").at("/id");
        for (const auto& [key, options] :
             std::vector<std::pair<std::string, std::string>>{{"select", R"(["M"])"}, {"multi", R"(["green"])"}})
            equal(200, client->put(owner, "/api/custom-fields/" + _ids[key], jsonWith(R"({"options":$})", options)).status);
        equal(R"({"multi":["red","blue"],"select":"S"})", show(id).at("/customFields"));
        equal(200, put(id, R"({"lastName":"B","customFields":{"select":"S","text":"x"}})").status);
        equal(200, put(id, R"({"customFields":{"multi":["blue","green"]}})").status);
        equal({"customFields.multi[0] unknown_option"}, put(id, R"({"customFields":{"multi":["red"]}})").errors());
        equal(200, put(id, R"({"customFields":{"select":"M"}})").status);
        equal({"customFields.select unknown_option"}, put(id, R"({"customFields":{"select":"S"}})").errors());
        equal({"customFields.select unknown_option"},
              client->post(owner, "/api/contacts", R"({"firstName":"A","customFields":{"select":"S"}})").errors());
    }

    TEST(changedValuesPublishEvents)
    {
        const auto id = newContact();
        put(id, R"({"customFields":{"text":"secret"}})");
        equal(jsonWith(R"({"contactId":"$","organizationId":"$","changedFields":["customFields"]})", id, owner.organizationId),
              lastEvent("crm.contact.updated"));
        put(id, R"({"customFields":{"text":"secret"}})");
        equal("2", show(id).at("/version"));
    }

    TEST(removesValuesWithTheField)
    {
        const auto with = created(R"({"firstName":"A","customFields":{"text":"x","number":1}})").at("/id");
        const auto without = created(R"({"firstName":"B","nickname":"\"text\":","customFields":{"number":1}})").at("/id");
        const auto deleted = created(R"({"firstName":"C","customFields":{"text":"x"}})").at("/id");
        client->del(owner, "/api/contacts/" + deleted);
        clock().advance(std::chrono::seconds(1));
        const auto answer = client->del(owner, "/api/custom-fields/" + _ids["text"]);
        equal(jsonWith(R"({"customFieldId":"$","deleted":true})", _ids["text"]), answer.at(""));
        equal(404, client->del(owner, "/api/custom-fields/" + _ids["text"]).status);
        CHECK(host->context().jobs().waiting("crm.custom_fields.remove_values").empty());
        const auto left = show(with);
        equal(R"({"number":1})", left.at("/customFields"));
        equal("2", left.at("/version"));
        equal("2026-11-21T09:00:01.000Z", left.at("/updatedAt"));
        equal({"A"}, names("updatedFrom=2026-11-21T09:00:01Z"));
        CHECK(lastEvent("crm.contact.updated").find(with) != std::string::npos);
        equal("1", show(without).at("/version"));
        equal("{}", client->post(owner, "/api/contacts/" + deleted + "/restore", "").at("/customFields"));
        equal("unknown_field", put(with, R"({"customFields":{"text":"x"}})").code());
    }

    TEST(removesManyValuesByAJob)
    {
        makeMany();
        equal(200, client->del(owner, "/api/custom-fields/" + _ids["text"]).status);
        equal(103, withText().size());
        equal(6, client->get(owner, "/api/custom-fields?limit=200").count("/items"));
        // The key stays reserved until all values are removed. The values cannot be set any more, but contacts can be written.
        const auto again = [&] { return client->post(owner, "/api/custom-fields", R"({"key":"text","label":"x","type":"number"})"); };
        equal(409, again().status);
        const auto id = withText().front();
        equal("unknown_field", put(id, R"({"customFields":{"text":"y"}})").code());
        equal(200, put(id, R"({"lastName":"B"})").status);
        equal(R"({"number":5})", put(id, R"({"customFields":{"number":5}})").at("/customFields"));
        host->context().jobs().runDue();
        CHECK(withText().empty());
        equal({}, host->context().jobs().failures());
        equal(201, again().status);
    }

    TEST(goesOnAfterAStop)
    {
        makeMany();
        client->del(owner, "/api/custom-fields/" + _ids["text"]);
        // The payload's format is stable across versions.
        equal(jsonWith(R"({"organizationId":"$","customFieldId":"$"})", owner.organizationId, _ids["text"]),
              host->context().jobs().waiting("crm.custom_fields.remove_values").front().payload);
        crm::CustomFieldRoutes service(host->context());
        const auto remove = [&](const std::stop_token& stop)
        { service.removeValues(owner.tenant(), *crm::CustomFieldId::parse(_ids["text"]), stop); };
        std::stop_source stop;
        stop.request_stop();
        CPPUNIT_ASSERT_THROW(remove(stop.get_token()), std::runtime_error);
        equal(103, withText().size());
        remove({});
        CHECK(withText().empty());
        remove({});
    }

    TEST(leavesNoValueBehindUnderLoad)
    {
        for (int round = 0; round < 5; ++round)
        {
            const auto key = "k" + std::to_string(round);
            define(key, "text");
            const auto id = newContact();
            std::atomic<bool> removed = false;
            runTogether(4,
                        [&](int i)
                        {
                            if (i == 0)
                            {
                                equal(200, client->del(owner, "/api/custom-fields/" + _ids[key]).status);
                                removed = true;
                                return;
                            }
                            for (int n = 0; !removed && n < 1000; ++n)
                            {
                                const auto values = jsonWith(R"({"firstName":"A","customFields":{"$":"v$"}})", key, n);
                                if (i == 1)
                                    put(id, values);
                                else
                                    client->post(owner, "/api/contacts", values);
                            }
                        });
            host->context().jobs().runDue();
            auto session = database().session();
            equal(0, *session.value<std::int64_t>("SELECT count(*) FROM contact WHERE document LIKE $1", "%\"" + key + "\":%"));
        }
    }

    TEST(readsAndWritesCells)
    {
        const auto field = [](crm::CustomFieldType type)
        {
            crm::CustomField made;
            made.type = type;
            return made;
        };
        using T = crm::CustomFieldType;
        struct Case
        {
            T type;
            std::string_view text, value;
        };
        for (const auto& [type, text, value] : std::vector<Case>{{T::Text, " a;b ", R"(" a;b ")"},
                                                                 {T::Text, "7", R"("7")"},
                                                                 {T::Number, " 7.5 ", "7.5"},
                                                                 {T::Number, "7,5", R"("7,5")"},
                                                                 {T::Number, "1 2", R"("1 2")"},
                                                                 {T::Number, "", R"("")"},
                                                                 {T::Date, " 2024-02-29", R"("2024-02-29")"},
                                                                 {T::Boolean, "Yes", "true"},
                                                                 {T::Boolean, "0", "false"},
                                                                 {T::Boolean, "maybe", R"("maybe")"},
                                                                 {T::Select, "S ", R"("S")"},
                                                                 {T::MultiSelect, "a; b;;c", R"(["a","b","c"])"},
                                                                 {T::MultiSelect, R"(["a;b","c"])", R"(["a;b","c"])"},
                                                                 {T::MultiSelect, "[x", R"(["[x"])"},
                                                                 {T::MultiSelect, "[1]", R"(["[1]"])"},
                                                                 {T::MultiSelect, "", "[]"}})
            equal(value, crm::customValueFromText(field(type), text).text, text);
        for (const auto& [type, value] : std::vector<std::pair<T, std::string>>{{T::Text, R"("a\"b\n")"},
                                                                                {T::Number, "1e+300"},
                                                                                {T::Boolean, "true"},
                                                                                {T::MultiSelect, R"(["a","b"])"},
                                                                                {T::MultiSelect, R"(["a;b"])"},
                                                                                {T::MultiSelect, R"(["[\"a\"]"])"},
                                                                                {T::MultiSelect, R"([" a"])"}})
            equal(value, crm::customValueFromText(field(type), crm::customValueToText({value})).text);
    }

    void define(const std::string& key, const std::string& type, const std::string& more = {})
    {
        const auto made = client->post(owner, "/api/custom-fields", jsonWith(R"({"key":"$","label":"x","type":"$"$})", key, type, more));
        equal(201, made.status, made.body);
        _ids[key] = made.at("/customFieldId");
    }
    /// Creates 603 contacts with a text, more than one transaction of the removal handles.
    void makeMany()
    {
        for (int i = 0; i < 603; ++i) created(R"({"firstName":"A","customFields":{"text":"x"}})");
    }
    Names withText() const
    {
        Names ids;
        auto session = database().session();
        for (Row row : session.query("SELECT id FROM contact WHERE document LIKE '%\"text\":\"x\"%' ORDER BY id"))
            ids.push_back(row.get<std::string>(0));
        return ids;
    }
    Answer show(const std::string& id) const { return client->get(owner, "/api/contacts/" + id); }
    Answer put(const std::string& id, std::string_view body) const { return client->put(owner, "/api/contacts/" + id, body); }

    std::map<std::string, std::string> _ids;
};

} // namespace portico::tests
