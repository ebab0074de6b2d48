#include "http_server/TestCertificate.h"

#include <cstdio>
#include <memory>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace portico::test
{

namespace
{

template <class Write>
void writeFile(const std::string& path, Write write)
{
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), std::fclose);
    if (!file || write(file.get()) != 1) throw std::runtime_error("cannot write " + path);
}

} // namespace

void writeCertificate(const std::string& certificateFile, const std::string& keyFile, const std::string& keyType)
{
    const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(keyType == "EC" ? ::EVP_EC_gen("P-256") : ::EVP_RSA_gen(2048),
                                                             ::EVP_PKEY_free);
    const std::unique_ptr<X509, void (*)(X509*)> certificate(::X509_new(), ::X509_free);
    ::X509_set_version(certificate.get(), X509_VERSION_3);
    ::ASN1_INTEGER_set(::X509_get_serialNumber(certificate.get()), 1);
    ::X509_gmtime_adj(::X509_getm_notBefore(certificate.get()), -60);
    ::X509_gmtime_adj(::X509_getm_notAfter(certificate.get()), 3600);
    ::X509_set_pubkey(certificate.get(), key.get());
    auto* name = ::X509_get_subject_name(certificate.get());
    ::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    ::X509_set_issuer_name(certificate.get(), name);
    ::X509_sign(certificate.get(), key.get(), ::EVP_sha256());
    writeFile(certificateFile, [&](std::FILE* file) { return ::PEM_write_X509(file, certificate.get()); });
    writeFile(keyFile, [&](std::FILE* file) { return ::PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
}

} // namespace portico::test
