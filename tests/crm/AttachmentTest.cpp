#include "crm/AttachmentFixture.h"
#include "support/Together.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;

/// Routes of attachments: accepted and rejected uploads, and downloads.
class AttachmentTest : public Suite<AttachmentTest, AttachmentFixture>
{
    TEST(takesForms)
    {
        const auto made = upload(form("r\xc3\xa9sum\xc3\xa9.pdf", "%PDF-1.7 x", "application/pdf", "Signed \xe2\x9c\x93"));
        equal(201, made.status, made.body);
        equal("\"1\"", made.etag);
        CHECK(made.headerBlock().find("Location: /api/attachments/" + made.at("/id")) != std::string::npos);
        CHECK(AttachmentFixture::isFileId(made.at("/id")));
        equal(_contactId, made.at("/contactId"));
        equal("r\xc3\xa9sum\xc3\xa9.pdf", made.at("/fileName"));
        equal("application/pdf", made.at("/contentType"));
        equal("application/pdf", made.at("/declaredType"));
        equal("10", made.at("/size"));
        equal(64, made.at("/sha256").size());
        equal("Signed \xe2\x9c\x93", made.at("/description"));
        equal("2026-11-21T09:00:00.000Z", made.at("/createdAt"));
        equal(owner.principalId, made.at("/createdBy"));
        equal("/api/attachments/" + made.at("/id"), made.at("/downloadUrl"));
        CHECK(!made.has("/blobKey"));
        equal("%PDF-1.7 x", download(made.at("/id")));
    }

    TEST(takesRawBodies)
    {
        const auto made = uploadRaw("notes.txt", "hello", "Application/PDF");
        equal(201, made.status);
        equal("notes.txt", made.at("/fileName"));
        equal("text/plain", made.at("/contentType"));
        equal("Application/PDF", made.at("/declaredType"));
        equal("", made.at("/description"));
        equal("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", made.at("/sha256"));
        equal("hello", download(made.at("/id")));
        const auto extended = uploadRaw("utf-8'en'na%C3%AFve%20%22x%22.csv", "a,b", "text/csv; charset=utf-8");
        equal("na\xc3\xafve \"x\".csv", extended.at("/fileName"));
        equal("text/csv", extended.at("/contentType"));
        equal("null", uploadRaw("x", "y", std::string(300, 'x') + "/y").at("/declaredType"));
    }

    TEST(takesEmptyFiles)
    {
        const auto made = uploadRaw("empty", "", "application/octet-stream");
        equal(201, made.status);
        equal("0", made.at("/size"));
        equal("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", made.at("/sha256"));
        equal("", download(made.at("/id")));
    }

