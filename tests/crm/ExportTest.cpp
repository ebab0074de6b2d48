#include "crm/CrmFixture.h"

#include "exports/ExportRoutes.h"

#include <set>

namespace portico::tests
{

namespace json = boost::json;

/// GET /api/contacts/export.
class ExportTest : public Suite<ExportTest, CrmFixture>
{
    void setUp() override
    {
        CrmFixture::setUp();
        exporter = withPermission(owner, "crm.contacts:export");
        service = std::make_unique<crm::ContactService>(host->context(), crm::ContactSettings{}, _none);
        routes = std::make_unique<crm::ExportRoutes>(host->context(), *service);
    }

    void tearDown() override
    {
        routes.reset();
        service.reset();
        CrmFixture::tearDown();
    }

    TEST(namesTheFile)
    {
        for (const auto& [format, type, name] :
             std::vector<std::array<std::string, 3>>{{"", "text/csv; charset=utf-8; header=present", "contacts-20261121.csv"},
                                                     {"format=csv", "text/csv; charset=utf-8; header=present", "contacts-20261121.csv"},
                                                     {"format=vcard", "text/vcard; charset=utf-8", "contacts-20261121.vcf"},
                                                     {"format=json", "application/json", "contacts-20261121.json"},
                                                     {"format=ndjson", "application/x-ndjson", "contacts-20261121.ndjson"}})
        {
            const auto response = call(exporter, format);
            equal(200, response.status);
            equal(type, response.contentType);
            CPPUNIT_ASSERT_MESSAGE(response.headerBlock(),
                                   response.headerBlock().find("attachment; filename=\"" + name + "\"") != std::string::npos);
        }
    }

    TEST(exportsNothing)
    {
        equal("[]\n", file("format=json"));
        equal("", file("format=ndjson"));
        equal("", file("format=vcard"));
        CHECK(file("format=csv").starts_with("id,displayName,"));
        equal(1, lines(file("format=csv")));
    }

    TEST(exportsJson)
    {
        const auto id = created(R"({"firstName":"Ada","emails":[{"address":"ada@x.example"}],"tags":["=a"]})").at("/id");
        const auto whole = json::parse(file("format=json"));
        const auto& list = whole.as_array();
        equal(1, list.size());
        const auto& contact = list.at(0).as_object();
        equal(id, std::string(contact.at("id").as_string()));
        equal("=a", std::string(contact.at("tags").at(0).as_string()));
        // Data of other records is not exported, because it cannot be imported.
        for (const auto* name : {"counts", "pipelines", "version", "createdBy", "deletedAt"})
            CPPUNIT_ASSERT_MESSAGE(name, !contact.contains(name));
        CHECK(contact.contains("createdAt"));
        equal(json::serialize(list.at(0)) + "\n", file("format=ndjson"));
    }

    TEST(exportsCsv)
    {
        const auto id =
            created(R"({"firstName":"Ada","lastName":"=1+1","tags":["a,b","c"],"emails":[{"address":"ada@x.example","label":"work"}]})")
                .at("/id");
        equal("id,displayName,prefix,firstName,middleName,lastName,suffix,nickname,companyName,jobTitle,department,birthday,tags,"
              "lifecycle,source,sourceDetail,ownerUserId,emails[0].address,emails[0].label,createdAt,updatedAt\r\n" +
                  id +
                  ",Ada =1+1,,Ada,,'=1+1,,,,,,,\"a\\,b;c\",lead,manual,,,ada@x.example,work,2026-11-21T09:00:00.000Z,"
                  "2026-11-21T09:00:00.000Z\r\n",
              file("format=csv"));
    }

    TEST(exportsVcard)
    {
        created(R"({"firstName":"Ada","phones":[{"number":"+44 20 7946 0958","label":"mobile"}]})");
        const auto card = file("format=vcard");
        CHECK(card.starts_with("BEGIN:VCARD\r\nVERSION:4.0\r\nPRODID:-//Portico//CRM//EN\r\nUID:urn:uuid:"));
        CHECK(card.ends_with("\r\nFN:Ada\r\nN:;Ada;;;\r\nTEL;TYPE=cell;PREF=1;VALUE=uri:tel:+442079460958\r\nREV:20261121T090000Z\r\n"
                             "END:VCARD\r\n"));
    }

    TEST(marksFilesForOutlook)
    {
        created(R"({"firstName":"Jörg","emails":[{"address":"j@x.example"}],"addresses":[{"street":"Weg 1","label":"home"}]})");
        const auto outlook = file("preset=outlook");
        CHECK(outlook.starts_with("\xef\xbb\xbfTitle,First Name,"));
        CHECK(outlook.find("Jörg") != std::string::npos && outlook.find("Weg 1") != std::string::npos);
        CHECK(file("bom=true").starts_with("\xef\xbb\xbfid,"));
        CHECK(file("preset=google").starts_with("First Name,"));
        CHECK(file("preset=hubspot").starts_with("Record ID,"));
    }

