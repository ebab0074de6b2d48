#include "passkeys/Webauthn.h"

#include "passkeys/CborReader.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>
#include <memory>
#include <openssl/err.h>

namespace portico::identity::webauthn
{

namespace
{

constexpr std::size_t largestObject = 32 * 1024;
constexpr std::size_t longestCredentialId = 1023;

template <class T, void (*Free)(T**)>
struct FidoDeleter
{
    void operator()(T* object) const noexcept { Free(&object); }
};
using Credential = std::unique_ptr<fido_cred_t, FidoDeleter<fido_cred_t, &fido_cred_free>>;
using Assert = std::unique_ptr<fido_assert_t, FidoDeleter<fido_assert_t, &fido_assert_free>>;
using Es256Key = std::unique_ptr<es256_pk_t, FidoDeleter<es256_pk_t, &es256_pk_free>>;
using Rs256Key = std::unique_ptr<rs256_pk_t, FidoDeleter<rs256_pk_t, &rs256_pk_free>>;
using EddsaKey = std::unique_ptr<eddsa_pk_t, FidoDeleter<eddsa_pk_t, &eddsa_pk_free>>;

/// libfido2 leaves what OpenSSL had against a signature in the thread's queue.
struct ErrorQueue
{
    ~ErrorQueue() { ERR_clear_error(); }
};

const unsigned char* bytesOf(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string copy(const unsigned char* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

std::uint32_t bigEndian(std::string_view bytes)
{
    std::uint32_t value = 0;
    for (const char c : bytes) value = (value << 8) | static_cast<unsigned char>(c);
    return value;
}

/// 6.5.1: the credential's id and key; the rest, if any, are extensions. False for another form.
bool takeCredential(std::string_view& rest, AuthenticatorData& data)
{
    constexpr std::size_t aaguidSize = 16;
    if (rest.size() < aaguidSize + 2) return false;
    data.aaguid = rest.substr(0, aaguidSize);
    const std::size_t length = bigEndian(rest.substr(aaguidSize, 2));
    rest.remove_prefix(aaguidSize + 2);
    if (length == 0 || length > longestCredentialId || length > rest.size()) return false;
    data.credentialId = rest.substr(0, length);
    rest.remove_prefix(length);
    CborReader reader(rest);
    const auto key = reader.item();
    const auto entries = key ? CborReader(*key).map() : std::nullopt;
    if (!entries) return false;
    rest = reader.rest();
    for (const auto& [name, value] : *entries)
        if (CborReader::integer(name) == 3) data.algorithm = CborReader::integer(value).value_or(0);
    return data.algorithm != 0;
}

struct AttestationObject
{
    std::string format;
    std::string_view statement;
    std::string_view authenticatorData;
};

std::optional<AttestationObject> parseAttestation(std::string_view bytes)
{
    if (bytes.size() > largestObject) return std::nullopt;
    CborReader reader(bytes);
    const auto entries = reader.map();
    if (!entries || !reader.rest().empty()) return std::nullopt;
    AttestationObject object;
    for (const auto& [key, value] : *entries)
    {
        const auto name = CborReader::text(key);
        if (name == "fmt") object.format = CborReader::text(value).value_or("");
        if (name == "attStmt") object.statement = value;
        if (name == "authData") object.authenticatorData = CborReader::bytes(value).value_or("");
    }
    if (object.format.empty() || object.statement.empty() || object.authenticatorData.empty()) return std::nullopt;
    return object;
}

bool isFor(std::string_view rpId, const AuthenticatorData& data)
{
    return sameSecret(data.rpIdHash, sha256(rpId).bytes()) && data.userPresent && data.userVerified;
}

bool holds(fido_cred_t& credential, const AttestationObject& object)
{
    if (object.format == "none")
    {
        const auto statement = CborReader(object.statement).map();
        return statement && statement->empty();
    }
    if (fido_cred_set_fmt(&credential, object.format.c_str()) != FIDO_OK ||
        fido_cred_set_attstmt(&credential, bytesOf(object.statement), object.statement.size()) != FIDO_OK)
        return false;
    return (fido_cred_x5c_len(&credential) > 0 ? fido_cred_verify(&credential) : fido_cred_verify_self(&credential)) == FIDO_OK;
}

template <class Key, class K>
bool isSigned(const fido_assert_t& assertion, int algorithm, Key key, int (*read)(K*, const void*, std::size_t), std::string_view bytes)
{
    return key && read(key.get(), bytes.data(), bytes.size()) == FIDO_OK &&
           fido_assert_verify(&assertion, 0, algorithm, key.get()) == FIDO_OK;
}

bool isSigned(const fido_assert_t& assertion, const CredentialKey& key)
{
    switch (key.algorithm)
    {
    case COSE_ES256:
        return isSigned(assertion, COSE_ES256, Es256Key(es256_pk_new()), &es256_pk_from_ptr, key.publicKey);
    case COSE_RS256:
        return isSigned(assertion, COSE_RS256, Rs256Key(rs256_pk_new()), &rs256_pk_from_ptr, key.publicKey);
    case COSE_EDDSA:
        return isSigned(assertion, COSE_EDDSA, EddsaKey(eddsa_pk_new()), &eddsa_pk_from_ptr, key.publicKey);
    default:
        return false;
    }
}

} // namespace

std::optional<ClientData> parseClientData(std::string_view json)
{
    if (json.size() > largestObject) return std::nullopt;
    try
    {
        return fromStoredJson<ClientData>(json);
    }
    catch (const Problem&)
    {
        return std::nullopt;
    }
}

std::optional<AuthenticatorData> parseAuthenticatorData(std::string_view bytes)
{
    constexpr std::size_t hashSize = 32, shortest = hashSize + 5;
    constexpr unsigned present = 0x01, verified = 0x04, backupEligible = 0x08, backedUp = 0x10, attested = 0x40, extended = 0x80;
    if (bytes.size() < shortest || bytes.size() > largestObject) return std::nullopt;
    const auto flags = static_cast<unsigned char>(bytes[hashSize]);
    AuthenticatorData data;
    data.rpIdHash = bytes.substr(0, hashSize);
    data.userPresent = flags & present;
    data.userVerified = flags & verified;
    data.backedUp = flags & backedUp;
    data.signCount = bigEndian(bytes.substr(hashSize + 1, 4));
    auto rest = bytes.substr(shortest);
    if (data.backedUp && !(flags & backupEligible)) return std::nullopt;
    if ((flags & attested) && !takeCredential(rest, data)) return std::nullopt;
    if (flags & extended)
    {
        CborReader reader(rest);
        if (!reader.item()) return std::nullopt;
        rest = reader.rest();
    }
    return rest.empty() ? std::optional(data) : std::nullopt;
}

std::optional<NewCredential> verifyAttestation(std::string_view rpId, std::string_view clientDataJson, std::string_view attestationObject)
{
    const ErrorQueue queue;
    const auto object = parseAttestation(attestationObject);
    const auto data = object ? parseAuthenticatorData(object->authenticatorData) : std::nullopt;
    if (!data || data->credentialId.empty() || !isFor(rpId, *data)) return std::nullopt;
    const Credential credential(fido_cred_new());
    const auto raw = object->authenticatorData;
    const bool read = credential && fido_cred_set_type(credential.get(), static_cast<int>(data->algorithm)) == FIDO_OK &&
                      fido_cred_set_clientdata(credential.get(), bytesOf(clientDataJson), clientDataJson.size()) == FIDO_OK &&
                      fido_cred_set_rp(credential.get(), std::string(rpId).c_str(), nullptr) == FIDO_OK &&
                      fido_cred_set_uv(credential.get(), FIDO_OPT_TRUE) == FIDO_OK &&
                      fido_cred_set_authdata_raw(credential.get(), bytesOf(raw), raw.size()) == FIDO_OK;
    if (!read || !holds(*credential, *object)) return std::nullopt;
    NewCredential made;
    made.id = data->credentialId;
    made.algorithm = data->algorithm;
    made.publicKey = copy(fido_cred_pubkey_ptr(credential.get()), fido_cred_pubkey_len(credential.get()));
    made.signCount = data->signCount;
    made.aaguid = data->aaguid;
    made.backedUp = data->backedUp;
    return made.publicKey.empty() ? std::nullopt : std::optional(std::move(made));
}

std::optional<VerifiedAssertion> verifyAssertion(std::string_view rpId, const CredentialKey& key, const Assertion& assertion)
{
    const ErrorQueue queue;
    const auto data = parseAuthenticatorData(assertion.authenticatorData);
    if (!data || !data->credentialId.empty() || !isFor(rpId, *data)) return std::nullopt;
    const Assert made(fido_assert_new());
    const auto& [clientData, raw, signature] = assertion;
    const bool read = made && fido_assert_set_clientdata(made.get(), bytesOf(clientData), clientData.size()) == FIDO_OK &&
                      fido_assert_set_rp(made.get(), std::string(rpId).c_str()) == FIDO_OK &&
                      fido_assert_set_up(made.get(), FIDO_OPT_TRUE) == FIDO_OK &&
                      fido_assert_set_uv(made.get(), FIDO_OPT_TRUE) == FIDO_OK && fido_assert_set_count(made.get(), 1) == FIDO_OK &&
                      fido_assert_set_authdata_raw(made.get(), 0, bytesOf(raw), raw.size()) == FIDO_OK &&
                      fido_assert_set_sig(made.get(), 0, bytesOf(signature), signature.size()) == FIDO_OK;
    if (!read || !isSigned(*made, key)) return std::nullopt;
    return VerifiedAssertion{data->signCount, data->backedUp};
}

} // namespace portico::identity::webauthn
