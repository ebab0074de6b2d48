#include "platform/Certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace portico::tests
{

namespace
{

template <class T, void (*Free)(T*)>
struct Freer
{
    void operator()(T* object) const { Free(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY, EVP_PKEY_free>>;
using X509Pointer = std::unique_ptr<X509, Freer<X509, X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freer<X509_EXTENSION, X509_EXTENSION_free>>;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File openFile(const std::filesystem::path& path)
{
    File file(std::fopen(path.c_str(), "w"), &std::fclose);
    if (!file) throw std::runtime_error("cannot write " + path.string());
    return file;
}

void addExtension(X509* certificate, int id, const std::string& value)
{
    const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str()));
    if (!extension || X509_add_ext(certificate, extension.get(), -1) != 1) throw std::runtime_error("cannot make a certificate");
}

} // namespace

Certificate makeCertificate(const std::filesystem::path& directory, const std::string& name)
{
    const Key key(EVP_EC_gen("P-256"));
    const X509Pointer certificate(X509_new());
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3'600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 86'400);
    X509_set_pubkey(certificate.get(), key.get());
    auto* subject = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), subject);
    addExtension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
    addExtension(certificate.get(), NID_subject_alt_name, "DNS:" + name);
    if (X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0) throw std::runtime_error("cannot sign a certificate");

    Certificate made{directory / (name + ".key"), directory / (name + ".pem")};
    PEM_write_PrivateKey(openFile(made.keyFile).get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    PEM_write_X509(openFile(made.certificateFile).get(), certificate.get());
    return made;
}

} // namespace portico::tests
