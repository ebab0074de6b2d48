#include "sdk/Demo.h"
#include "support/Suite.h"

#include "portico/system/HostRequest.h"

#include <boost/json.hpp>

#include <array>
#include <functional>

using namespace portico;
using demo::Filter;
using demo::Note;
using demo::NoteId;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

struct Notes
{
    Page<Note> list(const Caller&, const Query<Filter>& filter, const Paging& paging) const
    {
        Page<Note> page;
        Note note;
        note.title = filter->q.value_or("none") + "/" + std::to_string(paging.limit) + "/" + paging.cursor;
        page.items.push_back(std::move(note));
        page.nextCursor = "after-1";
        if (paging.includeTotal) page.total = 7;
        return page;
    }
    Created<Note> create(const Body<Note>& body) { return {*body, "/api/notes/1"}; }
    Note change(const Path<NoteId>& id, const Body<Patch<Note>>& patch, const IfMatch& ifMatch)
    {
        Note note;
        note.id = *id;
        note.title = "old";
        note.version = 3;
        note.tags = {"stored before tags were short"};
        ifMatch.require(note.version);
        if (patch->has("tags")) note.email = "tags@were.there";
        patch->applyTo(note);
        return note;
    }
    NoContent remove(const Path<NoteId>&, const Path<std::string>& second, const Header<"X-Brand-ID", std::optional<NoteId>>&)
    {
        return removed = *second, NoContent{};
    }
    void check(const Path<NoteId>&, const Header<"X-Brand-ID", std::optional<std::string>>& brand) const
    {
        if (!*brand) throw Problem::forbidden("brand_missing", "Name the brand.");
    }
    std::string removed;
};

/// Declared routes, and requests on them as the host makes them.
struct Fixture
{
    Notes notes;
    Caller caller;
    std::vector<RouteDeclaration> routes;

    Fixture()
    {
        Routes declared;
        declared.get("/api/notes", access::bearerOrKey("notes:read", "notes.read"), &Notes::list, &notes)
            .post("/api/notes", access::bearer("notes:write"), &Notes::create, &notes)
            .put("/api/notes/{id}", access::bearer("notes:write"), &Notes::change, &notes)
            .del("/api/notes/{id}/parts/{part}", access::open(), &Notes::remove, &notes, {.summary = "Take a part away"});
        routes = declared.take();
        caller.principalId = "usr_1";
        caller.organizationId = "org_1";
    }

    Response call(std::size_t route, std::string_view query, std::string_view body = {}, std::vector<HeaderField> headers = {},
                  std::vector<std::string> path = {})
    {
        system::HostRequest request;
        request.query = query;
        request.body = body;
        if (!body.empty()) headers.push_back({"content-type", "application/json"});
        request.headers = headers;
        request.caller = &caller;
        request.signCursorsWith("a key of this test");
        request.setRoute(routes[route].pattern);
        for (auto& value : path) request.addPathParameter(std::move(value));
        Response response;
        routes[route].handler->handle(request, response);
        return response;
    }

    std::string codeOf(std::size_t route, std::string_view query, std::string_view body = {}, std::vector<HeaderField> headers = {},
                       std::vector<std::string> path = {})
    {
        try
        {
            return std::to_string(call(route, query, body, std::move(headers), std::move(path)).status);
        }
        catch (const Problem& problem)
        {
            return std::to_string(problem.status()) + ' ' + problem.code();
        }
    }
};

std::string cursorOf(const Response& response) { return std::string(boost::json::parse(response.body).at("nextCursor").as_string()); }

const std::string someId = "not_01jd0000000000000000000000";

} // namespace

class RoutesTest : public Suite<RoutesTest>
{
    TEST(readsQueryAndPaging)
    {
        Fixture f;
        const auto page = boost::json::parse(f.call(0, "q=h%C3%A9&limit=7&include=total").body);
        equal("h\xc3\xa9/7/", std::string(page.at("items").at(0).at("title").as_string()));
        equal(7, page.at("total").as_int64());
    }

    TEST(refusesWrongQueries)
    {
        Fixture f;
        equal("400 unknown_parameter", f.codeOf(0, "status=open"));
        equal("400 unknown_parameter", f.codeOf(1, "q=1", R"({"title":"a"})"));
        for (const char* query : {"limit=0", "limit=201", "limit=x", "include=all", "pinned=yes", "colour=blue", "tag=a,,b", "q=1&q=2",
                                  "limit=1&limit=2", "q=123456789012345678901", "q=%ff", "q=%zz", "q=%00"})
            equal("400 validation_failed", f.codeOf(0, query), query);
    }

