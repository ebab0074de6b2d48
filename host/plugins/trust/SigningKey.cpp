#include "host/plugins/trust/SigningKey.h"

#include "host/base/Digests.h"
#include "host/base/FileDescriptor.h"
#include "host/base/ReadFiles.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portico::host::plugins
{

namespace fs = std::filesystem;

namespace
{
constexpr std::uintmax_t largestKeyFile = 65'536;

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

[[noreturn]] void refuseKey(const fs::path& file, const std::string& what) { throw std::runtime_error(file.string() + ": " + what); }

void require(bool done, const char* what)
{
    if (!done) throw std::runtime_error(std::string("OpenSSL: ") + what + " failed");
}

const unsigned char* bytesOf(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string readKeyFile(const fs::path& file)
{
    std::error_code error;
    const auto size = fs::file_size(file, error);
    if (error) refuseKey(file, "expected a key, found that it cannot be read: " + error.message());
    if (size > largestKeyFile) refuseKey(file, "expected a key of a few lines, found " + std::to_string(size) + " bytes");
    auto text = contentOf(file);
    if (!text) refuseKey(file, "expected a key, found that it cannot be read");
    return *std::move(text);
}

/// Passphrases are not supported: daemons and scripts read the keys.
int noPassphrase(char*, int, int, void*) { return -1; }

template <class Read>
std::shared_ptr<EVP_PKEY> parsePem(const fs::path& file, const std::string& text, Read read, const char* expected)
{
    const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free);
    require(bio != nullptr, "a buffer");
    std::shared_ptr<EVP_PKEY> key(read(bio.get(), nullptr, &noPassphrase, nullptr), &EVP_PKEY_free);
    // A leftover OpenSSL error would be attributed to the next call on this thread.
    ERR_clear_error();
    if (!key) refuseKey(file, std::string("expected ") + expected + ", found something else: porticoctl plugin keygen makes one");
    if (EVP_PKEY_get_id(key.get()) != EVP_PKEY_ED25519)
        refuseKey(file, std::string("expected an Ed25519 key, found one of the type ") + EVP_PKEY_get0_type_name(key.get()) +
                            ": porticoctl plugin keygen makes one");
    return key;
}

template <class Write>
std::string written(const Write& write)
{
    const Bio bio(BIO_new(BIO_s_mem()), &BIO_free);
    require(bio && write(bio.get()) == 1, "writing a key");
    char* data = nullptr;
    const auto size = BIO_get_mem_data(bio.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

/// Never replaces a file: a lost key cannot be restored.
void writeNew(const fs::path& file, mode_t mode, const std::string& text)
{
    const FileDescriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!out && errno == EEXIST) refuseKey(file, "the file exists and was not changed: choose another name");
    if (out && ::write(out.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(out.get()) == 0) return;
    const int error = errno;
    if (out) ::unlink(file.c_str());
    refuseKey(file, std::string("cannot be written: ") + std::strerror(error));
}
} // namespace

PublicKey PublicKey::read(const fs::path& file)
{
    const auto text = readKeyFile(file);
    if (text.find("PRIVATE KEY") != std::string::npos)
        refuseKey(file,
                  "expected a public key, found a private one: replace it by its .pub file, and make a new pair if others could read it");
    return PublicKey(parsePem(file, text, &PEM_read_bio_PUBKEY, "an Ed25519 public key in PEM (BEGIN PUBLIC KEY)"));
}

bool PublicKey::verifies(std::string_view message, std::string_view signature) const
{
    const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    require(context && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, _key.get()) == 1, "checking a signature");
    const bool right = EVP_DigestVerify(context.get(), bytesOf(signature), signature.size(), bytesOf(message), message.size()) == 1;
    ERR_clear_error();
    return right;
}

std::string PublicKey::pem() const
{
    return written([this](BIO* bio) { return PEM_write_bio_PUBKEY(bio, _key.get()); });
}

std::string PublicKey::fingerprint() const
{
    return sha256Hex(written([this](BIO* bio) { return i2d_PUBKEY_bio(bio, _key.get()); }));
}

PrivateKey PrivateKey::generate()
{
    std::shared_ptr<EVP_PKEY> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), &EVP_PKEY_free);
    require(key != nullptr, "making an Ed25519 key");
    return PrivateKey(std::move(key));
}

PrivateKey PrivateKey::read(const fs::path& file)
{
    struct stat facts = {};
    if (::stat(file.c_str(), &facts) != 0)
        refuseKey(file, std::string("expected a private key, found that it cannot be read: ") + std::strerror(errno));
    if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        refuseKey(file, "expected a private key that its owner alone may read, found one that others may, too: chmod 600 it");
    return PrivateKey(parsePem(file, readKeyFile(file), &PEM_read_bio_PrivateKey,
                               "an Ed25519 private key in PEM (BEGIN PRIVATE KEY) without a passphrase"));
}

std::string PrivateKey::sign(std::string_view message) const
{
    std::string signature(signatureBytes, '\0');
    std::size_t size = signature.size();
    const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    require(context && EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, _key.get()) == 1 &&
                EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytesOf(message),
                               message.size()) == 1 &&
                size == signatureBytes,
            "signing");
    return signature;
}

std::string PrivateKey::pem() const
{
    return written([this](BIO* bio) { return PEM_write_bio_PKCS8PrivateKey(bio, _key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
}

fs::path makeKeyFiles(const fs::path& file, const PrivateKey& key)
{
    auto publicFile = file;
    publicFile.replace_extension(".pub");
    if (publicFile == file)
        refuseKey(file, "expected a name for the private key, found one that ends as those of public keys do: choose another");
    writeNew(publicFile, 0644, key.publicKey().pem());
    try
    {
        writeNew(file, 0600, key.pem());
    }
    catch (...)
    {
        ::unlink(publicFile.c_str());
        throw;
    }
    return publicFile;
}

} // namespace portico::host::plugins
