#include "crm/AttachmentFixture.h"
#include "crm/Together.h"

#include "attachments/AttachmentService.h"

#include "portico/Problem.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;
using namespace std::chrono_literals;

/// What becomes of files when something is deleted, moved, or goes wrong: every blob belongs to an attachment or goes.
template <class Engine>
class AttachmentLifeTest : public AttachmentFixture<Engine>
{
    CPPUNIT_TEST_SUITE(AttachmentLifeTest);
    CPPUNIT_TEST(removesTheFileOfADeletedAttachment);
    CPPUNIT_TEST(deletesOnce);
    CPPUNIT_TEST(deletesWhileTheContactIsPurged);
    CPPUNIT_TEST(keepsFilesOfDeletedContacts);
    CPPUNIT_TEST(removesFilesOfPurgedContacts);
    CPPUNIT_TEST(removesFilesOfExpiredContacts);
    CPPUNIT_TEST(leavesNothingWhenTheContactGoes);
    CPPUNIT_TEST(leavesNothingAfterACrash);
    CPPUNIT_TEST(refusesWhatWasStagedTooLongAgo);
    CPPUNIT_TEST(keepsTheFileWhenACommitOnlySeemedToFail);
    CPPUNIT_TEST(sweepsAfterFilesThatAreGone);
    CPPUNIT_TEST(tellsOfALostFile);
    CPPUNIT_TEST(storesPhotos);
    CPPUNIT_TEST(forgetsADeletedPhoto);
    CPPUNIT_TEST(refusesPhotosThatAreNone);
    CPPUNIT_TEST(movesToAnotherContactAndBack);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        AttachmentFixture<Engine>::setUp();
        makeService();
    }

    void tearDown() override
    {
        _service.reset();
        AttachmentFixture<Engine>::tearDown();
    }

    void removesTheFileOfADeletedAttachment()
    {
        const auto made = this->uploadRaw("a", "hello", "text/plain");
        const auto other = this->uploadRaw("b", "hello", "text/plain");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, this->unownedBlobs());
        this->client->del(this->owner, made.text("downloadUrl"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, this->unownedBlobs());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{10}, usedBytes());
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, this->unownedBlobs());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{5}, usedBytes());
        CPPUNIT_ASSERT_EQUAL(std::string("hello"), this->download(other.id()));
    }

    void deletesOnce()
    {
        const auto made = this->uploadRaw("a", "hello", "text/plain");
        std::atomic<int> deleted{0};
        runTogether(4, [&](int) { deleted += this->client->del(this->owner, made.text("downloadUrl")).status == 200 ? 1 : 0; });
        CPPUNIT_ASSERT_EQUAL(1, deleted.load());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, this->attachmentCount());
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, usedBytes());
    }

    void deletesWhileTheContactIsPurged()
    {
        const auto admin = this->withPermission(this->owner, "crm.contacts:purge");
        for (int turn = 0; turn < 5; ++turn)
        {
            this->makeContact();
            const auto made = this->uploadRaw("a", "hello", "text/plain");
            std::atomic<int> strange{0};
            runTogether(3,
                        [&](int number)
                        {
                            const auto status = number == 0   ? this->client->del(admin, this->_contact + "?permanent=true").status
                                                : number == 1 ? this->client->del(this->owner, made.text("downloadUrl")).status
                                                              : this->uploadRaw("b", "world", "text/plain").status;
                            if (status != 200 && status != 201 && status != 404) ++strange;
                        });
            CPPUNIT_ASSERT_EQUAL(0, strange.load());
            CPPUNIT_ASSERT_EQUAL(404, this->client->get(this->owner, this->_contact).status);
        }
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, usedBytes());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, this->unownedBlobs());
    }

    void keepsFilesOfDeletedContacts()
    {
        const auto made = this->uploadRaw("a", "hello", "text/plain");
        this->client->del(this->owner, this->_contact);
        CPPUNIT_ASSERT_EQUAL(404, this->client->get(this->owner, made.text("downloadUrl")).status);
        CPPUNIT_ASSERT_EQUAL(404, this->client->del(this->owner, made.text("downloadUrl")).status);
        CPPUNIT_ASSERT_EQUAL(404, this->client->get(this->owner, this->_path).status);
        CPPUNIT_ASSERT_EQUAL(404, this->uploadRaw("b", "hello", "text/plain").status);
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{5}, usedBytes());
        this->client->post(this->owner, this->_contact + "/restore", "{}");
        CPPUNIT_ASSERT_EQUAL(std::string("hello"), this->download(made.id()));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, this->attachmentCount());
    }

    void removesFilesOfPurgedContacts()
    {
        this->uploadRaw("a", "hello", "text/plain");
        this->uploadRaw("b", "world", "text/plain");
        const auto admin = this->withPermission(this->owner, "crm.contacts:purge");
        CPPUNIT_ASSERT_EQUAL(200, this->client->del(admin, this->_contact + "?permanent=true").status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, this->unownedBlobs());
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, usedBytes());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, this->unownedBlobs());
    }

    void removesFilesOfExpiredContacts()
    {
        this->uploadRaw("a", "hello", "text/plain");
        this->client->del(this->owner, this->_contact);
        this->clock().advance(30 * 24h - 1s);
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{5}, usedBytes());
        this->clock().advance(2h);
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, usedBytes());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, this->unownedBlobs());
    }

    /// The contact is deleted while its file is being written.
    void leavesNothingWhenTheContactGoes()
    {
        auto staged = stage("hello");
        this->client->del(this->owner, this->_contact);
        CPPUNIT_ASSERT_EQUAL(404, statusOfAttach(staged));
        _service->discard(this->owner.tenant(), staged);
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, usedBytes());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, this->unownedBlobs());
    }

    /// Between the blob and its row the process dies: an hour later the blob goes.
    void leavesNothingAfterACrash()
    {
        stage("hello");
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{5}, usedBytes());
        this->clock().advance(59min);
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{5}, usedBytes());
        this->clock().advance(17min);
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, usedBytes());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, this->unownedBlobs());
    }

    void refusesWhatWasStagedTooLongAgo()
    {
        auto staged = stage("hello");
        this->clock().advance(2h);
        runJobs();
        CPPUNIT_ASSERT_EQUAL(503, statusOfAttach(staged));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, this->attachmentCount());
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, this->filesOf(this->owner));
    }

    /// The connection broke after the commit: nobody knows, and nothing may be lost.
    void keepsTheFileWhenACommitOnlySeemedToFail()
    {
        auto staged = stage("hello");
        CPPUNIT_ASSERT_EQUAL(0, statusOfAttach(staged));
        _service->discard(this->owner.tenant(), staged);
        this->clock().advance(2h);
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::string("hello"), this->download(staged.id.text()));
    }

    /// A sweep was cut off after it had removed the file.
    void sweepsAfterFilesThatAreGone()
    {
        const auto staged = stage("hello");
        this->host->context().blobs().remove(staged.blobKey);
        this->clock().advance(2h);
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, this->unownedBlobs());
        CPPUNIT_ASSERT(this->host->context().jobs().failures().empty());
    }

    void tellsOfALostFile()
    {
        auto staged = stage("hello");
        statusOfAttach(staged);
        this->host->context().blobs().remove(staged.blobKey);
        CPPUNIT_ASSERT_EQUAL(500, this->client->get(this->owner, "/api/attachments/" + staged.id.text()).status);
        CPPUNIT_ASSERT_EQUAL(200, this->client->del(this->owner, "/api/attachments/" + staged.id.text()).status);
    }

    void storesPhotos()
    {
        const auto photo = storePhoto();
        const auto shown = this->client->get(this->owner, this->_contact + "?include=attachments");
        CPPUNIT_ASSERT_EQUAL(photo, shown.text("photoAttachmentId"));
        CPPUNIT_ASSERT_EQUAL(std::string("photo.jpg"), std::string(shown["attachments"].at(0).at("fileName").as_string()));
        CPPUNIT_ASSERT_EQUAL(std::string("image/jpeg"), std::string(shown["attachments"].at(0).at("contentType").as_string()));
        CPPUNIT_ASSERT(shown["attachments"].at(0).at("declaredType").is_null());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, this->attachmentCount());
        CPPUNIT_ASSERT_EQUAL(Names{"crm.contact.created"}, this->eventTypes(this->owner));
        // Clients read it and cannot set it.
        CPPUNIT_ASSERT_EQUAL(photo,
                             this->client->put(this->owner, this->_contact, R"({"photoAttachmentId":null})").text("photoAttachmentId"));
    }

    void forgetsADeletedPhoto()
    {
        const auto photo = storePhoto();
        this->clock().advance(1s);
        CPPUNIT_ASSERT_EQUAL(200, this->client->del(this->owner, "/api/attachments/" + photo).status);
        const auto shown = this->client->get(this->owner, this->_contact);
        CPPUNIT_ASSERT(shown["photoAttachmentId"].is_null());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, shown.number("version"));
        CPPUNIT_ASSERT_EQUAL(R"({"contactId":")" + this->_contactId + R"(","organizationId":")" + this->owner.organizationId +
                                 R"(","changedFields":["photoAttachmentId"]})",
                             this->lastEvent("crm.contact.updated"));
    }

    void refusesPhotosThatAreNone()
    {
        const auto take = [&](const std::string& bytes) { return _service->stagePhoto(this->owner.tenant(), "usr_1", bytes).has_value(); };
        const std::string start = "\x89PNG\r\n\x1a\n";
        CPPUNIT_ASSERT(take(start) && take(start + std::string(1024 * 1024 - start.size(), 'x')));
        CPPUNIT_ASSERT(!take("") && !take("<svg onload=\"x\">") && !take("%PDF-") && !take(start + std::string(1024 * 1024, 'x')));
    }

    void movesToAnotherContactAndBack()
    {
        const auto first = this->uploadRaw("a", "1", "text/plain");
        this->clock().advance(1ms);
        const auto second = this->uploadRaw("b", "2", "text/plain");
        const auto source = *crm::ContactId::parse(this->_contactId), target = *crm::ContactId::parse(this->newContact("Grace"));
        this->clock().advance(1s);
        const auto moved = this->database().transact(
            [&](Transaction& transaction)
            { return crm::reassignAttachments(transaction, this->owner.tenant(), source, target, this->clock().now()); });
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, moved.size());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, this->attachmentCount());
        const auto list = this->client->get(this->owner, "/api/contacts/" + target.text() + "/attachments");
        CPPUNIT_ASSERT_EQUAL((Names{"b", "a"}), this->namesIn(list));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, list["items"].at(0).at("version").as_int64());
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-21T09:00:01.001Z"), std::string(list["items"].at(0).at("updatedAt").as_string()));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), this->download(first.id()));

        // What the target has lost meanwhile does not come back, and what is its own stays; another organization reaches nothing.
        this->client->del(this->owner, second.text("downloadUrl"));
        const auto own = this->client->post(this->owner, "/api/contacts/" + target.text() + "/attachments", "3", {{"X-File-Name", "c"}});
        for (const auto tenant : {this->stranger.tenant(), this->owner.tenant()})
            this->database().transact([&](Transaction& transaction)
                                      { crm::moveAttachments(transaction, tenant, moved, target, source, this->clock().now()); });
        CPPUNIT_ASSERT_EQUAL(Names{"a"}, this->namesIn(this->client->get(this->owner, this->_path)));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, this->attachmentCount());
        const auto shown = this->client->get(this->owner, "/api/contacts/" + target.text() + "?include=attachments");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, shown["counts"].at("attachments").as_int64());
        CPPUNIT_ASSERT_EQUAL(own.id(), std::string(shown["attachments"].at(0).at("id").as_string()));
    }

