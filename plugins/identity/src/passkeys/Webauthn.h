#pragma once

#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Parses answers of authenticators and browsers (W3C Web Authentication, Level 2), and verifies them by libfido2. All input is untrusted.
/// Functions have no side effects; an empty result means rejected.
namespace webauthn
{

/// 5.8.1
struct ClientData
{
    std::string type;
    /// base64url
    std::string challenge;
    std::string origin;
    bool crossOrigin = false;
};
constexpr auto schemaOf(const ClientData*)
{
    return describe(members<&ClientData::type, &ClientData::challenge, &ClientData::origin, &ClientData::crossOrigin>());
}
std::optional<ClientData> parseClientData(std::string_view json);

/// 6.1
struct AuthenticatorData
{
    std::string_view rpIdHash;
    bool userPresent = false;
    bool userVerified = false;
    bool backedUp = false;
    std::uint32_t signCount = 0;
    /// Set for a new credential; empty in an assertion.
    std::string_view aaguid = {};
    std::string_view credentialId = {};
    /// COSE algorithm of its key.
    std::int64_t algorithm = 0;
};
std::optional<AuthenticatorData> parseAuthenticatorData(std::string_view bytes);

/// Verified new credential; as bytes.
struct NewCredential
{
    std::string id;
    std::int64_t algorithm = 0;
    std::string publicKey;
    std::uint32_t signCount = 0;
    std::string aaguid;
    bool backedUp = false;
};
/// Implements 7.1 from step 12 on: checks the relying party, user verification, and the attestation, which may be none.
std::optional<NewCredential> verifyAttestation(std::string_view rpId, std::string_view clientDataJson, std::string_view attestationObject);

struct CredentialKey
{
    std::int64_t algorithm = 0;
    std::string publicKey;
};
struct Assertion
{
    std::string clientDataJson;
    std::string authenticatorData;
    std::string signature;
};
struct VerifiedAssertion
{
    std::uint32_t signCount = 0;
    bool backedUp = false;
};
/// 7.2 from step 15 to 20: for that relying party, with the user verified, signed with the key.
std::optional<VerifiedAssertion> verifyAssertion(std::string_view rpId, const CredentialKey& key, const Assertion& assertion);

} // namespace webauthn

} // namespace portico::identity