    TEST(cleansNames)
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
            equal(201, made.status, sent);
            equal(kept, made.at("/fileName"));
        }
        std::string longest;
        for (int i = 0; i < 255; ++i) longest += "\xc3\xa9";
        equal(longest, upload(form(longest, "x")).at("/fileName"));
        equal({"file too_long"}, upload(form(longest + "e", "x")).errors());
    }

    TEST(refusesForms)
    {
        const auto part = [](const std::string& disposition, const std::string& content)
        { return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"; };
        const std::string end = "--b--\r\n", file = part("name=file; filename=a", "x");
        equal(201, upload(file + end).status);
        equal({"file required"}, upload(end).errors());
        equal({"file required"}, upload(part("name=file", "x") + end).errors());
        equal({"file required"}, upload(part("name=file; filename=\"\"", "") + end).errors());
        equal({"file too_many_values"}, upload(file + file + end).errors());
        const auto unknown = upload(file + part("name=contactId", "x") + end);
        equal("unknown_field", unknown.code());
        equal({"contactId unknown_field"}, unknown.errors());
        equal({" malformed_form"}, upload(file).errors());
        equal({"description too_long"}, upload(file + part("name=description", std::string(501, 'x')) + end).errors());
        equal({"description too_long"}, upload(file + part("name=description", std::string(5000, 'x')) + end).errors());
        equal({"description too_many_values"}, upload(file + part("name=description", "a") + part("name=description", "b") + end).errors());
        equal(201, upload(file + part("name=description", std::string(500, 'x')) + end).status);
        equal({"description invalid_encoding"}, upload(file + part("name=description", "\xff") + end).errors());
        equal(400, client->post(owner, _path + "?name=x", "x", {{"X-File-Name", "a"}}).status);
        equal(2, filesOf(owner));
    }

    TEST(refusesNames)
    {
        equal({"X-File-Name required"}, client->post(owner, _path, "x").errors());
        for (const auto* name : {"..", "a/", "\xe2\x80\xae", " . "})
            equal({"X-File-Name required"}, uploadRaw(name, "x", "text/plain").errors());
        for (const auto* name : {"\xff", "UTF-8''%ff", "UTF-8'x", "UTF-8''%0"})
            equal({"X-File-Name invalid_encoding"}, uploadRaw(name, "x", "text/plain").errors());
        equal({"X-File-Name too_long"}, uploadRaw(std::string(256, 'x'), "x", "text/plain").errors());
        equal(0, filesOf(owner));
    }

    TEST(keepsTheSizeLimit)
    {
        const std::string largest(1024 * 1024, 'x');
        equal(201, uploadRaw("a", largest, "text/plain").status);
        equal(201, upload(form("a", largest)).status);
        const std::string fields = R"({"fields":[{"field":"file","code":"too_large","limit":1048576}]})";
        for (const auto& answer : {uploadRaw("a", largest + "x", "text/plain"), upload(form("a", largest + "x"))})
        {
            refused(answer, 413, "payload_too_large");
            equal(fields, answer.at("/details"));
        }
        for (const auto& route : host->routes())
            if (route.method == Method::Post && route.pattern.ends_with("/attachments")) equal(std::uint64_t{1024 * 1024}, route.bodyLimit);
        equal(2, filesOf(owner));
    }

    TEST(keepsTheNumberOfFiles)
    {
        restartWith({{"crm.attachments.perContact", "2"}});
        equal(201, uploadRaw("a", "1", "text/plain").status);
        const auto second = uploadRaw("b", "2", "text/plain");
        equal({"file limit_reached"}, uploadRaw("c", "3", "text/plain").errors());
        client->del(owner, second.at("/downloadUrl"));
        equal(201, uploadRaw("c", "3", "text/plain").status);
    }

    TEST(keepsTheQuota)
    {
        restartWith({{"crm.attachments.quotaMebibytes", "1"}});
        const std::string half(600 * 1024, 'x');
        equal(201, uploadRaw("a", half, "text/plain").status);
        const auto refused = uploadRaw("b", half, "text/plain");
        equal(413, refused.status);
        equal(R"({"fields":[{"field":"file","code":"quota_exceeded"}]})", refused.at("/details"));
        equal(1, filesOf(owner));
        // Others have their own room.
        const auto path = "/api/contacts/" + client->post(stranger, "/api/contacts", R"({"firstName":"Eve"})").at("/id") + "/attachments";
        equal(201, client->post(stranger, path, half, {{"X-File-Name", "a"}}).status);
    }

    TEST(keepsTheHostsQuota)
    {
        settings.blobQuotaBytesPerScope = 1'000;
        restartWith({});
        const auto refused = uploadRaw("b", std::string(1'001, 'x'), "text/plain");
        equal(413, refused.status);
        equal(R"({"fields":[{"field":"file","code":"quota_exceeded"}]})", refused.at("/details"));
        equal(201, uploadRaw("b", std::string(1'000, 'x'), "text/plain").status);
    }

    TEST(downloadsHarmlessly)
    {
        const auto made = upload(form("\xc3\xa9vil\".html", "<!DOCTYPE html><script>alert(1)</script>", "text/plain"));
        equal("text/html", made.at("/contentType"));
        auto response = host->call(Method::Get, made.at("/downloadUrl"), {}, owner);
        equal(200, response.status);
        equal("text/html", response.contentType);
        equal('"' + made.at("/sha256") + '"', response.etag);
        equal("Content-Disposition: attachment; filename=\"__vil_.html\"; filename*=UTF-8''%C3%A9vil%22.html\r\n"
              "Content-Security-Policy: sandbox\r\n",
              response.headerBlock());
        CHECK(response.file.has_value());
        for (const auto& route : host->routes())
            if (route.method == Method::Get && route.pattern == "/api/attachments/{id}") equal("private, no-cache", route.cacheControl);
    }

    TEST(lists)
    {
        for (const auto* name : {"a", "b", "c", "d", "e"})
        {
            // b and c have the same time.
            if (*name != 'c') clock().advance(std::chrono::seconds(1));
            uploadRaw(name, name, "text/plain");
        }
        const auto all = namesIn(client->get(owner, _path));
        equal(5, all.size());
        equal("e", all.front());
        equal("a", all.back());
        for (const auto* limit : {"1", "2", "3", "5"})
        {
            Names found;
            std::string cursor;
            for (int page = 0; page < 6; ++page)
            {
                const auto answer = client->get(owner, _path + "?include=total&limit=" + limit + cursor);
                equal("5", answer.at("/total"));
                for (const auto& name : namesIn(answer)) found.push_back(name);
                if (answer.at("/nextCursor") == "null") break;
                cursor = "&cursor=" + answer.at("/nextCursor");
            }
            equal(all, found);
        }
        equal(400, client->get(owner, _path + "?sort=size").status);
        equal(404, client->get(owner, "/api/contacts/con_" + makeUlid(Instant{}) + "/attachments").status);
    }

    TEST(deletes)
    {
        const auto made = uploadRaw("a", "hello", "text/plain");
        equal(1, attachmentCount());
        equal(412, client->del(owner, made.at("/downloadUrl"), {{"If-Match", "\"2\""}}).status);
        const auto gone = client->del(owner, made.at("/downloadUrl"), {{"If-Match", "\"1\""}});
        equal(jsonWith(R"({"id":"$","deleted":true})", made.at("/id")), gone.at(""));
        equal(404, client->del(owner, made.at("/downloadUrl")).status);
        equal(404, client->get(owner, made.at("/downloadUrl")).status);
        equal(0, attachmentCount());
        // The ETag of a download is its hash, which If-Match accepts.
        const auto other = uploadRaw("b", "hello", "text/plain");
        const auto tag = '"' + other.at("/sha256") + '"', wrong = '"' + std::string(64, '0') + '"';
        equal(412, client->del(owner, other.at("/downloadUrl"), {{"If-Match", wrong}}).status);
        equal(200, client->del(owner, other.at("/downloadUrl"), {{"If-Match", tag}}).status);
    }

    TEST(belongsToOneOrganization)
    {
        const auto made = uploadRaw("a", "hello", "text/plain");
        for (const auto& target : {made.at("/downloadUrl"), _path, _contact}) equal(404, client->get(stranger, target).status);
        equal(404, client->del(stranger, made.at("/downloadUrl")).status);
        equal(404, client->post(stranger, _path, "x", {{"X-File-Name", "a"}}).status);
        equal(0, filesOf(stranger));
        equal("hello", download(made.at("/id")));
        equal(404, client->get(owner, "/api/attachments/fil_" + makeUlid(Instant{})).status);
        equal(404, client->get(owner, "/api/attachments/x").status);
    }

    TEST(needsPermissionAndScope)
    {
        const auto made = uploadRaw("a", "hello", "text/plain");
        auto reader = owner;
        std::erase(reader.permissions, "crm.attachments:write");
        equal(200, client->get(reader, _path).status);
        equal(403, client->del(reader, made.at("/downloadUrl")).status);
        equal(403, client->post(reader, _path, "x", {{"X-File-Name", "a"}}).status);
        std::erase(reader.permissions, "crm.attachments:read");
        equal(403, client->get(reader, _path).status);
        equal(403, client->get(reader, made.at("/downloadUrl")).status);
        auto key = testing::keyOf(owner.organizationId, owner.permissions, {"attachments.read"});
        equal(200, client->get(key, _path).status);
        equal("insufficient_scope", client->del(key, made.at("/downloadUrl")).code());
    }

    TEST(countsUnderLoad)
    {
        std::atomic<int> failures{0};
        runTogether(5,
                    [&](int)
                    {
                        for (int k = 0; k < 6; ++k)
                        {
                            const auto made = uploadRaw("a", "hello", "text/plain");
                            if (made.status != 201) ++failures;
                            if (k % 2 == 0 && client->del(owner, made.at("/downloadUrl")).status != 200) ++failures;
                            if (client->put(owner, _contact, jsonWith(R"({"jobTitle":"$"})", k)).status != 200) ++failures;
                        }
                    });
        equal(0, failures.load());
        equal(15, attachmentCount());
        host->context().jobs().runDue();
        equal(15, filesOf(owner));
        equal(0, unownedBlobs());
    }

    TEST(fillsTheLastPlaceOnce)
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
        equal(3, accepted.load());
        equal(5, refused.load());
        host->context().jobs().runDue();
        equal(3, filesOf(owner));
    }

    TEST(newAttachmentsPublishEvents)
    {
        const auto made = uploadRaw("secret.txt", "hello", "text/plain");
        equal(jsonWith(R"({"attachmentId":"$","contactId":"$","organizationId":"$"})", made.at("/id"), _contactId, owner.organizationId),
              lastEvent("crm.attachment.created"));
        equal(2, eventTypes(owner).size());
    }

    TEST(includesAttachmentsInTheContact)
    {
        const auto made = uploadRaw("a", "hello", "text/plain");
        const auto shown = client->get(owner, _contact + "?include=attachments,notes");
        equal(made.at(""), shown.at("/attachments/0"));
        equal("1", shown.at("/counts/attachments"));
        CHECK(!client->get(owner, _contact).has("/attachments"));
        // An answer can be sent back unchanged.
        equal(200, client->put(owner, _contact, shown.at("")).status);
    }
};

} // namespace portico::tests
