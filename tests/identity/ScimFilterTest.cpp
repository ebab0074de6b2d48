#include "scim/Filter.h"
#include "scim/Patch.h"
#include "support/Suite.h"

#include "portico/Problem.h"
#include "portico/testing/JsonWith.h"

#include <boost/json.hpp>

namespace portico::tests
{

using testing::jsonWith;

using namespace identity::scim;

namespace
{

boost::json::object objectOf(std::string_view text) { return boost::json::parse({text.data(), text.size()}).as_object(); }

/// Members in the order of their names: equal objects are one text.
std::string sorted(const boost::json::value& value)
{
    if (value.is_array())
    {
        std::string out = "[";
        for (const auto& one : value.get_array()) out += (out.size() > 1 ? "," : "") + sorted(one);
        return out + ']';
    }
    if (!value.is_object())
    {
        const auto text = boost::json::serialize(value);
        return {text.data(), text.size()};
    }
    std::map<std::string, std::string> members;
    for (const auto& [key, member] : value.get_object()) members[std::string(key.data(), key.size())] = sorted(member);
    std::string out = "{";
    for (const auto& [key, member] : members) out += (out.size() > 1 ? ",\"" : "\"") + key + "\":" + member;
    return out + '}';
}

const std::string bjensen = R"({"id":"usr_1","userName":"bjensen@Acme.example","externalId":"A-7","active":true,
    "name":{"familyName":"O'Malley","givenName":"Barbara"},"title":"Chief \"Cook\"",
    "emails":[{"value":"b@acme.example","type":"work","primary":true},{"value":"babs@home.example","type":"home"}],
    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"department":"Kitchen","manager":{"value":"usr_2"}},
    "meta":{"lastModified":"2026-01-01T00:00:00.000Z","created":"2025-05-05T05:05:05.000Z"}})";

} // namespace

