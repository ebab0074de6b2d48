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
    /// True if the authenticator has reported a backup of the key.
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
    return describe(field<&Passkey::id>().readOnly(), named(field<&Passkey::name>().required().trimmed().maxLength(80)),
                    field<&Passkey::backedUp>().readOnly(), field<&Passkey::transports>().readOnly(),
                    field<&Passkey::lastUsedAt>().readOnly(), versioned<Passkey>(), field<&Passkey::userId>().columnOnly().transient(),
                    field<&Passkey::credentialId>().columnOnly(), field<&Passkey::algorithm>().columnOnly(),
                    field<&Passkey::publicKey>().columnOnly(), field<&Passkey::signCount>().columnOnly(),
                    field<&Passkey::aaguid>().columnOnly());
}

inline constexpr Table passkeyTable{"passkeys", {.tenant = "user_id"}, &Passkey::id};

// JSON forms that browsers read and write (W3C Web Authentication, Level 3, 5.1).

struct CredentialDescriptor
{
    std::string type = "public-key";
    std::string id;
    std::vector<std::string> transports;
};

constexpr auto schemaOf(const CredentialDescriptor*)
{
    return describe(members<&CredentialDescriptor::type, &CredentialDescriptor::id, &CredentialDescriptor::transports>());
}

struct RelyingParty
{
    std::string id;
    std::string name;
};

constexpr auto schemaOf(const RelyingParty*) { return describe(members<&RelyingParty::id, &RelyingParty::name>()); }

struct PasskeyUser
{
    std::string id;
    std::string name;
    std::string displayName;
};

constexpr auto schemaOf(const PasskeyUser*) { return describe(members<&PasskeyUser::id, &PasskeyUser::name, &PasskeyUser::displayName>()); }

struct CredentialParameter
{
    std::string type = "public-key";
    std::int64_t alg = 0;
};

constexpr auto schemaOf(const CredentialParameter*) { return describe(members<&CredentialParameter::type, &CredentialParameter::alg>()); }

struct AuthenticatorSelection
{
    std::string residentKey = "required";
    bool requireResidentKey = true;
    std::string userVerification = "required";
};

constexpr auto schemaOf(const AuthenticatorSelection*)
{
    return describe(members<&AuthenticatorSelection::residentKey, &AuthenticatorSelection::requireResidentKey,
                            &AuthenticatorSelection::userVerification>());
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
    return describe(members<&CreationOptions::rp, &CreationOptions::user, &CreationOptions::challenge, &CreationOptions::pubKeyCredParams,
                            &CreationOptions::timeout, &CreationOptions::excludeCredentials, &CreationOptions::authenticatorSelection,
                            &CreationOptions::attestation>());
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
    return describe(members<&RequestOptions::challenge, &RequestOptions::timeout, &RequestOptions::rpId, &RequestOptions::allowCredentials,
                            &RequestOptions::userVerification>());
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
    return describe(field<&CredentialResponse::clientDataJson>("clientDataJSON"),
                    members<&CredentialResponse::attestationObject, &CredentialResponse::transports, &CredentialResponse::authenticatorData,
                            &CredentialResponse::signature, &CredentialResponse::userHandle>());
}

/// Answer of a browser in either ceremony; unknown members are ignored.
struct CredentialInput
{
    std::string id;
    std::string type;
    CredentialResponse response;
};

constexpr auto schemaOf(const CredentialInput*)
{
    return describe(members<&CredentialInput::id, &CredentialInput::type, &CredentialInput::response>());
}

} // namespace portico::identity