private:
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
    void makeService() { _service = std::make_unique<crm::AttachmentService>(this->host->context(), crm::AttachmentSettings{}); }
    crm::Attachment stage(const std::string& bytes)
    {
        const Content content(bytes);
        return _service->stage(this->owner.tenant(), this->owner.principalId, {"a", std::nullopt, {}, &content});
    }
    /// 0: done.
    int statusOfAttach(crm::Attachment& staged)
    {
        try
        {
            this->database().transact(
                [&](Transaction& transaction)
                { _service->attach(transaction, this->owner.tenant(), *crm::ContactId::parse(this->_contactId), staged); });
            return 0;
        }
        catch (const Problem& problem)
        {
            return problem.status();
        }
    }
    /// As an import does, for a contact that it makes.
    std::string storePhoto()
    {
        auto staged = *_service->stagePhoto(this->owner.tenant(), this->owner.principalId, "\xff\xd8\xff\xe0 picture");
        this->database().transact(
            [&](Transaction& transaction)
            {
                const auto before = *_contacts.load(transaction, this->owner.tenant(), *crm::ContactId::parse(this->_contactId));
                auto after = before;
                after.photoAttachmentId = staged.id;
                _contacts.update(transaction, this->owner.tenant(), before, after);
                _service->attach(transaction, this->owner.tenant(), after.id, staged);
            });
        return staged.id.text();
    }
    void runJobs() const { this->host->context().jobs().runDue(); }
    std::uint64_t usedBytes() const { return this->host->context().blobs().usedBytes(this->owner.organizationId); }

    crm::ContactStore _contacts;
    std::unique_ptr<crm::AttachmentService> _service;
};

CPPUNIT_TEST_SUITE_REGISTRATION(AttachmentLifeTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(AttachmentLifeTest<OnPostgres>);

} // namespace portico::tests