    TEST(goesThroughManyContactsInOrder)
    {
        // More than two batches, many of them made at the same time.
        constexpr int count = 450;
        for (int i = 0; i < count; ++i)
        {
            newContact("c" + std::to_string(i));
            if (i % 50 == 0) clock().advance(std::chrono::seconds(1));
        }
        std::vector<std::pair<std::string, std::string>> places;
        const auto whole = json::parse(file("format=json"));
        for (const auto& contact : whole.as_array()) places.emplace_back(contact.at("createdAt").as_string(), contact.at("id").as_string());
        equal(std::size_t{count}, places.size());
        CHECK(std::is_sorted(places.begin(), places.end()));
        CHECK(std::adjacent_find(places.begin(), places.end()) == places.end());
        equal(count + 1, lines(file("format=csv")));
        equal(file("format=json"), file("format=json"));
    }

    TEST(filtersAsTheListDoes)
    {
        created(R"({"firstName":"Ada","tags":["vip"],"lifecycle":"customer"})");
        clock().advance(std::chrono::hours(1));
        const auto bob = created(R"({"firstName":"Bob","emails":[{"address":"bob@x.example"}]})").at("/id");
        const auto gone = newContact("Gone");
        client->del(owner, "/api/contacts/" + gone);
        for (const auto& [query, found] : std::vector<std::pair<std::string, Names>>{{"", {"Ada", "Bob"}},
                                                                                     {"tag=vip", {"Ada"}},
                                                                                     {"lifecycle=lead,customer&hasEmail=true", {"Bob"}},
                                                                                     {"q=ada", {"Ada"}},
                                                                                     {"createdFrom=2026-11-21T10:00:00Z", {"Bob"}},
                                                                                     {"archived=true", {"Gone"}},
                                                                                     {"email=BOB@x.example", {"Bob"}},
                                                                                     {"id=" + bob + "," + gone, {"Bob"}},
                                                                                     {"pipelineId=pip_" + makeUlid(Instant{}), {}}})
            equal(found, exportedNames(exporter, query), query);
    }

    TEST(selectsMembers)
    {
        const auto id = created(R"({"firstName":"Ada","jobTitle":"x","emails":[{"address":"ada@x.example"}]})").at("/id");
        equal("{\"id\":\"" + id + "\",\"jobTitle\":\"x\",\"counts\":{\"notes\":0,\"attachments\":0}}\n",
              file("format=ndjson&fields=jobTitle,counts"));
        equal("id,jobTitle,emails[0].address,emails[0].label\r\n" + id + ",x,ada@x.example,other\r\n", file("fields=jobTitle,emails"));
        const auto card = file("format=vcard&fields=jobTitle");
        CHECK(card.find("\r\nTITLE:x\r\n") != std::string::npos && card.find("\r\nFN:Ada\r\n") != std::string::npos);
        CHECK(card.find("EMAIL") == std::string::npos && card.find("\r\nN:") == std::string::npos);
    }

    TEST(refusesWhatItDoesNotKnow)
    {
        for (const auto* query : {"format=xml", "preset=exchange", "bom=1", "fields=secret", "lifecycle=x", "createdFrom=now"})
            equal(400, call(exporter, query).status, query);
        // The order is the export's own, and there are no pages.
        for (const auto* query : {"sort=displayName", "limit=10", "cursor=x", "tags=x"})
        {
            const auto response = call(exporter, query);
            equal(400, response.status, query);
            CPPUNIT_ASSERT_MESSAGE(response.body, response.body.find("unknown_parameter") != std::string::npos);
        }
    }

    TEST(needsThePermission)
    {
        equal(403, call(owner, "").status);
        equal(401, call(Caller::nobody(), "").status);
        auto key = exporter;
        key.credential = CredentialKind::ApiKey;
        key.scopes = {"contacts.read"};
        equal(200, call(key, "").status);
        key.scopes = {"contacts.write"};
        equal(403, call(key, "").status);
        auto keyOfMember = owner;
        keyOfMember.credential = CredentialKind::ApiKey;
        keyOfMember.scopes = {"contacts.read"};
        equal(403, call(keyOfMember, "").status);
    }

    TEST(keepsOrganizationsApart)
    {
        newContact("Ada");
        const auto other = withPermission(stranger, "crm.contacts:export");
        client->post(other, "/api/contacts", R"({"firstName":"Eve"})");
        equal({"Ada"}, exportedNames(exporter, ""));
        equal({"Eve"}, exportedNames(other, ""));
    }

