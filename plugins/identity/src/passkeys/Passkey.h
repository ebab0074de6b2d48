#pragma once

#include "common/Ids.h"
#include "common/Names.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// A row of `passkeys`: a WebAuthn credential of a user.
struct Passkey : Versioned
{
    PasskeyId id;
    std::string name;
    /// The authenticator told that it is kept in more places than one.
    bool backedUp = false;
    std::vector<std::string> transports;
    std::optional<Instant> lastUsedAt;

    // Only in rows; bytes as base64url.
    UserId userId;
    std::string credentialId;
    std::int64_t algorithm = 0;
    std::string publicKey;
    std::int64_t signCount = 0;
    std::string aaguid;
};

constexpr auto schemaOf(const Passkey*)
{
    return describe(field("id", &Passkey::id).readOnly(), named(field("name", &Passkey::name).required().trimmed().maxLength(80)),
                    field("backedUp", &Passkey::backedUp).readOnly(), field("transports", &Passkey::transports).readOnly(),
                    field("lastUsedAt", &Passkey::lastUsedAt).readOnly(), versioned<Passkey>(),
                    field("userId", &Passkey::userId).columnOnly().transient(), field("credentialId", &Passkey::credentialId).columnOnly(),
                    field("algorithm", &Passkey::algorithm).columnOnly(), field("publicKey", &Passkey::publicKey).columnOnly(),
                    field("signCount", &Passkey::signCount).columnOnly(), field("aaguid", &Passkey::aaguid).columnOnly());
}

inline constexpr Table passkeyTable{"passkeys", {.tenant = "user_id"}, &Passkey::id};

// What browsers read and write (W3C Web Authentication, Level 3, 5.1: the JSON forms).

struct CredentialDescriptor
{
    std::string type = "public-key";
    std::string id;
    std::vector<std::string> transports;
};

constexpr auto schemaOf(const CredentialDescriptor*)
{
    return describe(field("type", &CredentialDescriptor::type), field("id", &CredentialDescriptor::id),
                    field("transports", &CredentialDescriptor::transports));
}

struct RelyingParty
{
    std::string id;
    std::string name;
};

constexpr auto schemaOf(const RelyingParty*) { return describe(field("id", &RelyingParty::id), field("name", &RelyingParty::name)); }

struct PasskeyUser
{
    std::string id;
    std::string name;
    std::string displayName;
};

constexpr auto schemaOf(const PasskeyUser*)
{
    return describe(field("id", &PasskeyUser::id), field("name", &PasskeyUser::name), field("displayName", &PasskeyUser::displayName));
}

struct CredentialParameter
{
    std::string type = "public-key";
    std::int64_t alg = 0;
};

constexpr auto schemaOf(const CredentialParameter*)
{
    return describe(field("type", &CredentialParameter::type), field("alg", &CredentialParameter::alg));
}

struct AuthenticatorSelection
{
    std::string residentKey = "required";
    bool requireResidentKey = true;
    std::string userVerification = "required";
};

constexpr auto schemaOf(const AuthenticatorSelection*)
{
    return describe(field("residentKey", &AuthenticatorSelection::residentKey),
                    field("requireResidentKey", &AuthenticatorSelection::requireResidentKey),
                    field("userVerification", &AuthenticatorSelection::userVerification));
}

struct CreationOptions
{
    RelyingParty rp;
    PasskeyUser user;
    std::string challenge;
    std::vector<CredentialParameter> pubKeyCredParams;
    std::int64_t timeout = 300'000;
    std::vector<CredentialDescriptor> excludeCredentials;
    AuthenticatorSelection authenticatorSelection;
    std::string attestation = "none";
};

constexpr auto schemaOf(const CreationOptions*)
{
    return describe(field("rp", &CreationOptions::rp), field("user", &CreationOptions::user),
                    field("challenge", &CreationOptions::challenge), field("pubKeyCredParams", &CreationOptions::pubKeyCredParams),
                    field("timeout", &CreationOptions::timeout), field("excludeCredentials", &CreationOptions::excludeCredentials),
                    field("authenticatorSelection", &CreationOptions::authenticatorSelection),
                    field("attestation", &CreationOptions::attestation));
}

struct RequestOptions
{
    std::string challenge;
    std::int64_t timeout = 300'000;
    std::string rpId;
    std::vector<CredentialDescriptor> allowCredentials;
    std::string userVerification = "required";
};

constexpr auto schemaOf(const RequestOptions*)
{
    return describe(field("challenge", &RequestOptions::challenge), field("timeout", &RequestOptions::timeout),
                    field("rpId", &RequestOptions::rpId), field("allowCredentials", &RequestOptions::allowCredentials),
                    field("userVerification", &RequestOptions::userVerification));
}

struct CredentialResponse
{
    std::string clientDataJson;
    std::string attestationObject;
    std::vector<std::string> transports;
    std::string authenticatorData;
    std::string signature;
    std::optional<std::string> userHandle;
};

constexpr auto schemaOf(const CredentialResponse*)
{
    return describe(
        field("clientDataJSON", &CredentialResponse::clientDataJson), field("attestationObject", &CredentialResponse::attestationObject),
        field("transports", &CredentialResponse::transports), field("authenticatorData", &CredentialResponse::authenticatorData),
        field("signature", &CredentialResponse::signature), field("userHandle", &CredentialResponse::userHandle));
}

/// What a browser gives for either ceremony; members that we do not know are passed over.
struct CredentialInput
{
    std::string id;
    std::string type;
    CredentialResponse response;
};

constexpr auto schemaOf(const CredentialInput*)
{
    return describe(field("id", &CredentialInput::id), field("type", &CredentialInput::type),
                    field("response", &CredentialInput::response));
}

} // namespace portico::identity
