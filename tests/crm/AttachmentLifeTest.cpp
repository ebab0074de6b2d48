#include "crm/AttachmentFixture.h"
#include "support/Together.h"

#include "attachments/AttachmentService.h"

#include "portico/Problem.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;
using namespace std::chrono_literals;

/// Files after deletions, moves and failures: every blob belongs to an attachment or is removed.
class AttachmentLifeTest : public Suite<AttachmentLifeTest, AttachmentFixture>
{
    void setUp() override
    {
        AttachmentFixture::setUp();
        makeService();
    }

    void tearDown() override
    {
        _service.reset();
        AttachmentFixture::tearDown();
    }

    TEST(removesTheFileOfADeletedAttachment)
    {
        const auto made = uploadRaw("a", "hello", "text/plain");
        const auto other = uploadRaw("b", "hello", "text/plain");
        equal(0, unownedBlobs());
        client->del(owner, made.at("/downloadUrl"));
        equal(1, unownedBlobs());
        equal(10, usedBytes());
        runJobs();
        equal(0, unownedBlobs());
        equal(5, usedBytes());
        equal("hello", download(other.at("/id")));
    }

    TEST(deletesOnce)
    {
        const auto made = uploadRaw("a", "hello", "text/plain");
        std::atomic<int> deleted{0};
        runTogether(4, [&](int) { deleted += client->del(owner, made.at("/downloadUrl")).status == 200 ? 1 : 0; });
        equal(1, deleted.load());
        equal(0, attachmentCount());
        runJobs();
        equal(0, usedBytes());
    }

    TEST(deletesWhileTheContactIsPurged)
    {
        const auto admin = withPermission(owner, "crm.contacts:purge");
        for (int turn = 0; turn < 5; ++turn)
        {
            makeContact();
            const auto made = uploadRaw("a", "hello", "text/plain");
            std::atomic<int> strange{0};
            runTogether(3,
                        [&](int number)
                        {
                            const auto status = number == 0   ? client->del(admin, _contact + "?permanent=true").status
                                                : number == 1 ? client->del(owner, made.at("/downloadUrl")).status
                                                              : uploadRaw("b", "world", "text/plain").status;
                            if (status != 200 && status != 201 && status != 404) ++strange;
                        });
            equal(0, strange.load());
            equal(404, client->get(owner, _contact).status);
        }
        runJobs();
        equal(0, usedBytes());
        equal(0, unownedBlobs());
    }

    TEST(keepsFilesOfDeletedContacts)
    {
        const auto made = uploadRaw("a", "hello", "text/plain");
        client->del(owner, _contact);
        equal(404, client->get(owner, made.at("/downloadUrl")).status);
        equal(404, client->del(owner, made.at("/downloadUrl")).status);
        equal(404, client->get(owner, _path).status);
        equal(404, uploadRaw("b", "hello", "text/plain").status);
        runJobs();
        equal(5, usedBytes());
        client->post(owner, _contact + "/restore", "{}");
        equal("hello", download(made.at("/id")));
        equal(1, attachmentCount());
    }

    TEST(removesFilesOfPurgedContacts)
    {
        uploadRaw("a", "hello", "text/plain");
        uploadRaw("b", "world", "text/plain");
        const auto admin = withPermission(owner, "crm.contacts:purge");
        equal(200, client->del(admin, _contact + "?permanent=true").status);
        equal(2, unownedBlobs());
        runJobs();
        equal(0, usedBytes());
        equal(0, unownedBlobs());
    }

    TEST(removesFilesOfExpiredContacts)
    {
        uploadRaw("a", "hello", "text/plain");
        client->del(owner, _contact);
        clock().advance(30 * 24h - 1s);
        runJobs();
        equal(5, usedBytes());
        clock().advance(2h);
        runJobs();
        equal(0, usedBytes());
        equal(0, unownedBlobs());
    }

    /// The contact is deleted while its file is being written.
    TEST(leavesNothingWhenTheContactGoes)
    {
        auto staged = stage("hello");
        client->del(owner, _contact);
        equal(404, statusOfAttach(staged));
        _service->discard(owner.tenant(), staged);
        runJobs();
        equal(0, usedBytes());
        equal(0, unownedBlobs());
    }

    /// The process dies between the blob and its row: the blob is deleted an hour later.
    TEST(leavesNothingAfterACrash)
    {
        stage("hello");
        equal(5, usedBytes());
        clock().advance(59min);
        runJobs();
        equal(5, usedBytes());
        clock().advance(17min);
        runJobs();
        equal(0, usedBytes());
        equal(0, unownedBlobs());
    }

    TEST(refusesWhatWasStagedTooLongAgo)
    {
        auto staged = stage("hello");
        clock().advance(2h);
        runJobs();
        equal(503, statusOfAttach(staged));
        equal(0, attachmentCount());
        equal(0, filesOf(owner));
    }

    /// The connection broke after the commit: the outcome is unknown, and the file must be kept.
    TEST(keepsTheFileWhenACommitOnlySeemedToFail)
    {
        auto staged = stage("hello");
        equal(0, statusOfAttach(staged));
        _service->discard(owner.tenant(), staged);
        clock().advance(2h);
        runJobs();
        equal("hello", download(staged.id.text()));
    }

    /// A sweep was cut off after it had removed the file.
    TEST(sweepsAfterFilesThatAreGone)
    {
        const auto staged = stage("hello");
        host->context().blobs().remove(staged.blobKey);
        clock().advance(2h);
        runJobs();
        equal(0, unownedBlobs());
        CHECK(host->context().jobs().failures().empty());
    }

    TEST(reportsALostFile)
    {
        auto staged = stage("hello");
        statusOfAttach(staged);
        host->context().blobs().remove(staged.blobKey);
        equal(500, client->get(owner, "/api/attachments/" + staged.id.text()).status);
        equal(200, client->del(owner, "/api/attachments/" + staged.id.text()).status);
    }

