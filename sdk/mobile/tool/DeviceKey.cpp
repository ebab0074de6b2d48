#include "DeviceKey.h"

#include "Files.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/x509.h>

#include <stdexcept>
#include <vector>

namespace portico::mobiletool
{

namespace
{

void requireSigned(bool done)
{
    if (!done) throw std::runtime_error("OpenSSL cannot use the key of this device.");
}

std::string privateBytes(const EVP_PKEY* key)
{
    unsigned char* bytes = nullptr;
    const int size = i2d_PrivateKey(key, &bytes);
    requireSigned(size > 0);
    std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    OPENSSL_clear_free(bytes, static_cast<std::size_t>(size));
    return text;
}

EVP_PKEY* keyOf(const std::string& bytes)
{
    const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
    return d2i_AutoPrivateKey(nullptr, &at, static_cast<long>(bytes.size()));
}

} // namespace

DeviceKey::DeviceKey(const std::filesystem::path& file, const std::filesystem::path& lock) : _key(nullptr, EVP_PKEY_free)
{
    const FileLock held(lock);
    if (auto bytes = readFile(file))
    {
        _key.reset(keyOf(*bytes));
        OPENSSL_cleanse(bytes->data(), bytes->size());
        if (!_key) throw std::runtime_error(file.string() + " is not the key of a device. Remove it and sign in again.");
        return;
    }
    _key.reset(EVP_EC_gen("P-256"));
    requireSigned(_key != nullptr);
    auto bytes = privateBytes(_key.get());
    writeFile(file, bytes);
    OPENSSL_cleanse(bytes.data(), bytes.size());
}

std::string DeviceKey::point() const
{
    unsigned char bytes[65];
    std::size_t size = 0;
    requireSigned(EVP_PKEY_get_octet_string_param(_key.get(), OSSL_PKEY_PARAM_PUB_KEY, bytes, sizeof bytes, &size) == 1);
    return {reinterpret_cast<const char*>(bytes), size};
}

std::string DeviceKey::sign(std::string_view data) const
{
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    std::string signature(80, '\0');
    std::size_t size = signature.size();
    requireSigned(digest && EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, _key.get()) == 1 &&
                  EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                                 reinterpret_cast<const unsigned char*>(data.data()), data.size()) == 1);
    signature.resize(size);
    return signature;
}

std::string DeviceKey::derive(std::string_view purpose) const
{
    const std::unique_ptr<EVP_KDF, decltype(&EVP_KDF_free)> method(EVP_KDF_fetch(nullptr, "HKDF", nullptr), EVP_KDF_free);
    const std::unique_ptr<EVP_KDF_CTX, decltype(&EVP_KDF_CTX_free)> context(EVP_KDF_CTX_new(method.get()), EVP_KDF_CTX_free);
    auto secret = privateBytes(_key.get());
    std::string digest = "SHA256", info(purpose), derived(32, '\0');
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
                                     OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret.data(), secret.size()),
                                     OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info.data(), info.size()),
                                     OSSL_PARAM_construct_end()};
    const bool done =
        context && EVP_KDF_derive(context.get(), reinterpret_cast<unsigned char*>(derived.data()), derived.size(), parameters) == 1;
    OPENSSL_cleanse(secret.data(), secret.size());
    requireSigned(done);
    return derived;
}

} // namespace portico::mobiletool
