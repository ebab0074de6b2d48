#pragma once

#include <cstdint>
#include <memory>
#include <openssl/evp.h>
#include <string>
#include <string_view>

namespace portico::tests
{

/// Software security key (W3C Web Authentication), which can be configured to lie. One credential with a P-256 key.
class SoftAuthenticator
{
public:
    /// Configured behavior; the defaults are valid.
    struct Behaviour
    {
        std::string origin = "http://identity.localhost:8080";
        std::string rpId = "identity.localhost";
        /// User present, user verified.
        unsigned flags = 0x05;
        bool crossOrigin = false;
        /// Format `packed` signs with the credential's key.
        std::string format = "none";
        std::string userHandle = {};
        bool damagedSignature = false;
    };

    SoftAuthenticator();

    /// Returns the credential of `navigator.credentials.create`, as JSON.
    std::string create(std::string_view challenge, const Behaviour& behaviour) const;
    std::string create(std::string_view challenge) const { return create(challenge, {}); }
    /// Returns that of `navigator.credentials.get`. Each call raises the counter.
    std::string get(std::string_view challenge, const Behaviour& behaviour);
    std::string get(std::string_view challenge) { return get(challenge, {}); }

    std::string attestationObject(const Behaviour& behaviour, std::string_view clientData) const;
    std::string authenticatorData(const Behaviour& behaviour, bool attested) const;
    std::string id() const;

    std::uint32_t counter = 0;

private:
    std::string sign(std::string_view data) const;

    struct KeyDeleter
    {
        void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
    };
    std::unique_ptr<EVP_PKEY, KeyDeleter> _key;
    std::string _credentialId;
};

} // namespace portico::tests