    TEST(cursorsAreBound)
    {
        Fixture f;
        const auto cursor = cursorOf(f.call(0, "q=a"));
        const auto page = boost::json::parse(f.call(0, "limit=5&q=a&cursor=" + cursor).body);
        equal("a/5/after-1", std::string(page.at("items").at(0).at("title").as_string()));
        equal("400 invalid_cursor", f.codeOf(0, "q=b&cursor=" + cursor));
        equal("400 invalid_cursor", f.codeOf(0, "cursor=" + cursor));
        equal("400 invalid_cursor", f.codeOf(0, "q=a&cursor=" + cursor + "A"));
        // One filter that looks as two would.
        const auto ofOne = cursorOf(f.call(0, "q=a%0Atag%3Db"));
        equal("400 invalid_cursor", f.codeOf(0, "q=a&tag=b&cursor=" + ofOne));
        equal("400 invalid_cursor", f.codeOf(0, "q=a&cursor=" + cursor.substr(1)));
        equal("400 invalid_cursor", f.codeOf(0, "q=a&cursor="));
        f.caller.organizationId = "org_2";
        equal("400 invalid_cursor", f.codeOf(0, "q=a&cursor=" + cursor));
    }

    TEST(cursorsOfOnesOwnAreBound)
    {
        Fixture f;
        system::HostRequest request;
        request.caller = &f.caller;
        request.signCursorsWith("a key of this test");
        request.setRoute("/api/boards");
        const auto cursor = signCursor(request, "column 1", "after 7");
        equal("after 7", openCursor(request, "column 1", cursor));
        const auto isRefused = [&](std::string_view scope, std::string_view text)
        { CPPUNIT_ASSERT_THROW(openCursor(request, scope, text), Problem); };
        isRefused("column 2", cursor);
        isRefused("column 1", cursor + "A");
        isRefused("column 1", "");
        request.setRoute("/api/lists");
        isRefused("column 1", cursor);
        request.setRoute("/api/boards");
        f.caller.principalId = "usr_2";
        isRefused("column 1", cursor);
    }

    TEST(createsWithLocationAndTag)
    {
        Fixture f;
        const auto response = f.call(1, "", R"({"title":"a"})");
        equal(201, response.status);
        equal("\"1\"", response.etag);
        CHECK(response.headerBlock().find("Location: /api/notes/1\r\n") != std::string::npos);
    }

