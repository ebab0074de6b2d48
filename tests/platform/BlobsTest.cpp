#include "platform/Concurrently.h"
#include "support/Suite.h"
#include "support/TestDatabase.h"
#include "support/Together.h"

#include "host/base/HashedPrefix.h"
#include "host/platform/blobs/FileBlobs.h"

#include "portico/Problem.h"
#include "portico/Request.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace portico::tests
{

using host::platform::BlobHold;
using host::platform::FileBlobs;

class BlobsTest : public Suite<BlobsTest>
{
    TEST(storesAndOpens)
    {
        FileBlobs blobs(root());
        const auto stored = store(blobs, "org_1", "hello");
        equal(5, stored.size);
        equal("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", stored.sha256);
        equal("hello", read(blobs, stored.key));
        CHECK(blobs.remove(stored.key));
        CHECK(!blobs.remove(stored.key));
        CHECK(!blobs.open(stored.key));
    }

    TEST(isInvisibleUntilCommitted)
    {
        FileBlobs blobs(root());
        auto writer = blobs.create("org_1");
        writer->write(std::string_view("half"));
        equal(0, filesBelow("data"));
        CHECK(!blobs.open(writer->key()));
        const auto stored = writer->commit();
        equal(writer->key(), stored.key);
        equal(1, filesBelow("data"));
        equal(0, filesBelow("unfinished"));
        writer.reset();
        CHECK(blobs.open(stored.key));
    }

    TEST(anAbandonedWriteLeavesNothing)
    {
        FileBlobs blobs(root());
        blobs.create("org_1")->write(std::string_view("never mind"));
        equal(0, filesBelow("."));
        equal(0, blobs.usedBytes("org_1"));
    }

    TEST(survivesTheProcess)
    {
        const auto stored = [&]
        {
            FileBlobs blobs(root());
            return store(blobs, "org_1", "hello");
        }();
        FileBlobs blobs(root());
        equal("hello", read(blobs, stored.key));
    }

    TEST(leavesAloneWhatAnotherHostWrites)
    {
        FileBlobs one(root());
        auto written = one.create("org_1"), taken = one.create("org_1");
        written->write(std::string_view("half "));
        const Received file(Received::unnamed(_directory.path()), "received", "");
        taken->write(file);
        FileBlobs other(root());
        equal(2, filesBelow("unfinished"));
        written->write(std::string_view("and whole"));
        equal("half and whole", read(other, written->commit().key));
        equal("received", read(other, taken->commit().key));
        auto given = one.create("org_1");
        given->write(std::string_view("up"));
        given.reset();
        equal(0, filesBelow("unfinished"));
    }

    TEST(leftoversOfACrashAreRemoved)
    {
        const auto child = ::fork();
        CHECK(child >= 0);
        if (child == 0) crashWhileWriting();
        int status = 0;
        equal(child, ::waitpid(child, &status, 0));
        CHECK(WIFSIGNALED(status));
        equal(1, filesBelow("unfinished"));

        FileBlobs blobs(root());
        equal(0, filesBelow("unfinished"));
        equal(1, filesBelow("data"));
        equal(5, blobs.usedBytes("org_1"));
    }

    TEST(keysReachNothingElse)
    {
        FileBlobs blobs(root());
        const auto stored = store(blobs, "org_1", "hello");
        auto upper = stored.key;
        upper[0] = 'G';
        for (const std::string& key :
             {std::string("../../etc/passwd"), std::string("/etc/passwd"), std::string(), std::string("."), stored.key + "/",
              stored.key + std::string(1, '\0'), "../" + stored.key.substr(3), upper, stored.key.substr(1)})
        {
            CPPUNIT_ASSERT_MESSAGE(key, !blobs.open(key));
            CPPUNIT_ASSERT_MESSAGE(key, !blobs.remove(key));
        }
    }

    TEST(scopesNameNoPaths)
    {
        FileBlobs blobs(root());
        const auto stored = store(blobs, "../../../outside", "hello");
        equal("hello", read(blobs, stored.key));
        equal(1, filesBelow("data"));
        equal(5, blobs.usedBytes("../../../outside"));
    }

    TEST(keepsTheQuota)
    {
        FileBlobs blobs(root(), 10);
        const auto first = store(blobs, "org_1", "1234567");
        auto writer = blobs.create("org_1");
        writer->write(std::string_view("123"));
        try
        {
            writer->write(std::string_view("4"));
            CPPUNIT_FAIL("the quota was exceeded");
        }
        catch (const Problem& problem)
        {
            equal(413, problem.status());
            equal("payload_too_large", problem.code());
        }
        store(blobs, "org_2", "1234567");
        writer.reset();
        blobs.remove(first.key);
        store(blobs, "org_1", "1234567890");
    }

    TEST(unfinishedBytesCount)
    {
        FileBlobs blobs(root(), 1'000);
        std::atomic<int> refused{0};
        concurrently(4,
                     [&](std::size_t)
                     {
                         try
                         {
                             store(blobs, "org_1", std::string(400, 'x'));
                         }
                         catch (const Problem&)
                         {
                             ++refused;
                         }
                     });
        equal(2, refused.load());
        equal(800, blobs.usedBytes("org_1"));
    }

    TEST(countsExistingFilesAgain)
    {
        {
            FileBlobs blobs(root());
            store(blobs, "org_1", "12345");
            store(blobs, "org_1", "1234");
            store(blobs, "org_2", "x");
        }
        FileBlobs blobs(root(), 10);
        equal(9, blobs.usedBytes("org_1"));
        CPPUNIT_ASSERT_THROW(store(blobs, "org_1", "12"), Problem);
    }

    TEST(oneOfManyRemoves)
    {
        FileBlobs blobs(root());
        const auto stored = store(blobs, "org_1", "hello");
        std::atomic<int> removed{0};
        concurrently(4,
                     [&](std::size_t)
                     {
                         if (blobs.remove(stored.key)) ++removed;
                     });
        equal(1, removed.load());
        equal(0, blobs.usedBytes("org_1"));
    }

    TEST(refusesToWriteAfterCommit)
    {
        FileBlobs blobs(root());
        const auto writer = blobs.create("org_1");
        writer->commit();
        CPPUNIT_ASSERT_THROW(writer->write(std::string_view("more")), std::logic_error);
        CPPUNIT_ASSERT_THROW(writer->commit(), std::logic_error);
    }

    TEST(takesReceivedFilesOver)
    {
        FileBlobs blobs(root());
        for (const std::string tail : {"", " and what was still in memory"})
        {
            const Received received(Received::unnamed(_directory.path()), "on disk", tail);
            const auto writer = blobs.create("org_1");
            writer->write(received);
            const auto stored = writer->commit();
            equal("on disk" + tail, read(blobs, stored.key));
            equal(host::sha256Hex("on disk" + tail), stored.sha256);
            equal(std::uint64_t{7 + tail.size()}, stored.size);
            equal(inodeOf(received.descriptor()), inodeOf(blobs.open(stored.key)->descriptor));
            // It can still be read, and stored again: as another file.
            const auto second = storeFile(blobs, received);
            equal("on disk" + tail, read(blobs, second.key));
            CHECK(inodeOf(received.descriptor()) != inodeOf(blobs.open(second.key)->descriptor));
        }
        equal(4, filesBelow("."));
    }

    TEST(readsHashedFilesNotAgain)
    {
        FileBlobs blobs(root());
        // The part on disk was hashed completely, and then only in part.
        for (const std::string hashed : {"on disk", "on"})
        {
            const Hashed received(Received::unnamed(_directory.path()), "on disk", " and in memory", hashed);
            const auto writer = blobs.create("org_1");
            writer->write(received);
            writer->write(std::string_view(" and more"));
            const auto stored = writer->commit();
            const std::string whole = "on disk and in memory and more";
            equal(whole, read(blobs, stored.key));
            equal(host::sha256Hex(whole), stored.sha256);
            equal(hashed == "on", received.wasReadFromDisk());
        }
        // The second call copies the file, because the first has taken it. The copy is hashed.
        const Hashed received(Received::unnamed(_directory.path()), "on disk", "", "on disk");
        for (int i = 0; i < 2; ++i) equal(host::sha256Hex("on disk"), storeFile(blobs, received).sha256);
    }

    TEST(copiesReceivedFilesThatCannotBeTaken)
    {
        FileBlobs blobs(root());
        // One that had a name, one on another file system, one in memory.
        for (const int descriptor : {Received::unlinked(_directory.path()), Received::unnamed(otherFileSystem()), -1})
        {
            const Received received(descriptor, descriptor < 0 ? "" : "on disk", " and more");
            const auto stored = storeFile(blobs, received);
            equal(std::string(descriptor < 0 ? " and more" : "on disk and more"), read(blobs, stored.key));
            if (descriptor >= 0) CHECK(inodeOf(descriptor) != inodeOf(blobs.open(stored.key)->descriptor));
        }
        // After other bytes.
        const Received received(Received::unnamed(_directory.path()), "on disk", " and more");
        const auto writer = blobs.create("org_1");
        writer->write(std::string_view("first, "));
        writer->write(received);
        equal("first, on disk and more", read(blobs, writer->commit().key));
    }

    TEST(aHoldKeepsTheFilesOfRemovedBlobs)
    {
        BlobHold hold(root().parent_path());
        FileBlobs blobs(root(), 10, &hold);
        const auto first = store(blobs, "org_1", "12345");
        const auto second = store(blobs, "org_1", "54321");
        const auto token = hold.take(std::chrono::hours(1));
        CHECK(blobs.remove(first.key));
        // For all other code it is removed: it cannot be read, removed again or counted.
        CHECK(!blobs.open(first.key));
        CHECK(!blobs.remove(first.key));
        equal(5, blobs.usedBytes("org_1"));
        const auto relative = std::filesystem::path(first.key.substr(0, 16)) / first.key.substr(17, 2) / first.key;
        equal(std::uintmax_t{5}, std::filesystem::file_size(root() / "held" / relative));
        blobs.dropHeld();
        equal(1, filesBelow("held"));
        CHECK(hold.release(token));
        blobs.dropHeld();
        CHECK(!std::filesystem::exists(root() / "held"));
        CHECK(blobs.remove(second.key));
        CHECK(!std::filesystem::exists(root() / "held"));
    }

    TEST(aHoldEndsWithItsHolder)
    {
        BlobHold hold(root().parent_path());
        const auto first = hold.take(std::chrono::milliseconds(0));
        CHECK(!hold.isHeld());
        CHECK(!hold.prolong(first, std::chrono::hours(1)));
        const auto second = hold.take(std::chrono::hours(1));
        CHECK(!second.empty() && second != first);
        CHECK(hold.take(std::chrono::hours(1)).empty());
        CHECK(!hold.release(first));
        CHECK(hold.isHeld());
        {
            FileBlobs blobs(root(), FileBlobs::unlimited, &hold);
            blobs.remove(store(blobs, "org_1", "12345").key);
        }
        CHECK(hold.prolong(second, std::chrono::hours(1)));
        CHECK(hold.release(second));
        CHECK(!hold.release(second));
        // Leftovers of a process that died under a hold, and of one that died while it deleted held files.
        equal(1, filesBelow("held"));
        std::filesystem::create_directories(root() / "dropped" / "crashed");
        FileBlobs blobs(root(), FileBlobs::unlimited, &hold);
        for (const char* folder : {"held", "dropped"}) CHECK(!std::filesystem::exists(root() / folder));
    }

    /// Each host has its `BlobHold` and `FileBlobs`, with one folder.
    TEST(aHoldIsInForceOnAllHosts)
    {
        BlobHold hold(root().parent_path());
        BlobHold otherHold(root().parent_path());
        FileBlobs blobs(root(), FileBlobs::unlimited, &hold);
        FileBlobs others(root(), FileBlobs::unlimited, &otherHold);
        const auto token = hold.take(std::chrono::hours(1));
        CHECK(others.remove(store(blobs, "org_1", "12345").key));
        equal(1, filesBelow("held"));
        // The upkeep of the other host, and its start.
        others.dropHeld();
        FileBlobs started(root(), FileBlobs::unlimited, &otherHold);
        equal(1, filesBelow("held"));

        const auto otherToken = otherHold.take(std::chrono::hours(1));
        CHECK(!otherToken.empty());
        CHECK(hold.release(token));
        blobs.dropHeld();
        CHECK(blobs.remove(store(blobs, "org_1", "54321").key));
        equal(2, filesBelow("held"));
        CHECK(otherHold.release(otherToken));
        blobs.dropHeld();
        CHECK(!std::filesystem::exists(root() / "held"));
    }

    TEST(anExpiredHoldEndsOnAllHosts)
    {
        BlobHold hold(root().parent_path());
        BlobHold otherHold(root().parent_path());
        FileBlobs others(root(), FileBlobs::unlimited, &otherHold);
        hold.take(std::chrono::milliseconds(0));
        CHECK(others.remove(store(others, "org_1", "12345").key));
        equal(1, filesBelow("held"));
        CHECK(!hold.isHeld());
        others.dropHeld();
        CHECK(!std::filesystem::exists(root() / "held"));
    }

    TEST(hostsRemoveAndDropHeldBlobsAtTheSameTime)
    {
        BlobHold hold(root().parent_path());
        BlobHold otherHold(root().parent_path());
        FileBlobs blobs(root(), FileBlobs::unlimited, &hold);
        FileBlobs others(root(), FileBlobs::unlimited, &otherHold);
        std::vector<std::string> keys(200);
        for (auto& key : keys) key = store(blobs, "org_1", "12345").key;
        runTogether(2,
                    [&](int host)
                    {
                        auto& own = host == 0 ? blobs : others;
                        for (auto i = static_cast<std::size_t>(host); i < keys.size(); i += 2)
                        {
                            CHECK(own.remove(keys[i]));
                            own.dropHeld();
                        }
                    });
        blobs.dropHeld();
        equal(0, filesBelow("."));
    }

    TEST(waitingForAHoldBlocksNoOtherCall)
    {
        BlobHold hold(root().parent_path());
        BlobHold otherHold(root().parent_path());
        FileBlobs blobs(root(), FileBlobs::unlimited, &otherHold);
        const auto stored = store(blobs, "org_1", "12345");
        std::future<std::string> token;
        auto removal = hold.beginRemoval();
        CHECK(removal);
        token = std::async(std::launch::async, [&] { return otherHold.take(std::chrono::hours(1)); });
        // One descriptor is of the removal, one of the caller that waits.
        while (descriptorsOf(root().parent_path() / "hold.lock") < 2) std::this_thread::yield();
        CHECK(!otherHold.isHeld());
        CHECK(blobs.remove(stored.key));
        equal(1, filesBelow("held"));
        removal.reset();
        CHECK(otherHold.release(token.get()));
    }

    TEST(takenFilesAreCountedAndGivenUp)
    {
        FileBlobs blobs(root(), 10);
        const Received received(Received::unnamed(_directory.path()), "on disk", " and more");
        CPPUNIT_ASSERT_THROW(storeFile(blobs, received), Problem);
        equal(0, filesBelow("."));
        equal(0, blobs.usedBytes("org_1"));
        const Received larger(Received::unnamed(_directory.path()), "larger than all", "");
        CPPUNIT_ASSERT_THROW(storeFile(blobs, larger), Problem);
        equal(0, filesBelow("."));
        equal(0, blobs.usedBytes("org_1"));
    }

    /// An upload in the server's form: the beginning in a file without a name, the end in memory.
    class Received : public ReceivedFile
    {
    public:
        Received(int descriptor, std::string onDisk, std::string inMemory)
            : _descriptor(descriptor), _onDiskBytes(onDisk.size()), _bytes(onDisk + inMemory)
        {
            if (descriptor >= 0) equal(static_cast<ssize_t>(onDisk.size()), ::write(descriptor, onDisk.data(), onDisk.size()));
        }
        Received(const Received&) = delete;
        Received& operator=(const Received&) = delete;
        ~Received() override
        {
            if (_descriptor >= 0) ::close(_descriptor);
        }

        static int unnamed(const std::filesystem::path& folder) { return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); }
        static int unlinked(const std::filesystem::path& folder)
        {
            auto path = (folder / "upload-XXXXXX").string();
            const int descriptor = ::mkstemp(path.data());
            ::unlink(path.c_str());
            return descriptor;
        }

        std::uint64_t size() const noexcept override { return _bytes.size(); }
        std::size_t read(std::uint64_t offset, std::span<char> buffer) const override
        {
            if (offset >= _bytes.size()) return 0;
            if (offset < _onDiskBytes) _wasReadFromDisk = true;
            // Never over the border between disk and memory.
            const auto end = offset < _onDiskBytes ? _onDiskBytes : _bytes.size();
            return _bytes.copy(buffer.data(), std::min<std::size_t>(buffer.size(), end - offset), static_cast<std::size_t>(offset));
        }
        int descriptor() const noexcept override { return _descriptor; }
        bool wasReadFromDisk() const noexcept { return _wasReadFromDisk; }

    private:
        int _descriptor;
        std::size_t _onDiskBytes;
        std::string _bytes;
        mutable bool _wasReadFromDisk = false;
    };

    /// A file that the server has hashed while it arrived.
    class Hashed final : public Received, public host::HashedPrefix
    {
    public:
        Hashed(int descriptor, std::string onDisk, std::string inMemory, std::string_view hashed)
            : Received(descriptor, std::move(onDisk), std::move(inMemory)), _hashedBytes(hashed.size())
        {
            _hash.update(hashed);
        }
        std::uint64_t hashedBytes() const noexcept override { return _hashedBytes; }
        const host::Sha256& prefixHash() const override { return _hash; }

    private:
        std::uint64_t _hashedBytes;
        host::Sha256 _hash;
    };

    static dev_t deviceOf(const std::filesystem::path& folder)
    {
        struct stat status = {};
        equal(0, ::stat(folder.c_str(), &status));
        return status.st_dev;
    }

    /// Returns a folder on another file system than the blobs, which tests/run may store in memory.
    std::filesystem::path otherFileSystem() const { return deviceOf("/dev/shm") != deviceOf(_directory.path()) ? "/dev/shm" : "/var/tmp"; }

    /// Returns how many open descriptors of this process refer to the file.
    static int descriptorsOf(const std::filesystem::path& file)
    {
        int count = 0;
        std::error_code closed;
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
            if (std::filesystem::equivalent(entry.path(), file, closed)) ++count;
        return count;
    }

    static ino_t inodeOf(int descriptor)
    {
        struct stat status = {};
        equal(0, ::fstat(descriptor, &status));
        return status.st_ino;
    }

    static Blobs::Stored storeFile(Blobs& blobs, const ReceivedFile& file)
    {
        const auto writer = blobs.create("org_1");
        writer->write(file);
        return writer->commit();
    }

    std::filesystem::path root() const { return _directory.path() / "blobs" / "crm"; }

    static Blobs::Stored store(Blobs& blobs, std::string_view scope, std::string_view text)
    {
        const auto writer = blobs.create(scope);
        writer->write(text);
        return writer->commit();
    }

    static std::string read(Blobs& blobs, std::string_view key)
    {
        const auto file = blobs.open(key);
        CHECK(file);
        std::string text(static_cast<std::size_t>(file->size), '\0');
        equal(static_cast<ssize_t>(text.size()), ::read(file->descriptor, text.data(), text.size()));
        return text;
    }

    int filesBelow(const char* folder) const
    {
        int count = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root() / folder))
            if (entry.is_regular_file()) ++count;
        return count;
    }

    [[noreturn]] void crashWhileWriting() const
    {
        FileBlobs blobs(root());
        store(blobs, "org_1", "whole");
        const auto writer = blobs.create("org_1");
        writer->write(std::string_view("half of it"));
        ::kill(::getpid(), SIGKILL);
        std::abort();
    }

    TemporaryDirectory _directory;
};

} // namespace portico::tests