    TEST(storesPhotos)
    {
        const auto photo = storePhoto();
        const auto shown = client->get(owner, _contact + "?include=attachments");
        equal(photo, shown.at("/photoAttachmentId"));
        equal("photo.jpg", shown.at("/attachments/0/fileName"));
        equal("image/jpeg", shown.at("/attachments/0/contentType"));
        equal("null", shown.at("/attachments/0/declaredType"));
        equal(1, attachmentCount());
        equal({"crm.contact.created"}, eventTypes(owner));
        // Clients read it and cannot set it.
        equal(photo, client->put(owner, _contact, R"({"photoAttachmentId":null})").at("/photoAttachmentId"));
    }

    TEST(forgetsADeletedPhoto)
    {
        const auto photo = storePhoto();
        clock().advance(1s);
        equal(200, client->del(owner, "/api/attachments/" + photo).status);
        const auto shown = client->get(owner, _contact);
        equal("null", shown.at("/photoAttachmentId"));
        equal("2", shown.at("/version"));
        equal(jsonWith(R"({"contactId":"$","organizationId":"$","changedFields":["photoAttachmentId"]})", _contactId, owner.organizationId),
              lastEvent("crm.contact.updated"));
    }

    TEST(refusesPhotosThatAreNone)
    {
        const auto take = [&](const std::string& bytes) { return _service->stagePhoto(owner.tenant(), "usr_1", bytes).has_value(); };
        const std::string start = "\x89PNG\r\n\x1a\n";
        CHECK(take(start) && take(start + std::string(1024 * 1024 - start.size(), 'x')));
        CHECK(!take("") && !take("<svg onload=\"x\">") && !take("%PDF-") && !take(start + std::string(1024 * 1024, 'x')));
    }

    TEST(movesToAnotherContactAndBack)
    {
        const auto first = uploadRaw("a", "1", "text/plain");
        clock().advance(1ms);
        const auto second = uploadRaw("b", "2", "text/plain");
        const auto source = *crm::ContactId::parse(_contactId), target = *crm::ContactId::parse(newContact("Grace"));
        clock().advance(1s);
        const auto moved = database().transact(
            [&](Transaction& transaction) { return crm::reassignAttachments(transaction, owner.tenant(), source, target, clock().now()); });
        equal(2, moved.size());
        equal(0, attachmentCount());
        const auto list = client->get(owner, "/api/contacts/" + target.text() + "/attachments");
        equal({"b", "a"}, namesIn(list));
        equal("2", list.at("/items/0/version"));
        equal("2026-11-21T09:00:01.001Z", list.at("/items/0/updatedAt"));
        equal("1", download(first.at("/id")));

        // Attachments that the target has deleted are not restored, and its other attachments stay. Other organizations are not affected.
        client->del(owner, second.at("/downloadUrl"));
        const auto own = client->post(owner, "/api/contacts/" + target.text() + "/attachments", "3", {{"X-File-Name", "c"}});
        for (const auto tenant : {stranger.tenant(), owner.tenant()})
            database().transact([&](Transaction& transaction)
                                { crm::moveAttachments(transaction, tenant, moved, target, source, clock().now()); });
        equal({"a"}, namesIn(client->get(owner, _path)));
        equal(1, attachmentCount());
        const auto shown = client->get(owner, "/api/contacts/" + target.text() + "?include=attachments");
        equal("1", shown.at("/counts/attachments"));
        equal(own.at("/id"), shown.at("/attachments/0/id"));
    }

    /// A file as the host hands it over.
    class Content final : public ReceivedFile
    {
    public:
        explicit Content(std::string bytes) : _bytes(std::move(bytes)) {}
        std::uint64_t size() const noexcept override { return _bytes.size(); }
        std::size_t read(std::uint64_t offset, std::span<char> buffer) const override
        {
            return offset < _bytes.size() ? _bytes.copy(buffer.data(), buffer.size(), static_cast<std::size_t>(offset)) : 0;
        }

    private:
        std::string _bytes;
    };

    /// The service's own object is out of reach; all state is in the database.
    void makeService() { _service = std::make_unique<crm::AttachmentService>(host->context(), crm::AttachmentSettings{}); }
    crm::Attachment stage(const std::string& bytes)
    {
        const Content content(bytes);
        return _service->stage(owner.tenant(), owner.principalId, {"a", std::nullopt, {}, &content});
    }
    /// 0: done.
    int statusOfAttach(crm::Attachment& staged)
    {
        try
        {
            database().transact([&](Transaction& transaction)
                                { _service->attach(transaction, owner.tenant(), *crm::ContactId::parse(_contactId), staged); });
            return 0;
        }
        catch (const Problem& problem)
        {
            return problem.status();
        }
    }
    /// Stores a photo like an import does for a new contact.
    std::string storePhoto()
    {
        auto staged = *_service->stagePhoto(owner.tenant(), owner.principalId, "\xff\xd8\xff\xe0 picture");
        database().transact(
            [&](Transaction& transaction)
            {
                const auto before = *_contacts.load(transaction, owner.tenant(), *crm::ContactId::parse(_contactId));
                auto after = before;
                after.photoAttachmentId = staged.id;
                _contacts.update(transaction, owner.tenant(), before, after);
                _service->attach(transaction, owner.tenant(), after.id, staged);
            });
        return staged.id.text();
    }
    void runJobs() const { host->context().jobs().runDue(); }
    std::uint64_t usedBytes() const { return host->context().blobs().usedBytes(owner.organizationId); }

    crm::ContactStore _contacts;
    std::unique_ptr<crm::AttachmentService> _service;
};

} // namespace portico::tests