    TEST(exportsOneSnapshot)
    {
        newContact("Before");
        for (const auto format : {crm::ExportFormat::Json, crm::ExportFormat::Csv})
        {
            auto stream = open(format);
            const auto later = created(R"({"firstName":"Later","phones":[{"number":"030 123456"}]})").at("/id");
            const auto text = drain(*stream.source);
            CPPUNIT_ASSERT_MESSAGE(text, text.find("Before") != std::string::npos && text.find("Later") == std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(text, text.find("phones[0]") == std::string::npos);
            client->del(owner, "/api/contacts/" + later);
        }
    }

    TEST(runsAFewAtOnce)
    {
        auto first = open(crm::ExportFormat::Json);
        auto second = open(crm::ExportFormat::Json);
        try
        {
            open(crm::ExportFormat::Json);
            CPPUNIT_FAIL("a third export has started");
        }
        catch (const Problem& problem)
        {
            equal(503, problem.status());
            equal("overloaded", problem.code());
            CHECK(std::any_of(problem.headers().begin(), problem.headers().end(),
                              [](const auto& header) { return header.first == "Retry-After"; }));
        }
        // Others can still read.
        equal(200, list("").status);
        // An export that is not read to its end also releases its slot.
        first.source.reset();
        equal("[]\n", drain(*open(crm::ExportFormat::Json).source));
        equal("[]\n", drain(*open(crm::ExportFormat::Json).source));
    }

    TEST(restingReadersKeepNothingFromOthers)
    {
        // More of them than there are sessions; each has read a byte.
        constexpr int count = 12;
        std::vector<Stream> resting;
        for (int i = 0; i < count; ++i)
        {
            exporter = withPermission(newCaller(), "crm.contacts:export");
            client->post(exporter, "/api/contacts", R"({"firstName":"Ada"})");
            resting.push_back(open(crm::ExportFormat::Json));
            std::string text;
            CHECK(resting.back().source->read(text, 1));
            equal("[", text);
        }
        equal(0, openSnapshots());
        equal(200, list("").status);
        for (auto& stream : resting) CHECK(drain(*stream.source).find("Ada") != std::string::npos);
    }

    TEST(makesLongFilesInParts)
    {
        // Larger than the memory buffer.
        constexpr int count = 1200;
        std::string csv = "First Name,Company\r\n";
        for (int i = 0; i < count; ++i) csv += "c" + std::to_string(i) + "," + std::string(200, 'x') + "\r\n";
        const auto made = client->post(owner, "/api/contacts/import?onDuplicate=create", csv, {{"Content-Type", "text/csv"}});
        equal(std::int64_t{count}, std::stoll(made.at("/totals/created")));
        for (const auto format : {crm::ExportFormat::Ndjson, crm::ExportFormat::Csv})
        {
            auto stream = open(format);
            std::string text;
            int parts = 0;
            for (; text.empty(); ++parts) CHECK(stream.source->read(text, 1000));
            CHECK(parts > 2);
            equal(1000, text.size());
            equal(0, openSnapshots());
            text += drain(*stream.source);
            CHECK(text.size() > 256 * 1024);
            equal(count + (format == crm::ExportFormat::Csv ? 1 : 0), lines(text));
        }
    }

    TEST(breaksOffWhenItCannotGoOn)
    {
        newContact("Good");
        clock().advance(std::chrono::seconds(1));
        const auto bad = newContact("Bad");
        database().transact([&](Transaction& transaction) { transaction.execute("UPDATE contact SET document = '{' WHERE id = $1", bad); });
        auto stream = open(crm::ExportFormat::Vcard);
        // The host closes the connection then: tests/http_server has that.
        std::string text;
        CPPUNIT_ASSERT_THROW(while (stream.source->read(text, 1000)) continue, Problem);
        equal("", text);
        equal(1, host->context().logger().records().size());
    }

    Response call(const Caller& caller, std::string_view query) const
    {
        testing::TestRequest request;
        request.method = Method::Get;
        request.target = "/api/contacts/export" + (query.empty() ? "" : "?" + std::string(query));
        request.caller = caller;
        auto response = host->call(request);
        response.body = testing::TestHost::bodyOf(response);
        response.source.reset();
        return response;
    }

    std::string file(std::string_view query) const
    {
        auto response = call(exporter, query);
        equal(200, response.status, response.body);
        return response.body;
    }

    Names exportedNames(const Caller& caller, const std::string& query) const
    {
        Names names;
        const auto response = call(caller, "format=json" + (query.empty() ? "" : "&" + query));
        equal(200, response.status, response.body);
        const auto whole = json::parse(response.body);
        for (const auto& contact : whole.as_array()) names.emplace_back(contact.at("displayName").as_string());
        return names;
    }

    Stream open(crm::ExportFormat format) const
    {
        crm::ExportRequest request;
        request.format = format;
        return routes->send(exporter, Query<crm::ExportRequest>(request));
    }

    /// Counts open snapshots; for SQLite tests/http/exports.py does it.
    std::int64_t openSnapshots() const
    {
        auto session = database().session();
        if (session.dialect() == Dialect::SQLite) return 0;
        return *session.value<std::int64_t>(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'");
    }

    static std::string drain(BodySource& source)
    {
        std::string text;
        while (source.read(text, 1000)) continue;
        return text;
    }

    static int lines(const std::string& text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

    Caller exporter;
    const crm::VersionKeepers _none{std::vector<crm::VersionKeeper>{}};
    std::unique_ptr<crm::ContactService> service;
    std::unique_ptr<crm::ExportRoutes> routes;
};

} // namespace portico::tests