/// Filters and changes as directories send them.
class ScimFilterTest : public Suite<ScimFilterTest>
{
    TEST(findsWhatIsAskedFor)
    {
        for (const auto* filter : {R"(userName eq "BJENSEN@acme.example")",
                                   R"(USERNAME Eq "bjensen@acme.example")",
                                   R"(userName co "jen")",
                                   R"(userName sw "BJ")",
                                   R"(userName ew ".example")",
                                   R"(userName ne "x")",
                                   R"(title pr)",
                                   R"(not (nickName pr))",
                                   R"(name.familyName eq "o'malley")",
                                   R"(title eq "chief \"cook\"")",
                                   R"(externalId eq "A-7")",
                                   R"(urn:ietf:params:scim:schemas:core:2.0:User:userName sw "b")",
                                   R"(urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "kitchen")",
                                   R"(urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value eq "usr_2")",
                                   R"(emails eq "babs@home.example")",
                                   R"(emails.value co "home")",
                                   R"(emails[type eq "work" and value co "@acme"])",
                                   R"(emails[type eq "work" and primary eq "True"])",
                                   R"(emails[not (type eq "work")])",
                                   R"(emails[type eq "work"].value eq "B@acme.example")",
                                   R"(emails[type eq "home"].value co "babs" and active eq true)",
                                   R"(not (emails[type eq "home"].value eq "b@acme.example"))",
                                   R"(emails[type eq "work"].primary eq true)",
                                   R"(emails[type eq "home"].value pr)",
                                   R"(urn:ietf:params:scim:schemas:core:2.0:User:emails[type eq "work"].value sw "b@")",
                                   R"(department eq "kitchen")",
                                   R"(manager eq "usr_2")",
                                   R"(id eq "usr_1" and manager eq "usr_2")",
                                   R"(active eq true)",
                                   R"(active eq "True")",
                                   R"(active eq True)",
                                   R"(active ne false)",
                                   R"(nickName eq null)",
                                   R"(meta.lastModified gt "2025-12-31T23:59:59Z")",
                                   R"(meta.lastModified ge "2026-01-01T01:00:00+01:00")",
                                   R"(meta.created lt "2025-05-05T05:05:05.001Z")",
                                   R"(meta.created le "2025-05-05T05:05:05Z")",
                                   R"(userName eq "x" or userName sw "b")",
                                   R"(userName eq "x" and title pr or active eq true)",
                                   R"(title pr and (userName eq "x" or active eq true))",
                                   R"(  ( title pr )  )",
                                   R"(nickName ne "x")"})
            CPPUNIT_ASSERT_MESSAGE(filter, matches(filter));
    }

    TEST(leavesOutWhatIsNot)
    {
        for (const auto* filter :
             {R"(userName eq "bjensen")", R"(externalId eq "a-7")", R"(id eq "USR_1")", R"(emails[type eq "work" and value co "home"])",
              R"(emails[type eq "other"])", R"(emails[type eq "home"].value eq "b@acme.example")",
              R"(emails[type eq "work"].colour eq "x")", R"(badges[type eq "door"].value eq "x")", R"(nickName pr)", R"(nickName eq "x")",
              R"(unknown eq "x")", R"(unknown pr)", R"(name[familyName eq "x"])", R"(active eq false)", R"(active eq "bjensen")",
              R"(userName eq true)", R"(userName eq 1)", R"(not (title pr))", R"(userName eq "x" or title eq "y")",
              R"(title pr and (userName eq "x" or active eq false))", R"(meta.lastModified gt "2026-01-01T00:00:00Z")",
              R"(meta.lastModified gt "yesterday")",
              // `and` binds closer.
              R"(active eq false or title pr and userName eq "x")"})
            CPPUNIT_ASSERT_MESSAGE(filter, !matches(filter));
    }

    TEST(refusesWhatIsNoFilter)
    {
        for (const std::string filter : {"",
                                         " ",
                                         "userName",
                                         "userName eq",
                                         R"(userName eq "x)",
                                         R"(userName is "x")",
                                         R"(userName eq "x" and)",
                                         R"((userName pr)",
                                         R"(userName pr))",
                                         R"(emails[type eq "work")",
                                         R"(emails[emails[type pr]])",
                                         R"(emails[type eq "work"].)",
                                         R"(emails[type eq "work"].value)",
                                         R"(emails[type eq "work"].value eq)",
                                         R"(emails[type eq "work"].value[type pr])",
                                         R"(eq "x")",
                                         R"(userName eq [1])",
                                         R"(userName eq {"a":1})",
                                         R"(userName eq x)",
                                         R"(userName eq "\q")",
                                         R"(userName eq "a\u0000b")",
                                         R"(not userName pr)",
                                         R"(userName pr title pr)"})
            equal("invalidFilter", faultOf(filter), filter);
        equal("invalidFilter", faultOf(std::string(17, '(') + "title pr" + std::string(17, ')')));
        equal("invalidFilter", faultOf("userName eq \"" + std::string(5000, 'x') + '"'));
        std::string deep = "title pr";
        for (int i = 0; i < 200; ++i) deep = "not (" + deep + ')';
        equal("invalidFilter", faultOf(deep));
    }

    TEST(knowsWhatAnIndexCanFind)
    {
        const auto demanded = [](std::string_view filter) { return Filter::parse(filter, userKind()).demanded("userName").value_or("-"); };
        equal("Bob", demanded(R"(userName eq "Bob")"));
        equal("Bob", demanded(R"(active eq true and (title pr and username eq "Bob"))"));
        for (const auto* filter : {R"(userName eq "Bob" or title pr)", R"(not (userName eq "Bob"))", R"(userName sw "Bob")",
                                   R"(emails[value eq "Bob"])", R"(userName eq null)"})
            equal("-", demanded(filter), filter);
    }

    TEST(patchesValues)
    {
        // RFC 7644, 3.5.2.
        expect(R"({"op":"add","value":{"nickName":"Babs","emails":[{"value":"new@acme.example","type":"other"}]}})", "nickName",
               R"("Babs")");
        expect(R"({"op":"add","path":"emails","value":[{"value":"new@acme.example"}]})", "emails",
               R"([{"primary":true,"type":"work","value":"b@acme.example"},{"type":"home","value":"babs@home.example"},)"
               R"({"value":"new@acme.example"}])");
        expect(R"({"op":"add","path":"emails","value":{"value":"b@acme.example","type":"other"}})", "emails",
               R"([{"primary":true,"type":"other","value":"b@acme.example"},{"type":"home","value":"babs@home.example"}])");
        // The new one is the primary one.
        expect(R"({"op":"add","path":"emails","value":[{"value":"n@acme.example","primary":true}]})", "emails",
               R"([{"primary":false,"type":"work","value":"b@acme.example"},{"type":"home","value":"babs@home.example"},{"primary":true,)"
               R"("value":"n@acme.example"}])");
        expect(R"({"op":"replace","path":"emails[type eq \"home\"].primary","value":true})", "emails",
               R"([{"primary":false,"type":"work","value":"b@acme.example"},{"primary":true,"type":"home","value":"babs@home.example"}])");
        expect(R"({"op":"replace","path":"emails","value":[{"value":"o@acme.example"}]})", "emails", R"([{"value":"o@acme.example"}])");
        expect(R"({"op":"replace","path":"emails[type eq \"work\"].value","value":"w@acme.example"})", "emails",
               R"([{"primary":true,"type":"work","value":"w@acme.example"},{"type":"home","value":"babs@home.example"}])");
        expect(
            R"({"op":"replace","path":"emails[type eq \"work\" and value ew \"]\" or type eq \"home\"]","value":{"display":"At home"}})",
            "emails",
            R"([{"primary":true,"type":"work","value":"b@acme.example"},{"display":"At home","type":"home","value":"babs@home.example"}])");
        expect(R"({"op":"remove","path":"emails[type eq \"home\"]"})", "emails",
               R"([{"primary":true,"type":"work","value":"b@acme.example"}])");
        expect(R"({"op":"remove","path":"emails[type eq \"home\"].type"})", "emails",
               R"([{"primary":true,"type":"work","value":"b@acme.example"},{"value":"babs@home.example"}])");
        expect(R"({"op":"remove","path":"emails[type eq \"other\"]"})", "title", R"("Chief \"Cook\"")");
        expect(R"({"op":"remove","path":"emails[value pr]"})", "emails", "");
        expect(R"({"op":"remove","path":"emails"})", "emails", "");
        expect(R"({"op":"remove","path":"name.familyName"})", "name", R"({"givenName":"Barbara"})");
        expect(R"({"op":"replace","path":"name","value":{"familyName":"Jensen"}})", "name",
               R"({"familyName":"Jensen","givenName":"Barbara"})");
        expect(R"({"op":"replace","path":"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department","value":"Bar"})",
               std::string(userKind().extension->urn), R"({"department":"Bar","manager":{"value":"usr_2"}})");
        expect(R"({"op":"remove","path":"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"})",
               std::string(userKind().extension->urn), "");
        expect(R"({"op":"replace","path":"nickName","value":null})", "nickName", "");
    }

    TEST(patchesAsLargeProvidersDo)
    {
        const std::string enterprise(userKind().extension->urn);
        expect(R"({"op":"Replace","path":"active","value":"False"})", "active", "false");
        expect(R"({"op":"Add","value":{"name.givenName":"Bob","emails[type eq \"home\"].value":"h@home.example"}})", "name",
               R"({"familyName":"O'Malley","givenName":"Bob"})");
        expect(R"({"op":"Replace","value":{"id":"usr_1","active":false,"groups":[],"unheardOf":1,"schemas":[]}})", "active", "false");
        expect(jsonWith(R"({"op":"Add","value":{"$:costCenter":"7","$":{"division":"North"}}})", enterprise, enterprise), enterprise,
               R"({"costCenter":"7","department":"Kitchen","division":"North","manager":{"value":"usr_2"}})");
        expect(jsonWith(R"({"op":"Add","path":"$:manager","value":"usr_9"})", enterprise), enterprise,
               R"({"department":"Kitchen","manager":{"value":"usr_9"}})");
        // A missing value is created.
        expect(R"({"op":"Add","path":"phoneNumbers[type eq \"work\"].value","value":"+49 1"})", "phoneNumbers",
               R"([{"type":"work","value":"+49 1"}])");
        // The members to remove are in the value; some are not members.
        auto group = objectOf(R"({"displayName":"Cooks","members":[{"value":"a"},{"value":"b"},{"value":"c"}]})");
        change(group, objectOf(R"({"Operations":[{"op":"remove","path":"members","value":[{"value":"b"},{"value":"x"}]}]})"), groupKind());
        equal(R"([{"value":"a"},{"value":"c"}])", sorted(group["members"]));
        change(group,
               objectOf(R"({"operations":[{"OP":"add","Path":"members","VALUE":[{"value":"a","display":"A"},{"value":"d"}]},)"
                        R"({"op":"remove","path":"members[value eq \"c\"]"}]})"),
               groupKind());
        equal(R"([{"value":"a"},{"value":"d"}])", sorted(group["members"]));
        change(group, objectOf(R"({"Operations":[{"op":"remove","path":"members"}]})"), groupKind());
        CHECK(!group.contains("members"));
    }

    TEST(makesValuesThatAReplacementMisses)
    {
        expect(R"({"op":"Replace","path":"phoneNumbers[type eq \"mobile\"].value","value":"+49 1"})", "phoneNumbers",
               R"([{"type":"mobile","value":"+49 1"}])");
        // The other values stay.
        expect(R"({"op":"Replace","path":"emails[type eq \"other\"].value","value":"o@acme.example"})", "emails",
               R"([{"primary":true,"type":"work","value":"b@acme.example"},{"type":"home","value":"babs@home.example"},{"type":"other",)"
               R"("value":"o@acme.example"}])");
        expect(R"({"op":"Replace","path":"addresses[type eq \"work\"].locality","value":"Bonn"})", "addresses",
               R"([{"locality":"Bonn","type":"work"}])");
        expect(R"({"op":"Replace","path":"phoneNumbers[type eq \"fax\" and primary eq \"True\"].value","value":"+49 2"})", "phoneNumbers",
               R"([{"primary":true,"type":"fax","value":"+49 2"}])");
        expect(R"({"op":"Replace","value":{"phoneNumbers[type eq \"work\"].value":"+49 3"}})", "phoneNumbers",
               R"([{"type":"work","value":"+49 3"}])");
        expect(R"({"op":"Replace","path":"urn:ietf:params:scim:schemas:core:2.0:User:ims[type eq \"xmpp\"].value","value":"b@x"})", "ims",
               R"([{"type":"xmpp","value":"b@x"}])");
        // No value makes none.
        expect(R"({"op":"Replace","path":"phoneNumbers[type eq \"work\"].value","value":null})", "phoneNumbers", "");
        expect(R"({"op":"Remove","path":"phoneNumbers[type eq \"work\"].value"})", "phoneNumbers", "");
    }

    TEST(passesOverWhatIsUnknown)
    {
        for (const std::string path :
             {"urn:ietf:params:scim:schemas:extension:example:2.0:User:badge", "urn:ietf:params:scim:schemas:extension:example:2.0:User",
              "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:shoeSize", "favouriteColour", "name.nickName",
              "emails[type eq \"work\"].colour", "badges[type eq \"door\"].value", "manager.shoeSize", "groups", "roles",
              "roles[primary eq \"True\"].value", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.displayName"})
            for (const std::string op : {"Add", "Replace", "Remove"})
            {
                auto resource = objectOf(bjensen);
                const auto before = sorted(resource);
                PatchBudget budget;
                applyPatch(resource, objectOf(jsonWith(R"({"Operations":[{"op":"$","path":"$","value":"x"}]})", op, path)), userKind(),
                           budget);
                equal(before, sorted(resource), path);
                CPPUNIT_ASSERT_MESSAGE(path, budget.details().json().find("ignored") != std::string::npos);
            }
        // Applied paths are not recorded, and the notes belong to one request.
        auto resource = objectOf(bjensen);
        PatchBudget budget;
        applyPatch(resource, objectOf(R"({"Operations":[{"op":"add","value":{"title":"Cook","urn:x:badge":"7"}}]})"), userKind(), budget);
        equal(R"({"ignored":["urn:x:badge"]})", budget.details().json());
        applyPatch(resource, objectOf(R"({"Operations":[{"op":"add","path":"title","value":"Cook"}]})"), userKind(), budget);
        equal("{}", budget.details().json());
        // A hostile list of paths stays short.
        boost::json::array many;
        for (int i = 0; i < 900; ++i)
            many.push_back({{"op", "add"}, {"path", "x" + std::string(1000, 'y') + std::to_string(i)}, {"value", "z"}});
        applyPatch(resource, {{"Operations", many}}, userKind(), budget);
        CHECK(budget.details().json().size() < 5000);
    }

    TEST(readsASingleValueFromAList)
    {
        const std::string enterprise(userKind().extension->urn);
        const std::string manager = R"({"department":"Kitchen","manager":{"value":"usr_9"}})";
        for (const std::string& path : {enterprise + ":manager", std::string("manager")})
            for (const std::string value : {R"([{"value":"usr_9"}])", R"({"value":"usr_9"})", R"("usr_9")", R"(["usr_9"])"})
                expect(jsonWith(R"({"op":"Add","path":"$","value":$})", path, value), enterprise, manager);
        expect(R"({"op":"Replace","path":"manager.value","value":"usr_9"})", enterprise, manager);
        expect(R"({"op":"Replace","path":"manager","value":[]})", enterprise, R"({"department":"Kitchen"})");
        expect(R"({"op":"Replace","path":"active","value":["False"]})", "active", "false");
        expect(R"({"op":"Replace","path":"title","value":["Cook"]})", "title", R"("Cook")");
        const auto read =
            readResource(objectOf(jsonWith(R"({"userName":"a","$":{"manager":[{"value":"usr_9"}]}})", enterprise)), userKind());
        equal(R"({"manager":{"value":"usr_9"}})", sorted(read.at(keyOf(enterprise))));
    }

    TEST(removesNothingByAListThatNamesNothing)
    {
        const std::string before = R"({"displayName":"Cooks","members":[{"value":"a"},{"value":"b"}]})";
        for (const auto* value : {"[]", "[null]", R"([{"value":"x"}])", R"({"value":"x"})"})
        {
            auto group = objectOf(before);
            change(group, objectOf(jsonWith(R"({"Operations":[{"op":"Remove","path":"members","value":$}]})", value)), groupKind());
            equal(before, sorted(group), value);
        }
        expect(R"({"op":"Remove","path":"emails","value":[]})", "emails",
               R"([{"primary":true,"type":"work","value":"b@acme.example"},{"type":"home","value":"babs@home.example"}])");
        expect(R"({"op":"Remove","path":"emails","value":{}})", "emails",
               R"([{"primary":true,"type":"work","value":"b@acme.example"},{"type":"home","value":"babs@home.example"}])");
        expect(R"({"op":"Remove","path":"emails","value":null})", "emails", "");
    }

    TEST(suspendsWhateverElseIsWrong)
    {
        const std::string off = R"({"op":"Replace","path":"active","value":"False"})";
        for (const std::string wrong :
             {R"({"op":"Replace","path":"id","value":"x"})", R"({"op":"Replace","path":"title","value":{"a":1}})",
              R"({"op":"Add","path":"emails[type ne \"x\" and type ne \"work\" and type ne \"home\"].value","value":"x"})",
              R"({"op":"Add","path":"emails[","value":"x"})", R"({"op":"Add","path":"emails[type is \"x\"].value","value":"x"})",
              R"({"op":"Replace","path":"title"})", R"({"op":"Remove"})", R"({"op":"Replace","value":{"title":{},"nickName":"B"}})",
              R"({"op":"move","path":"title","value":"x"})", R"({"value":{"title":"x"}})", R"({"op":7,"value":{"title":"x"}})", "7",
              "null"})
            for (const auto& both : {wrong + ',' + off, off + ',' + wrong})
            {
                const auto resource = patched(both);
                equal("false", sorted(resource.at("active")), both);
                equal("\"Chief \\\"Cook\\\"\"", sorted(resource.at("title")), both);
            }
        // The remaining members of one value are applied too.
        const auto resource = patched(R"({"op":"Replace","value":{"title":7,"active":"FALSE","nickName":"B"}})");
        equal("false", sorted(resource.at("active")));
        equal(R"("B")", sorted(resource.at("nickName")));
        // Without the suspension they are refused.
        for (const std::string wrong : {R"({"op":"move","path":"title","value":"x"})", R"({"value":{"title":"x"}})", "7"})
            CPPUNIT_ASSERT_THROW_MESSAGE(wrong, patched(wrong), Problem);
    }

    TEST(namesCompareByUnicode)
    {
        const auto found = [](std::string_view name, std::string_view filter) {
            return Filter::parse(filter, groupKind()).matches({{"displayName", boost::json::string_view(name.data(), name.size())}});
        };
        CHECK(found("Ärzte", R"(displayName eq "ärzte")"));
        CHECK(found("ÄRZTE", R"(displayName sw "är")"));
        CHECK(found("Straße", R"(displayName eq "STRASSE")"));
        CHECK(found("ΣΟΦΟΣ", R"(displayName eq "σοφος")"));
        // Composed and decomposed.
        CHECK(found("A\xcc\x88rzte", "displayName eq \"\xc3\xa4rzte\""));
        CHECK(!found("Ärzte", R"(displayName eq "arzte")"));
        CHECK(nameKey("ЮЛИЯ@acme.example") == nameKey("юлия@ACME.example"));
    }

    TEST(refusesPatchesThatLeadNowhere)
    {
        const std::vector<std::pair<std::string, std::string>> refused = {
            {R"({"op":"remove"})", "noTarget"},
            {R"({"op":"replace","path":"emails[type ne \"work\" and type ne \"home\"].value","value":"x"})", "noTarget"},
            {R"({"op":"add","path":"emails[type ne \"other\" and value sw \"q\"].display","value":"x"})", "noTarget"},
            {R"({"op":"replace","path":"no thing","value":"x"})", "invalidPath"},
            {R"({"op":"replace","path":"nothing[","value":"x"})", "invalidPath"},
            {R"({"op":"replace","path":"7","value":"x"})", "invalidPath"},
            {R"({"op":"replace","path":"emails[type eq \"work\"","value":"x"})", "invalidPath"},
            {R"({"op":"replace","path":"emails[type eq \"work\"]x","value":"x"})", "invalidPath"},
            {R"({"op":"replace","path":"title[type eq \"work\"]","value":"x"})", "invalidPath"},
            {R"({"op":"replace","path":"emails[]","value":"x"})", "invalidFilter"},
            {R"({"op":"replace","path":1,"value":"x"})", "invalidPath"},
            {R"({"op":"replace","path":"id","value":"x"})", "mutability"},
            {R"({"op":"replace","path":"meta.version","value":"x"})", "mutability"},
            {R"({"op":"replace","path":"schemas","value":[]})", "mutability"},
            {R"({"op":"replace","path":"active","value":"maybe"})", "invalidValue"},
            {R"({"op":"replace","path":"title","value":1})", "invalidValue"},
            {R"({"op":"replace","path":"title"})", "invalidValue"},
            {R"({"op":"replace","value":"x"})", "invalidValue"},
            {R"({"op":"replace","path":"name","value":"x"})", "invalidValue"},
            {R"({"op":"move","path":"title","value":"x"})", "invalidSyntax"},
            {R"("x")", "invalidSyntax"}};
        for (const auto& [operation, code] : refused) try
            {
                patched(operation);
                CPPUNIT_FAIL(operation);
            }
            catch (const Problem& problem)
            {
                equal(code, problem.code(), operation);
            }
        auto group = objectOf(R"({"displayName":"Cooks","members":[{"value":"a"}]})");
        for (const auto* patch :
             {R"({"Operations":[{"op":"replace","path":"members[value eq \"a\"].value","value":"b"}]})",
              R"({"Operations":[{"op":"add","path":"members","value":[{"display":"nobody"}]}]})", R"({"Operations":[]})", R"({})"})
            CPPUNIT_ASSERT_THROW_MESSAGE(patch, change(group, objectOf(patch), groupKind()), Problem);
    }

    TEST(longListsBearFewOperations)
    {
        boost::json::array members;
        for (int i = 0; i < 20'000; ++i) members.push_back(boost::json::object{{"value", std::to_string(i)}});
        const boost::json::object full{{"displayName", "Cooks"}, {"members", members}};
        const auto attempt = [&](const char* operation, int times, PatchBudget& budget)
        {
            boost::json::array operations;
            for (int i = 0; i < times; ++i) operations.push_back(boost::json::parse(operation));
            auto group = full;
            try
            {
                applyPatch(group, {{"Operations", operations}}, groupKind(), budget);
                return std::string("ok");
            }
            catch (const Problem& problem)
            {
                return problem.code();
            }
        };
        const auto fresh = [&](const char* operation, int times)
        {
            PatchBudget budget;
            return attempt(operation, times, budget);
        };
        constexpr auto add = R"({"op":"add","path":"members","value":[{"value":"7"}]})";
        equal("ok", fresh(add, 50));
        equal("tooMany", fresh(add, 1000));
        equal("tooMany", fresh(R"({"op":"add","value":{"members":[{"value":"7"}]}})", 1000));
        equal("tooMany", fresh(R"({"op":"remove","path":"members[value eq \"x\"]"})", 1000));
        // The cost of a filter is its number of comparisons.
        equal("ok", fresh(R"({"op":"remove","path":"members[value eq \"x\"]"})", 40));
        equal("tooMany", fresh(R"({"op":"remove","path":"members[value eq \"x\" or value eq \"y\" or value eq \"z\"]"})", 40));
        // It is one for all that a request changes.
        PatchBudget shared;
        equal("ok", attempt(add, 60, shared));
        equal("tooMany", attempt(add, 60, shared));
        // Lists of people are short at every step.
        boost::json::array displays;
        for (int i = 0; i < 60; ++i) displays.push_back(boost::json::object{{"display", "a" + std::to_string(i)}});
        auto person = objectOf(R"({"userName":"a"})");
        const boost::json::object one{{"op", "add"}, {"path", "emails"}, {"value", displays}};
        change(person, {{"Operations", boost::json::array{one}}}, userKind());
        displays.clear();
        for (int i = 0; i < 41; ++i) displays.push_back(boost::json::object{{"display", "b" + std::to_string(i)}});
        const boost::json::object more{{"op", "add"}, {"path", "emails"}, {"value", displays}};
        CPPUNIT_ASSERT_THROW(change(person, {{"Operations", boost::json::array{more}}}, userKind()), Problem);
    }

    TEST(readsResources)
    {
        const auto read =
            readResource(objectOf(R"({"schemas":["x"],"ID":"usr_9","USERNAME":"bob","Active":"true","meta":{},"groups":[{"value":"g"}],
                "emails":{"Value":"b@x.example","primary":"TRUE"},"phoneNumbers":["+1",{"value":"+2","primary":true},{"value":"+3","primary":true}],
                "name":{"givenName":null},"addresses":[],"unheardOf":{"a":[1]},"password":"secret"})"),
                         userKind());
        equal(R"({"active":true,"emails":[{"primary":true,"value":"b@x.example"}],)"
              R"("phoneNumbers":[{"value":"+1"},{"primary":false,"value":"+2"},{"primary":true,"value":"+3"}],"userName":"bob"})",
              sorted(read));
        for (const auto* bad :
             {R"({})", R"({"userName":""})", R"({"userName":1})", R"({"userName":"a","username":"b"})", R"({"userName":"a","emails":[1]})",
              R"({"userName":"a","active":1})", R"({"userName":"a","urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":[]})"})
            CPPUNIT_ASSERT_THROW_MESSAGE(bad, readResource(objectOf(bad), userKind()), Problem);
        boost::json::array many;
        for (int i = 0; i < 101; ++i) many.push_back(boost::json::object{{"value", "x"}});
        CPPUNIT_ASSERT_THROW(readResource({{"userName", "a"}, {"emails", many}}, userKind()), Problem);
        CPPUNIT_ASSERT_THROW(readResource({{"userName", std::string(9000, 'x')}}, userKind()), Problem);
    }

    TEST(showsWhatIsWanted)
    {
        const auto shown = [](std::string_view attributes, std::string_view excluded)
        { return sorted(Projection(attributes, excluded, userKind()).of(objectOf(bjensen))); };
        equal(R"({"id":"usr_1","userName":"bjensen@Acme.example"})", shown("USERNAME,unheardOf", ""));
        equal(R"({"emails":[{"value":"b@acme.example"},{"value":"babs@home.example"}],"id":"usr_1"})", shown("emails.value", ""));
        equal(R"({"id":"usr_1","name":{"familyName":"O'Malley","givenName":"Barbara"}})", shown("name.givenName,name.familyName", ""));
        equal(R"({"id":"usr_1","urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"department":"Kitchen"}})",
              shown("urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", ""));
        const auto rest = shown("", "id,emails,name.givenName,meta,urn:ietf:params:scim:schemas:extension:enterprise:2.0:User");
        equal(R"({"active":true,"externalId":"A-7","id":"usr_1","name":{"familyName":"O'Malley"},)"
              R"("title":"Chief \"Cook\"","userName":"bjensen@Acme.example"})",
              rest);
        CHECK(!Projection("", "members", groupKind()).shows("members") && Projection("", "", groupKind()).shows("members"));
        CHECK(!Projection("displayName", "", groupKind()).shows("members"));
        CHECK(Projection("members.value", "", groupKind()).shows("members"));
    }

    static bool matches(std::string_view filter) { return Filter::parse(filter, userKind()).matches(objectOf(bjensen)); }
    static std::string faultOf(std::string_view filter)
    {
        try
        {
            Filter::parse(filter, userKind());
            return "none";
        }
        catch (const Problem& problem)
        {
            return problem.code();
        }
    }
    static void change(boost::json::object& resource, const boost::json::object& patch, const identity::scim::ResourceKind& kind)
    {
        PatchBudget budget;
        applyPatch(resource, patch, kind, budget);
    }
    static boost::json::object patched(const std::string& operation)
    {
        auto resource = objectOf(bjensen);
        change(resource, objectOf(jsonWith(R"({"Operations":[$]})", operation)), userKind());
        return resource;
    }
    /// @param value empty: the attribute was removed
    static void expect(const std::string& operation, const std::string& attribute, const std::string& value)
    {
        const auto resource = patched(operation);
        const auto* found = resource.if_contains(attribute);
        equal(value, found != nullptr ? sorted(*found) : std::string(), operation);
    }
};

} // namespace portico::tests
