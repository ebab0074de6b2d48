#include "plugins/Workbench.h"
#include "support/Suite.h"

#include "host/base/Digests.h"
#include "host/ctl/FolderCheck.h"
#include "host/plugins/package/FileList.h"
#include "host/plugins/trust/FolderSignature.h"

#include <openssl/err.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace portico;
using namespace portico::host::plugins;
using portico::host::sha256Hex;
using portico::host::ctl::checkFolder;
using portico::host::ctl::FolderCheck;
using portico::tests::TemporaryFolder;

namespace fs = std::filesystem;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

void write(const fs::path& file, std::string_view text)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::trunc | std::ios::binary) << text;
}

/// Exception text of `work`; fails if it throws nothing.
std::string refusalOf(const auto& work)
{
    try
    {
        work();
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
    CPPUNIT_FAIL("nothing was thrown");
    return {};
}

void expect(const std::string& text, std::string_view part) { CPPUNIT_ASSERT_MESSAGE(text, text.find(part) != std::string::npos); }

bool runs(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

const std::string hash(64, 'a');

void expectUntrusted(const fs::path& keys, std::string_view part)
{
    const auto found = TrustedKeys::read(keys);
    CPPUNIT_ASSERT_MESSAGE(std::string(part), found.keys.empty() && found.faults.size() == 1);
    expect(found.faults.front(), part);
}
} // namespace

/// Tests of lists of files, keys and signatures alone.
class SignatureTest : public Suite<SignatureTest>
{
    TEST(listIsReadBackAsWritten)
    {
        const TemporaryFolder folder;
        write(folder.path() / "web/b c.txt", "two");
        write(folder.path() / "web.txt", "");
        write(folder.path() / "a", "one");
        write(folder.path() / "SHA256SUMS", "anything");
        write(folder.path() / "SHA256SUMS.sig", "anything");
        const auto list = FileList::of(folder.path());
        equal(sha256Hex("one") + "  a\n" + sha256Hex("") + "  web.txt\n" + sha256Hex("two") + "  web/b c.txt\n", list.text());
        const auto again = FileList::parse(list.text());
        CHECK(again.files == list.files);
        CHECK(again.differences(list, folder.path()).empty());
    }

    TEST(listIsReadStrictly)
    {
        const std::vector<std::string> wrong{hash + "  a",
                                             hash + " a\n",
                                             hash + " *a\n",
                                             hash + "  \n",
                                             std::string(64, 'A') + "  a\n",
                                             std::string(63, 'a') + "  a\n",
                                             hash + "  /etc/passwd\n",
                                             hash + "  ../a\n",
                                             hash + "  a/../b\n",
                                             hash + "  a//b\n",
                                             hash + "  a/\n",
                                             hash + "  ./a\n",
                                             hash + "  a\r\n",
                                             hash + "  a\\nb\n",
                                             "\\" + hash + "  a\n",
                                             hash + "  b\n" + hash + "  a\n",
                                             hash + "  a\n" + hash + "  a\n",
                                             "# comment\n",
                                             "\n",
                                             hash + "  SHA256SUMS\n",
                                             hash + "  SHA256SUMS.sig\n",
                                             hash + "  " + std::string(2000, 'x') + "\n"};
        for (const auto& text : wrong) expect(refusalOf([&] { FileList::parse(text); }), "expected ");
        expect(refusalOf([&] { FileList::parse(hash + "  a\nx\n"); }), "line 2: expected 64 lower-case hexadecimal digits");
        CHECK(FileList::parse("").files.empty());
    }

    TEST(namesThatAListCannotHold)
    {
        const TemporaryFolder folder;
        write(folder.path() / "a\nb", "");
        expect(refusalOf([&] { FileList::of(folder.path()); }), "expected a name without control characters");
        fs::remove(folder.path() / "a\nb");
        equal(0, ::mkfifo((folder.path() / "pipe").c_str(), 0600));
        expect(refusalOf([&] { FileList::of(folder.path()); }), "pipe: expected files and folders only, found something else: remove it");
        fs::remove(folder.path() / "pipe");
        fs::create_directory_symlink(folder.path(), folder.path() / "loop");
        expect(refusalOf([&] { FileList::of(folder.path()); }), "loop: expected files and folders only, found a symbolic link");
    }

    TEST(manyDifferencesAreCounted)
    {
        FileList listed;
        for (int i = 0; i < 100; ++i) listed.files.emplace("file" + std::to_string(i), hash);
        const auto faults = listed.differences({}, "/plugins/x");
        equal(21, faults.size());
        expect(faults.front(), "/plugins/x/file0: expected the file of SHA256SUMS, found none");
        expect(faults.back(), "and 80 more files");
    }

    TEST(otherProgramsCheckWhatWeSign)
    {
        const TemporaryFolder folder;
        const auto key = PrivateKey::generate();
        makeKeyFiles(folder.path() / "acme.key", key);
        write(folder.path() / "plugin/manifest.json", "{}");
        write(folder.path() / "plugin/web/a b.txt", "text");
        signFolder(folder.path() / "plugin", key);
        const auto inside = "cd " + (folder.path() / "plugin").string() + " && ";
        CHECK(runs(inside + "sha256sum --check --strict SHA256SUMS"));
        const auto openssl = inside + "openssl pkeyutl -verify -pubin -inkey ../acme.pub -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig";
        CHECK(runs(openssl));
        write(folder.path() / "plugin/SHA256SUMS", "other");
        CHECK(!runs(openssl));
        // Keys of openssl are accepted, too.
        CHECK(runs("cd " + folder.path().string() +
                   " && umask 077 && openssl genpkey -algorithm ed25519 -out o.key && openssl pkey -in o.key -pubout -out o.pub"));
        const auto other = PrivateKey::read(folder.path() / "o.key");
        CHECK(PublicKey::read(folder.path() / "o.pub").verifies("text", other.sign("text")));
        CHECK(runs("cd " + folder.path().string() + " && test \"$(openssl pkey -pubin -in o.pub -outform DER | sha256sum)\" = '" +
                   other.publicKey().fingerprint() + "  -'"));
    }

    TEST(signingAgainReplaces)
    {
        const TemporaryFolder folder;
        const auto key = PrivateKey::generate();
        TrustedKeys keys;
        keys.keys.push_back({"acme", key.publicKey()});
        write(folder.path() / "a", "one");
        signFolder(folder.path(), key);
        write(folder.path() / "b", "two");
        // The files must be readable for the daemon's user, even if the signer's umask forbids it.
        const auto before = ::umask(077);
        signFolder(folder.path(), key);
        ::umask(before);
        for (const auto name : {sumsName, signatureName})
            equal(0644, static_cast<unsigned>(fs::status(folder.path() / name).permissions()));
        write(folder.path() / "b", "three");
        CHECK(!readFolderSignature(folder.path(), folder.path(), keys).trusted());
        equal(2, signFolder(folder.path(), key).files.size());
        const auto proof = readFolderSignature(folder.path(), folder.path(), keys);
        CHECK(proof.trusted());
        equal("acme", proof.key);
        equal(4, filesBelow(folder.path()).size());
    }

    /// Leftovers are not files of the plugin.
    TEST(signingThatWasCutOff)
    {
        const TemporaryFolder folder;
        const auto key = PrivateKey::generate();
        TrustedKeys keys;
        keys.keys.push_back({"acme", key.publicKey()});
        write(folder.path() / "a", "one");
        write(folder.path() / "SHA256SUMS.new", "half a li");
        write(folder.path() / "SHA256SUMS.sig.new", "half");
        equal(1, signFolder(folder.path(), key).files.size());
        CHECK(readFolderSignature(folder.path(), folder.path(), keys).trusted());
        equal(3, filesBelow(folder.path()).size());
    }

    TEST(keysAreNeverOverwritten)
    {
        const TemporaryFolder folder;
        const auto file = folder.path() / "acme.key";
        const auto key = PrivateKey::generate();
        equal(folder.path() / "acme.pub", makeKeyFiles(file, key));
        equal(0600, static_cast<unsigned>(fs::status(file).permissions()));
        expect(refusalOf([&] { makeKeyFiles(file, PrivateKey::generate()); }), "the file exists and was not changed");
        fs::remove(folder.path() / "acme.pub");
        expect(refusalOf([&] { makeKeyFiles(file, PrivateKey::generate()); }), "acme.key: the file exists and was not changed");
        CPPUNIT_ASSERT_MESSAGE("a half pair is not left", !fs::exists(folder.path() / "acme.pub"));
        equal(key.pem(), PrivateKey::read(file).pem());
        expect(refusalOf([&] { makeKeyFiles(folder.path() / "new.pub", key); }), "expected a name for the private key");
        expect(refusalOf([&] { makeKeyFiles(folder.path() / "absent/new.key", key); }), "cannot be written: ");
    }

    TEST(keysOfOtherKinds)
    {
        const TemporaryFolder folder;
        CHECK(runs("cd " + folder.path().string() +
                   " && umask 077 && openssl genpkey -algorithm ed448 -out e.key && "
                   "openssl pkey -in e.key -pubout -out e.pub && "
                   "openssl genpkey -algorithm ed25519 -aes256 -pass pass:secret -out locked.key"));
        expect(refusalOf([&] { PublicKey::read(folder.path() / "e.pub"); }), "e.pub: expected an Ed25519 key, found one of the type ED448");
        expect(refusalOf([&] { PrivateKey::read(folder.path() / "e.key"); }),
               "e.key: expected an Ed25519 key, found one of the type ED448");
        expect(refusalOf([&] { PrivateKey::read(folder.path() / "locked.key"); }), "without a passphrase, found something else");
        write(folder.path() / "big.pub", std::string(100'000, 'x'));
        expect(refusalOf([&] { PublicKey::read(folder.path() / "big.pub"); }), "expected a key of a few lines, found 100000 bytes");
        write(folder.path() / "empty.pub", "");
        expect(refusalOf([&] { PublicKey::read(folder.path() / "empty.pub"); }), "empty.pub: expected an Ed25519 public key");
        expect(refusalOf([&] { PublicKey::read(folder.path() / "absent.pub"); }),
               "absent.pub: expected a key, found that it cannot be read");
        CHECK(!PrivateKey::generate().publicKey().verifies("text", std::string(signatureBytes, 'x')));
        equal(0, ::ERR_peek_error(), "left for the next user of OpenSSL on this thread");
    }

    TEST(privateKeyThatOthersMayRead)
    {
        const TemporaryFolder folder;
        const auto file = folder.path() / "acme.key";
        makeKeyFiles(file, PrivateKey::generate());
        fs::permissions(file, fs::perms::group_read, fs::perm_options::add);
        expect(refusalOf([&] { PrivateKey::read(file); }), "found one that others may, too: chmod 600 it");
    }

    TEST(folderOfKeysThatEverybodyMayChange)
    {
        const TemporaryFolder folder;
        const auto keys = folder.path() / "keys";
        write(keys / "acme.pub", PrivateKey::generate().publicKey().pem());
        write(keys / "README", "no key, and not looked at");
        equal(1, TrustedKeys::read(keys).keys.size());
        CHECK(TrustedKeys::read(keys).faults.empty());
        fs::permissions(keys / "acme.pub", fs::perms::others_write, fs::perm_options::add);
        auto found = TrustedKeys::read(keys);
        CHECK(found.keys.empty());
        expect(found.faults.at(0),
               "acme.pub: expected a file that its owner alone may change, found one that everybody may: chmod go-w it");
        fs::permissions(keys / "acme.pub", fs::perms::others_write, fs::perm_options::remove);
        fs::permissions(keys, fs::perms::others_write, fs::perm_options::add);
        found = TrustedKeys::read(keys);
        CHECK(found.keys.empty());
        expect(found.faults.at(0), "keys: expected a folder that its owner alone may change");
        CHECK(TrustedKeys::read(folder.path() / "absent").faults.empty());
    }

    /// Keys with write access of a group, of another user, or below such a folder, are not trusted.
    TEST(keysThatOtherUsersMayChange)
    {
        const TemporaryFolder folder;
        const auto above = folder.path() / "above";
        const auto keys = above / "keys";
        const auto file = keys / "acme.pub";
        write(file, PrivateKey::generate().publicKey().pem());
        for (const auto& each : {above, keys}) fs::permissions(each, fs::perms(0755));
        fs::permissions(file, fs::perms(0644));
        equal(1, TrustedKeys::read(keys).keys.size());

        for (const auto& each : {file, keys, above})
        {
            fs::permissions(each, fs::perms::group_write, fs::perm_options::add);
            expectUntrusted(keys, each.string() + ": expected a ");
            expectUntrusted(keys, "that its owner alone may change, found one that its group may: chmod g-w it");
            fs::permissions(each, fs::perms::group_write, fs::perm_options::remove);
        }
        // In a sticky folder such as /tmp, users may only remove their own files. In the folder of keys they could still add some.
        fs::permissions(above, fs::perms(01777));
        equal(1, TrustedKeys::read(keys).keys.size());
        fs::permissions(above, fs::perms(0755));
        fs::permissions(keys, fs::perms(01777));
        expectUntrusted(keys, keys.string() + ": expected a folder that its owner alone may change, found one that everybody may");
        fs::permissions(keys, fs::perms(0755));

        // A link is followed, and the folder of its target is checked.
        fs::create_directory_symlink(keys, folder.path() / "link");
        equal(1, TrustedKeys::read(folder.path() / "link").keys.size());
        fs::permissions(above, fs::perms(0775));
        expectUntrusted(folder.path() / "link", above.string() + ": expected a folder");
        fs::permissions(above, fs::perms(0755));
    }

    /// Needs root to give something away.
    TEST(keysOfAnotherUser)
    {
        if (::geteuid() != 0) return static_cast<void>(std::puts("keysOfAnotherUser: only root can give files away"));
        constexpr uid_t nobody = 65534;
        const TemporaryFolder folder;
        const auto above = folder.path() / "above";
        const auto keys = above / "keys";
        const auto file = keys / "acme.pub";
        write(file, PrivateKey::generate().publicKey().pem());
        for (const auto& each : {file, keys, above})
        {
            equal(0, ::chown(each.c_str(), nobody, 0));
            expectUntrusted(keys, each.string() + ": expected a ");
            expectUntrusted(keys, "(uid 65534): chown root it");
            equal(0, ::chown(each.c_str(), 0, 0));
        }
        // In a folder such as /tmp, another user may create a link at the expected path.
        const auto link = folder.path() / "link";
        fs::create_directory_symlink(keys, link);
        equal(0, ::lchown(link.c_str(), nobody, 0));
        expectUntrusted(link, link.string() + ": expected a link of root");
        equal(1, TrustedKeys::read(keys).keys.size());
    }

    TEST(checkOfAFolder)
    {
        tests::Workbench bench;
        bench.install("ok-v1", "ok");
        const auto folder = bench.plugins() / "ok";
        const ManifestReader reader;
        auto check = checkFolder(reader, folder, {}, false);
        CHECK(check.ok());
        equal(sha256OfFile(bench.libraryOf("ok")), check.sha256);
        expect(check.warnings.at(0), "it is not signed");
        CHECK(checkFolder(reader, folder, {}, true).warnings.empty());

        bench.install("unique-symbol", "ok");
        expect(faultOf(checkFolder(reader, folder, {}, false), "library"), "is unique in the process (STB_GNU_UNIQUE)");
        bench.install("thread-local", "ok");
        expect(faultOf(checkFolder(reader, folder, {}, false), "library"), "thread_local with a destructor");
        bench.install("wrong-epoch", "ok");
        expect(faultOf(checkFolder(reader, folder, {}, false), "library"), "fingerprint field 'epoch'");
        fs::remove(bench.libraryOf("ok"));
        expect(faultOf(checkFolder(reader, folder, {}, false), "files"),
               "expected the library of the manifest (plugin.library), found none");
        bench.install("ok-v1", "ok", {{"plugin.migrations", R"({"dir":"migrations"})"}});
        expect(faultOf(checkFolder(reader, folder, {}, false), "files"), "expected the migrations of the manifest");
        bench.install("ok-v1", "ok", {{"vendro", "1"}});
        expect(faultOf(checkFolder(reader, folder, {}, false), "manifest"), "vendro");
        expect(faultOf(checkFolder(reader, bench.plugins(), {}, false), "manifest"), "manifest.json: cannot be read");
    }

    static std::string faultOf(const FolderCheck& check, std::string_view name)
    {
        CHECK(!check.ok());
        for (const auto& step : check.steps)
            if (step.name == name && !step.faults.empty()) return step.faults.front();
        CPPUNIT_FAIL("no fault of " + std::string(name));
        return {};
    }
};
