#include "crm/AttachmentFixture.h"
#include "support/Together.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;

/// Attachments over their routes: what is taken, what is refused, what comes back.
class AttachmentTest : public AttachmentFixture
{
    CPPUNIT_TEST_SUITE(AttachmentTest);
    CPPUNIT_TEST(takesForms);
    CPPUNIT_TEST(takesRawBodies);
    CPPUNIT_TEST(takesEmptyFiles);
    CPPUNIT_TEST(cleansNames);
    CPPUNIT_TEST(refusesForms);
    CPPUNIT_TEST(refusesNames);
    CPPUNIT_TEST(keepsTheSizeLimit);
    CPPUNIT_TEST(keepsTheNumberOfFiles);
    CPPUNIT_TEST(keepsTheQuota);
    CPPUNIT_TEST(keepsTheHostsQuota);
    CPPUNIT_TEST(downloadsHarmlessly);
    CPPUNIT_TEST(lists);
    CPPUNIT_TEST(deletes);
    CPPUNIT_TEST(belongsToOneOrganization);
    CPPUNIT_TEST(needsPermissionAndScope);
    CPPUNIT_TEST(countsUnderLoad);
    CPPUNIT_TEST(fillsTheLastPlaceOnce);
    CPPUNIT_TEST(tellsOfNewAttachments);
    CPPUNIT_TEST(includesAttachmentsInTheContact);
    CPPUNIT_TEST_SUITE_END();

public:
    void takesForms()
    {
        const auto made = upload(form("r\xc3\xa9sum\xc3\xa9.pdf", "%PDF-1.7 x", "application/pdf", "Signed \xe2\x9c\x93"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(made.body), 201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), made.etag);
        CPPUNIT_ASSERT(made.headers.find("Location: /api/attachments/" + made.id()) != std::string::npos);
        CPPUNIT_ASSERT(AttachmentFixture::isFileId(made.id()));
        CPPUNIT_ASSERT_EQUAL(_contactId, made.text("contactId"));
        CPPUNIT_ASSERT_EQUAL(std::string("r\xc3\xa9sum\xc3\xa9.pdf"), made.text("fileName"));
        CPPUNIT_ASSERT_EQUAL(std::string("application/pdf"), made.text("contentType"));
        CPPUNIT_ASSERT_EQUAL(std::string("application/pdf"), made.text("declaredType"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, made.number("size"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{64}, made.text("sha256").size());
        CPPUNIT_ASSERT_EQUAL(std::string("Signed \xe2\x9c\x93"), made.text("description"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-21T09:00:00.000Z"), made.text("createdAt"));
        CPPUNIT_ASSERT_EQUAL(owner.principalId, made.text("createdBy"));
        CPPUNIT_ASSERT_EQUAL("/api/attachments/" + made.id(), made.text("downloadUrl"));
        CPPUNIT_ASSERT(!made.body.as_object().contains("blobKey"));
        CPPUNIT_ASSERT_EQUAL(std::string("%PDF-1.7 x"), download(made.id()));
    }

    void takesRawBodies()
    {
        const auto made = uploadRaw("notes.txt", "hello", "Application/PDF");
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string("notes.txt"), made.text("fileName"));
        CPPUNIT_ASSERT_EQUAL(std::string("text/plain"), made.text("contentType"));
        CPPUNIT_ASSERT_EQUAL(std::string("Application/PDF"), made.text("declaredType"));
        CPPUNIT_ASSERT_EQUAL(std::string(), made.text("description"));
        CPPUNIT_ASSERT_EQUAL(std::string("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"), made.text("sha256"));
        CPPUNIT_ASSERT_EQUAL(std::string("hello"), download(made.id()));
        const auto extended = uploadRaw("utf-8'en'na%C3%AFve%20%22x%22.csv", "a,b", "text/csv; charset=utf-8");
        CPPUNIT_ASSERT_EQUAL(std::string("na\xc3\xafve \"x\".csv"), extended.text("fileName"));
        CPPUNIT_ASSERT_EQUAL(std::string("text/csv"), extended.text("contentType"));
        CPPUNIT_ASSERT(uploadRaw("x", "y", std::string(300, 'x') + "/y")["declaredType"].is_null());
    }

    void takesEmptyFiles()
    {
        const auto made = uploadRaw("empty", "", "application/octet-stream");
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, made.number("size"));
        CPPUNIT_ASSERT_EQUAL(std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"), made.text("sha256"));
        CPPUNIT_ASSERT_EQUAL(std::string(), download(made.id()));
    }

    void cleansNames()
    {
        for (const auto& [sent, kept] :
             std::vector<std::pair<std::string, std::string>>{{"../../etc/passwd", "passwd"},
                                                              {"C:\\Users\\ada\\a b.txt", "a b.txt"},
                                                              {"  .profile  ", ".profile"},
                                                              {"\xe2\x80\xae"
                                                               "fdp.exe",
                                                               "fdp.exe"},
                                                              {"a\xe2\x81\xa6\xe2\x81\xa9\xc2\x85z.txt", "az.txt"},
                                                              {"%0d%0aSet-Cookie: x", "Set-Cookie: x"},
                                                              {"<script>.html", "<script>.html"}})
        {
            const auto made = upload(form(sent, "x"));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(sent, 201, made.status);
            CPPUNIT_ASSERT_EQUAL(kept, made.text("fileName"));
        }
        std::string longest;
        for (int i = 0; i < 255; ++i) longest += "\xc3\xa9";
        CPPUNIT_ASSERT_EQUAL(longest, upload(form(longest, "x")).text("fileName"));
        CPPUNIT_ASSERT_EQUAL(Names{"file too_long"}, upload(form(longest + "e", "x")).errors());
    }

    void refusesForms()
    {
        const auto part = [](const std::string& disposition, const std::string& content)
        { return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"; };
        const std::string end = "--b--\r\n", file = part("name=file; filename=a", "x");
        CPPUNIT_ASSERT_EQUAL(201, upload(file + end).status);
        CPPUNIT_ASSERT_EQUAL(Names{"file required"}, upload(end).errors());
        CPPUNIT_ASSERT_EQUAL(Names{"file required"}, upload(part("name=file", "x") + end).errors());
        CPPUNIT_ASSERT_EQUAL(Names{"file required"}, upload(part("name=file; filename=\"\"", "") + end).errors());
        CPPUNIT_ASSERT_EQUAL(Names{"file too_many_values"}, upload(file + file + end).errors());
        const auto unknown = upload(file + part("name=contactId", "x") + end);
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_field"), unknown.code());
        CPPUNIT_ASSERT_EQUAL(Names{"contactId unknown_field"}, unknown.errors());
        CPPUNIT_ASSERT_EQUAL(Names{" malformed_form"}, upload(file).errors());
        CPPUNIT_ASSERT_EQUAL(Names{"description too_long"}, upload(file + part("name=description", std::string(501, 'x')) + end).errors());
        CPPUNIT_ASSERT_EQUAL(Names{"description too_long"}, upload(file + part("name=description", std::string(5000, 'x')) + end).errors());
        CPPUNIT_ASSERT_EQUAL(Names{"description too_many_values"},
                             upload(file + part("name=description", "a") + part("name=description", "b") + end).errors());
        CPPUNIT_ASSERT_EQUAL(201, upload(file + part("name=description", std::string(500, 'x')) + end).status);
        CPPUNIT_ASSERT_EQUAL(Names{"description invalid_encoding"}, upload(file + part("name=description", "\xff") + end).errors());
        CPPUNIT_ASSERT_EQUAL(400, client->post(owner, _path + "?name=x", "x", {{"X-File-Name", "a"}}).status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, filesOf(owner));
    }

    void refusesNames()
    {
        CPPUNIT_ASSERT_EQUAL(Names{"X-File-Name required"}, client->post(owner, _path, "x").errors());
        for (const auto* name : {"..", "a/", "\xe2\x80\xae", " . "})
            CPPUNIT_ASSERT_EQUAL(Names{"X-File-Name required"}, uploadRaw(name, "x", "text/plain").errors());
        for (const auto* name : {"\xff", "UTF-8''%ff", "UTF-8'x", "UTF-8''%0"})
            CPPUNIT_ASSERT_EQUAL(Names{"X-File-Name invalid_encoding"}, uploadRaw(name, "x", "text/plain").errors());
        CPPUNIT_ASSERT_EQUAL(Names{"X-File-Name too_long"}, uploadRaw(std::string(256, 'x'), "x", "text/plain").errors());
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, filesOf(owner));
    }

    void keepsTheSizeLimit()
    {
        const std::string largest(1024 * 1024, 'x');
        CPPUNIT_ASSERT_EQUAL(201, uploadRaw("a", largest, "text/plain").status);
        CPPUNIT_ASSERT_EQUAL(201, upload(form("a", largest)).status);
        const std::string fields = R"({"fields":[{"field":"file","code":"too_large","limit":1048576}]})";
        for (const auto& refused : {uploadRaw("a", largest + "x", "text/plain"), upload(form("a", largest + "x"))})
        {
            CPPUNIT_ASSERT_EQUAL(413, refused.status);
            CPPUNIT_ASSERT_EQUAL(std::string("payload_too_large"), refused.code());
            CPPUNIT_ASSERT_EQUAL(fields, json::serialize(refused["details"]));
        }
        for (const auto& route : host->routes())
            if (route.method == Method::Post && route.pattern.ends_with("/attachments"))
                CPPUNIT_ASSERT_EQUAL(std::uint64_t{1024 * 1024}, route.bodyLimit);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, filesOf(owner));
    }

    void keepsTheNumberOfFiles()
    {
        restartWith({{"crm.attachments.perContact", "2"}});
        CPPUNIT_ASSERT_EQUAL(201, uploadRaw("a", "1", "text/plain").status);
        const auto second = uploadRaw("b", "2", "text/plain");
        CPPUNIT_ASSERT_EQUAL(Names{"file limit_reached"}, uploadRaw("c", "3", "text/plain").errors());
        client->del(owner, second.text("downloadUrl"));
        CPPUNIT_ASSERT_EQUAL(201, uploadRaw("c", "3", "text/plain").status);
    }

    void keepsTheQuota()
    {
        restartWith({{"crm.attachments.quotaMebibytes", "1"}});
        const std::string half(600 * 1024, 'x');
        CPPUNIT_ASSERT_EQUAL(201, uploadRaw("a", half, "text/plain").status);
        const auto refused = uploadRaw("b", half, "text/plain");
        CPPUNIT_ASSERT_EQUAL(413, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"fields":[{"field":"file","code":"quota_exceeded"}]})"), json::serialize(refused["details"]));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, filesOf(owner));
        // Others have their own room.
        const auto path = "/api/contacts/" + client->post(stranger, "/api/contacts", R"({"firstName":"Eve"})").id() + "/attachments";
        CPPUNIT_ASSERT_EQUAL(201, client->post(stranger, path, half, {{"X-File-Name", "a"}}).status);
    }

    void keepsTheHostsQuota()
    {
        settings.blobQuotaBytesPerScope = 1'000;
        restartWith({});
        const auto refused = uploadRaw("b", std::string(1'001, 'x'), "text/plain");
        CPPUNIT_ASSERT_EQUAL(413, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"fields":[{"field":"file","code":"quota_exceeded"}]})"), json::serialize(refused["details"]));
        CPPUNIT_ASSERT_EQUAL(201, uploadRaw("b", std::string(1'000, 'x'), "text/plain").status);
    }

    void downloadsHarmlessly()
    {
        const auto made = upload(form("\xc3\xa9vil\".html", "<!DOCTYPE html><script>alert(1)</script>", "text/plain"));
        CPPUNIT_ASSERT_EQUAL(std::string("text/html"), made.text("contentType"));
        auto response = host->call(Method::Get, made.text("downloadUrl"), {}, owner);
        CPPUNIT_ASSERT_EQUAL(200, response.status);
        CPPUNIT_ASSERT_EQUAL(std::string("text/html"), response.contentType);
        CPPUNIT_ASSERT_EQUAL('"' + made.text("sha256") + '"', response.etag);
        CPPUNIT_ASSERT_EQUAL(std::string("Content-Disposition: attachment; filename=\"__vil_.html\"; filename*=UTF-8''%C3%A9vil%22.html\r\n"
                                         "Content-Security-Policy: sandbox\r\n"),
                             response.headerBlock());
        CPPUNIT_ASSERT(response.file.has_value());
        for (const auto& route : host->routes())
            if (route.method == Method::Get && route.pattern == "/api/attachments/{id}")
                CPPUNIT_ASSERT_EQUAL(std::string("private, no-cache"), route.cacheControl);
    }

    void lists()
    {
        for (const auto* name : {"a", "b", "c", "d", "e"})
        {
            // b and c have the same time.
            if (*name != 'c') clock().advance(std::chrono::seconds(1));
            uploadRaw(name, name, "text/plain");
        }
        const auto all = namesIn(client->get(owner, _path));
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, all.size());
        CPPUNIT_ASSERT_EQUAL(std::string("e"), all.front());
        CPPUNIT_ASSERT_EQUAL(std::string("a"), all.back());
        for (const auto* limit : {"1", "2", "3", "5"})
        {
            Names found;
            std::string cursor;
            for (int page = 0; page < 6; ++page)
            {
                const auto answer = client->get(owner, _path + "?include=total&limit=" + limit + cursor);
                CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, answer.number("total"));
                for (const auto& name : namesIn(answer)) found.push_back(name);
                if (answer["nextCursor"].is_null()) break;
                cursor = "&cursor=" + answer.text("nextCursor");
            }
            CPPUNIT_ASSERT_EQUAL(all, found);
        }
        CPPUNIT_ASSERT_EQUAL(400, client->get(owner, _path + "?sort=size").status);
        CPPUNIT_ASSERT_EQUAL(404, client->get(owner, "/api/contacts/con_" + makeUlid(Instant{}) + "/attachments").status);
    }

    void deletes()
    {
        const auto made = uploadRaw("a", "hello", "text/plain");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, attachmentCount());
        CPPUNIT_ASSERT_EQUAL(412, client->del(owner, made.text("downloadUrl"), {{"If-Match", "\"2\""}}).status);
        const auto gone = client->del(owner, made.text("downloadUrl"), {{"If-Match", "\"1\""}});
        CPPUNIT_ASSERT_EQUAL(R"({"id":")" + made.id() + R"(","deleted":true})", json::serialize(gone.body));
        CPPUNIT_ASSERT_EQUAL(404, client->del(owner, made.text("downloadUrl")).status);
        CPPUNIT_ASSERT_EQUAL(404, client->get(owner, made.text("downloadUrl")).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, attachmentCount());
        // Of what was downloaded one knows the tag of its bytes.
        const auto other = uploadRaw("b", "hello", "text/plain");
        const auto tag = '"' + other.text("sha256") + '"', wrong = '"' + std::string(64, '0') + '"';
        CPPUNIT_ASSERT_EQUAL(412, client->del(owner, other.text("downloadUrl"), {{"If-Match", wrong}}).status);
        CPPUNIT_ASSERT_EQUAL(200, client->del(owner, other.text("downloadUrl"), {{"If-Match", tag}}).status);
    }

    void belongsToOneOrganization()
    {
        const auto made = uploadRaw("a", "hello", "text/plain");
        for (const auto& target : {made.text("downloadUrl"), _path, _contact})
            CPPUNIT_ASSERT_EQUAL(404, client->get(stranger, target).status);
        CPPUNIT_ASSERT_EQUAL(404, client->del(stranger, made.text("downloadUrl")).status);
        CPPUNIT_ASSERT_EQUAL(404, client->post(stranger, _path, "x", {{"X-File-Name", "a"}}).status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, filesOf(stranger));
        CPPUNIT_ASSERT_EQUAL(std::string("hello"), download(made.id()));
        CPPUNIT_ASSERT_EQUAL(404, client->get(owner, "/api/attachments/fil_" + makeUlid(Instant{})).status);
        CPPUNIT_ASSERT_EQUAL(404, client->get(owner, "/api/attachments/x").status);
    }

    void needsPermissionAndScope()
    {
        const auto made = uploadRaw("a", "hello", "text/plain");
        auto reader = owner;
        std::erase(reader.permissions, "crm.attachments:write");
        CPPUNIT_ASSERT_EQUAL(200, client->get(reader, _path).status);
        CPPUNIT_ASSERT_EQUAL(403, client->del(reader, made.text("downloadUrl")).status);
        CPPUNIT_ASSERT_EQUAL(403, client->post(reader, _path, "x", {{"X-File-Name", "a"}}).status);
        std::erase(reader.permissions, "crm.attachments:read");
        CPPUNIT_ASSERT_EQUAL(403, client->get(reader, _path).status);
        CPPUNIT_ASSERT_EQUAL(403, client->get(reader, made.text("downloadUrl")).status);
        auto key = testing::keyOf(owner.organizationId, owner.permissions, {"attachments.read"});
        CPPUNIT_ASSERT_EQUAL(200, client->get(key, _path).status);
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"), client->del(key, made.text("downloadUrl")).code());
    }

    void countsUnderLoad()
    {
        std::atomic<int> failures{0};
        runTogether(5,
                    [&](int)
                    {
                        for (int k = 0; k < 6; ++k)
                        {
                            const auto made = uploadRaw("a", "hello", "text/plain");
                            if (made.status != 201) ++failures;
                            if (k % 2 == 0 && client->del(owner, made.text("downloadUrl")).status != 200) ++failures;
                            if (client->put(owner, _contact, R"({"jobTitle":")" + std::to_string(k) + "\"}").status != 200) ++failures;
                        }
                    });
        CPPUNIT_ASSERT_EQUAL(0, failures.load());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{15}, attachmentCount());
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t{15}, filesOf(owner));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, unownedBlobs());
    }

    void fillsTheLastPlaceOnce()
    {
        restartWith({{"crm.attachments.perContact", "3"}});
        std::atomic<int> accepted{0}, refused{0};
        runTogether(8,
                    [&](int)
                    {
                        const auto status = uploadRaw("a", "hello", "text/plain").status;
                        if (status == 201) ++accepted;
                        if (status == 400) ++refused;
                    });
        CPPUNIT_ASSERT_EQUAL(3, accepted.load());
        CPPUNIT_ASSERT_EQUAL(5, refused.load());
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, filesOf(owner));
    }

    void tellsOfNewAttachments()
    {
        const auto made = uploadRaw("secret.txt", "hello", "text/plain");
        CPPUNIT_ASSERT_EQUAL(R"({"attachmentId":")" + made.id() + R"(","contactId":")" + _contactId + R"(","organizationId":")" +
                                 owner.organizationId + "\"}",
                             lastEvent("crm.attachment.created"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, eventTypes(owner).size());
    }

    void includesAttachmentsInTheContact()
    {
        const auto made = uploadRaw("a", "hello", "text/plain");
        const auto shown = client->get(owner, _contact + "?include=attachments,notes");
        CPPUNIT_ASSERT_EQUAL(json::serialize(made.body), json::serialize(shown["attachments"].at(0)));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, shown["counts"].at("attachments").as_int64());
        CPPUNIT_ASSERT(!client->get(owner, _contact).body.as_object().contains("attachments"));
        // What was read can be sent back.
        CPPUNIT_ASSERT_EQUAL(200, client->put(owner, _contact, json::serialize(shown.body)).status);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(AttachmentTest);

} // namespace portico::tests