    TEST(refusesOtherContentTypes)
    {
        Fixture f;
        for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1",
                                 "application/json; v=1; charset=utf-16", "application/jsonx"})
        {
            Request request;
            const std::array headers{HeaderField{"Content-Type", type}};
            request.headers = headers;
            request.body = "{}";
            try
            {
                detail::jsonBody(request);
                CPPUNIT_FAIL(type);
            }
            catch (const Problem& problem)
            {
                equal(415, problem.status());
            }
        }
        for (const char* type : {"application/json", "APPLICATION/JSON", "application/json; charset=utf8", "application/json;charset=UTF-8",
                                 "application/json; charset=\"utf-8\"", "application/json; charset='utf-8'",
                                 "application/json; Charset=US-ASCII", "application/json; charset=",
                                 "application/json; odata.metadata=minimal; charset=utf-8", "application/json;;", "application/json ; v=1"})
            for (const auto& [sent, read] : std::vector<std::pair<std::string_view, std::string_view>>{
                     {"{\"a\":1}", "{\"a\":1}"}, {"\xef\xbb\xbf{}", "{}"}, {"", "{}"}, {"\xef\xbb\xbf", "{}"}, {" \r\n", "{}"}})
            {
                Request request;
                const std::array headers{HeaderField{"Content-Type", type}};
                request.headers = headers;
                request.body = sent;
                equal(read, detail::jsonBody(request), type);
            }
        equal("400 validation_failed", f.codeOf(1, "")); // an empty body is {}
    }

    TEST(mergesUnderIfMatch)
    {
        Fixture f;
        equal("404 not_found", f.codeOf(2, "", R"({"title":"new"})", {}, {"con_01jd0000000000000000000000"}));
        for (const char* good : {"", "*", "\"3\"", "\"1\", \"3\"", "\"3-gzip\"", "\"3;gzip\"", "\"3--gzip\"", "\"3-br\"", "\"3-zstd\"",
                                 "\"3\"-gzip", "\"1-gzip\", \"3-gzip\""})
            equal("200", f.codeOf(2, "", R"({"title":"new","tags":null})", {{"If-Match", good}}, {someId}), good);
        for (const char* bad : {"\"2\"", "W/\"3\"", "3", "\"33\"", "\"2-gzip\"", "\"33-gzip\"", "\"3-\"", "\"3gzip\"", "\"3-gzip",
                                "\"3---gzip\"", "\"3-x\"", "\"-gzip\""})
            equal("412 version_conflict", f.codeOf(2, "", R"({"title":"new"})", {{"if-match", bad}}, {someId}), bad);
        // The body's shape is checked before the version, so that a malformed body reveals no state.
        equal("400 unknown_field", f.codeOf(2, "", R"({"x":1})", {{"If-Match", "\"2\""}}, {someId}));
        equal("400 validation_failed", f.codeOf(2, "", R"({"title":null})", {}, {someId}));
    }

    TEST(patchesAnswerForWhatTheyName)
    {
        Fixture f;
        const auto patched = [&](const char* body) { return f.codeOf(2, "", body, {}, {someId}); };
        equal("200", patched(R"({"title":"new"})"));
        equal("400 validation_failed", patched(R"({"tags":["too long again"]})"));
        equal("400 validation_failed", patched(R"({"link":{"url":""}})"));
        // Rules over several members are checked for any patch.
        equal("400 validation_failed", patched(R"({"pinned":true,"colour":"green"})"));
    }

    static std::string faultsOf(const std::function<void()>& work)
    {
        try
        {
            work();
            return "none";
        }
        catch (const Problem& problem)
        {
            std::string text;
            for (const auto& error : problem.errors()) text += error.field + " " + error.code + ", ";
            return text;
        }
    }

    TEST(reportsTypesAndRulesInOneRound)
    {
        Fixture f;
        // The rule of the whole record is about members that could not be read: it is left for the next round.
        const auto body =
            R"({"title":"much too long","email":5,"link":{"url":"no url","weight":"heavy"},"pinned":true,"colour":"green","ratio":"x"})";
        equal("email wrong_type, link.weight wrong_type, ratio wrong_type, title too_long, link.url invalid_url, ",
              faultsOf([&] { f.call(1, "", body); }));
        equal("title required, email invalid_email, ", faultsOf([&] { f.call(1, "", R"({"email":"nobody"})"); }));
        equal("ratio wrong_type, title too_long, ",
              faultsOf([&] { f.call(2, "", R"({"title":"much too long","ratio":"x"})", {}, {someId}); }));
        equal("pinned not_green, ", faultsOf([&] { f.call(1, "", R"({"title":"a","pinned":true,"colour":"green"})"); }));
    }

    TEST(listsTheOptionsOfAQuery)
    {
        Fixture f;
        try
        {
            f.call(0, "colour=blue&q=123456789012345678901");
            CPPUNIT_FAIL("expected a problem");
        }
        catch (const Problem& problem)
        {
            equal(2, problem.errors().size());
            equal("Not one of red, green", problem.errors()[0].message);
            equal("too_long", problem.errors()[1].code);
        }
        try
        {
            f.call(0, "pinned=maybe");
            CPPUNIT_FAIL("expected a problem");
        }
        catch (const Problem& problem)
        {
            equal("Expected true or false", problem.errors().at(0).message);
        }
    }

    TEST(keepsWhatIsSetAtCreation)
    {
        Fixture f;
        CHECK(f.call(1, "", R"({"title":"a","origin":"web"})").body.find(R"("origin":"web")") != std::string::npos);
        // The stored record has none.
        const auto change = [&](std::string_view body) { return faultsOf([&] { f.call(2, "", body, {}, {someId}); }); };
        equal("none", change(R"({"title":"b","origin":""})"));
        equal("origin create_only, ", change(R"({"origin":"web"})"));
        equal("origin create_only, title too_long, ", change(R"({"title":"much too long","origin":"longer"})"));
    }

    TEST(readsSortAndFields)
    {
        struct Lists
        {
            Page<Note> list(const Caller&, const Sort<&Note::title, &Note::ratio>& sort, const Fields<Note>& fields) const
            {
                Page<Note> page;
                page.fields = *fields;
                Note note;
                note.title = std::to_string(sort.index()) + (sort.descending() ? "-" : "+");
                page.items.push_back(std::move(note));
                return page;
            }
            Page<Note> newest(const Caller&, const SortDescending<&Note::version>& sort) const
            {
                Page<Note> page;
                page.items.emplace_back().title = sort.descending() ? "-" : "+";
                return page;
            }
        } lists;
        Routes declared;
        declared.get("/api/lists", access::open(), &Lists::list, &lists).get("/api/newest", access::open(), &Lists::newest, &lists);
        const auto routes = declared.take();
        const auto ask = [&](std::size_t route, std::string_view query)
        {
            system::HostRequest request;
            request.query = query;
            Response response;
            routes[route].handler->handle(request, response);
            return response.body;
        };
        equal(R"({"items":[{"id":null,"title":"0+"}],"nextCursor":null})", ask(0, "fields=title"));
        equal(R"({"items":[{"id":null,"title":"1-"}],"nextCursor":null})", ask(0, "sort=-ratio&fields=id,title"));
        CHECK(ask(1, "").find(R"("title":"-")") != std::string::npos);
        CHECK(ask(1, "sort=version").find(R"("title":"+")") != std::string::npos);
        for (const auto* wrong :
             {"sort=colour", "sort=--title", "sort=", "fields=secret", "fields=tenant", "fields=title,,id", "sort=title&sort=title"})
            CPPUNIT_ASSERT_THROW_MESSAGE(wrong, ask(0, wrong), Problem);
        CPPUNIT_ASSERT_THROW(ask(1, "fields=title"), Problem);
        CHECK(routes[0].operation.find(R"("enum":["title","-title","ratio","-ratio"],"default":"title")") != std::string::npos);
        CHECK(routes[1].operation.find(R"("default":"-version")") != std::string::npos);
    }

    TEST(takesPathParametersInOrder)
    {
        Fixture f;
        equal("204", f.codeOf(3, "", "", {}, {someId, "the/part"}));
        equal("the/part", f.notes.removed);
        equal("400 validation_failed", f.codeOf(3, "", "", {{"X-Brand-Id", "nonsense"}}, {someId, "p"}));
    }

    TEST(checksBeforeTheBody)
    {
        Notes notes;
        Routes declared;
        declared.put("/api/notes/{id}", access::open(), &Notes::change, &notes).beforeBody(&Notes::check, &notes);
        const auto routes = declared.take();
        CHECK(routes.front().checksBeforeBody);
        const auto check = [&](std::vector<HeaderField> headers)
        {
            system::HostRequest request;
            request.headers = headers;
            request.addPathParameter(std::string(someId));
            routes.front().handler->check(request);
        };
        CPPUNIT_ASSERT_THROW(check({}), Problem);
        check({{"X-Brand-ID", "brd_1"}});
        CPPUNIT_ASSERT_THROW(Routes().beforeBody(&Notes::check, &notes), std::logic_error);
        Routes bodiless;
        bodiless.get("/api/notes", access::open(), &Notes::list, &notes);
        CPPUNIT_ASSERT_THROW(bodiless.beforeBody(&Notes::check, &notes), std::logic_error);
    }

    TEST(describesRoutes)
    {
        Fixture f;
        for (const auto& route : f.routes)
        {
            const auto operation = boost::json::parse(route.operation);
            CHECK(operation.at("responses").as_object().contains("default"));
            for (const auto& [name, schema] : *route.components) boost::json::parse(schema);
        }
        const auto list = boost::json::parse(f.routes[0].operation);
        equal("getNotes", std::string(list.at("operationId").as_string()));
        equal(7, list.at("parameters").as_array().size());
        equal("notes.read", std::string(list.at("x-scope").as_string()));
        CHECK(f.routes[0].components->contains("Note") && f.routes[0].components->contains("Colour") &&
              f.routes[2].components->contains("NotePatch"));
        const auto note = boost::json::parse(f.routes[1].components->at("Note"));
        CHECK(!note.at("properties").as_object().contains("tenant"));
        equal(1, note.at("required").as_array().size());
        CHECK(f.routes[1].idempotencyKey && !f.routes[0].idempotencyKey);
    }

    TEST(refusesBadPatterns)
    {
        Notes notes;
        Routes routes;
        for (const char* pattern : {"", "api", "/api/", "/a//b", "/a/{}", "/a/{id", "/a/x{id}", "/a"})
            CPPUNIT_ASSERT_THROW_MESSAGE(pattern, routes.put(pattern, access::open(), &Notes::change, &notes), std::invalid_argument);
        // A proof belongs to a sign-in, and is not known without waiting.
        CPPUNIT_ASSERT_THROW(routes.put("/a/{id}", access::cookie().freshProof(), &Notes::change, &notes), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(
            routes.put("/a/{id}", access::bearer().freshProof(), &Notes::change, &notes, {.execution = Execution::ShortRead}),
            std::invalid_argument);
    }

    TEST(bindsPathParameters)
    {
        Notes notes;
        Routes routes;
        const auto keys = access::bearerOrKey("notes:write", "notes.write");
        routes.del("/api/notes/{id}/parts/{part}", keys.bind("part", "part").bindInHandler("note"), &Notes::remove, &notes);
        const auto declared = routes.take();
        const auto& bindings = declared.front().access.bindings;
        equal(2, bindings.size());
        equal(1, bindings.front().index);
        CHECK(bindings.back().parameter.empty());
        CHECK(declared.front().operation.find(R"("x-problems":["403 resource_not_bound"])") != std::string::npos);
        CHECK(keys.bindings.empty());
        CPPUNIT_ASSERT_THROW(routes.post("/api/notes", keys.bind("note", "id"), &Notes::create, &notes), std::invalid_argument);
    }

    TEST(saysWhichServicesMayCall)
    {
        Notes notes;
        Routes routes;
        routes.alsoOn({"console"})
            .get("/api/notes", access::bearer("notes:read").orService(), &Notes::list, &notes)
            .get("/api/open", access::open(), &Notes::list, &notes)
            .del("/api/notes/{id}/parts/{part}", access::bearer().orOwnService("part"), &Notes::remove, &notes)
            .alsoOn({})
            .get("/api/scim", access::service("scim"), &Notes::list, &notes);
        const auto declared = routes.take();
        CHECK(declared[0].operation.find(R"("security":[{"bearer":[]},{"service":[]}])") != std::string::npos);
        CHECK(declared[3].operation.find(R"("security":[{"service":["scim"]}])") != std::string::npos);
        equal(1, declared[2].access.ownService.index);
        CHECK(declared[0].alsoOn == std::vector<std::string>{"console"});
        // Only what takes access tokens, and no longer than it was said.
        CHECK(declared[1].alsoOn.empty() && declared[3].alsoOn.empty());
        CPPUNIT_ASSERT_THROW(routes.post("/api/notes", access::bearer().orOwnService("id"), &Notes::create, &notes), std::invalid_argument);
    }

    TEST(describesCredentialsOfTheHandler)
    {
        Notes notes;
        Routes routes;
        routes.get("/api/notes", access::open(), &Notes::list, &notes, {.description = "Needs a \"key\"."})
            .get("/api/open", access::open(), &Notes::list, &notes);
        const auto declared = routes.take();
        equal("Needs a \"key\".", std::string(boost::json::parse(declared[0].operation).at("description").as_string()));
        CHECK(!boost::json::parse(declared[1].operation).as_object().contains("description"));
    }

    TEST(declaresMediaTypes)
    {
        struct Files
        {
            NoContent take(const Upload&) { return {}; }
            Stream give() const { return {}; }
            Response answer() const { return {}; }
        } files;
        Routes routes;
        routes.post("/file", access::open(), &Files::take, &files, {.consumes = {"text/csv", "multipart/form-data"}})
            .get("/file", access::open(), &Files::give, &files, {.produces = {"text/csv"}})
            .get("/answer", access::open(), &Files::answer, &files, {.produces = {"image/png", "image/webp"}})
            .put("/any", access::open(), &Files::take, &files)
            .get("/any", access::open(), &Files::give, &files);
        const auto declared = routes.take();
        const auto types = [&](std::size_t route, std::string_view pointer)
        {
            std::string found;
            const auto operation = boost::json::parse(declared[route].operation);
            for (const auto& [type, content] : operation.at_pointer(pointer).as_object()) found += std::string(type) + ' ';
            return found;
        };
        equal("text/csv multipart/form-data ", types(0, "/requestBody/content"));
        equal("text/csv ", types(1, "/responses/200/content"));
        equal("image/png image/webp ", types(2, "/responses/200/content"));
        // An undeclared type is not claimed.
        equal("*/* ", types(3, "/requestBody/content"));
        equal("*/* ", types(4, "/responses/200/content"));
    }
};
