#pragma once

#include "catalog/CatalogStore.h"
#include "common/Changes.h"
#include "credentials/CallerCache.h"
#include "keys/ApiKey.h"
#include "keys/KeyUsage.h"
#include "tokens/KeyRing.h"

#include "portico/Clock.h"
#include "portico/StateStore.h"
#include "portico/interfaces/Credentials.h"

#include <memory>
#include <string>

namespace portico::identity
{

/// `portico.credentials`: who holds this token or key, and what they may do in the service that is called, as the rows say now. Asked once
/// a protected request. Thread-safe.
class CredentialValidator final : public interfaces::Credentials
{
public:
    struct Parts
    {
        Database& database;
        Changes& changes;
        CatalogStore& catalog;
        KeyRing& keys;
        KeyUsage& usage;
        StateStore& state;
        const Clock& clock;
        /// `iss` that a token must have.
        std::string issuer;
    };
    explicit CredentialValidator(Parts parts) : _parts(std::move(parts)) {}

    std::shared_ptr<const Caller> validate(const interfaces::Credential& credential) override;
    std::shared_ptr<const Caller> recall(const interfaces::Credential& credential) override;

private:
    /// One validation on its way: what is asked, and as of when it is answered.
    struct Question
    {
        const interfaces::Credential& credential;
        Sha256Value key;
        DataRevision revision;
        Instant now;
    };

    Question question(const interfaces::Credential& credential);
    std::shared_ptr<const Caller> validateToken(const Question& question);
    std::shared_ptr<const Caller> validateKey(const Question& question);
    /// Signature, form, times and audience. @throws Problem 401
    std::shared_ptr<const AccessClaims> verify(const Question& question);
    RememberedCredential judgeToken(const Question& question, const AccessClaims& claims);
    RememberedCredential judgeKey(const Question& question);
    [[noreturn]] void refuseUnknownKey(const Question& question);

    Parts _parts;
    Sha256 _sha256;
    CallerCache _cache;
};

} // namespace portico::identity
