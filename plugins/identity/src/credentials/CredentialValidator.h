#pragma once

#include "common/Core.h"
#include "credentials/CallerCache.h"
#include "keys/KeyUsage.h"
#include "permissions/Evaluator.h"
#include "records/ApiKey.h"
#include "tokens/Dpop.h"

#include "portico/RateLimit.h"
#include "portico/system/Credentials.h"

#include <memory>
#include <string>

namespace portico::identity
{

/// Implements `portico.credentials`: returns the caller of a token or key, with the rights in the called service by current rows. Called
/// for every protected request. Thread-safe.
class CredentialValidator final : public interfaces::Credentials
{
public:
    CredentialValidator(Core& core, KeyUsage& usage);

    std::shared_ptr<const Caller> validate(const interfaces::Credential& credential) override;
    std::shared_ptr<const Caller> validateCached(const interfaces::Credential& credential) override;
    void requireFreshProof(const Caller& caller) override;

private:
    /// State of one validation: the credential, and the time of the question.
    struct Question
    {
        const interfaces::Credential& credential;
        CredentialKey key;
        Instant now;
        /// Cached result, unless it has expired, and the revisions of its caller; without one only the common revision.
        std::optional<RememberedCredential> known;
        CallerRevision revision;
        /// Returns true if nothing has changed since the caller was cached.
        bool isCurrent() const { return known && known->revision == revision && now < known->callerUntil; }
    };

    /// Source of a validated token.
    struct Viewed
    {
        Session& snapshot;
        const Catalog& catalog;
        const Question& question;
        const AccessClaims& claims;
        const SignIn& signIn;
        const User& user;
    };

    Question question(const interfaces::Credential& credential);
    /// Without the revision.
    Question remembered(const interfaces::Credential& credential);
    /// The caller with that standing at the service of the token.
    Caller callerIn(const Viewed& viewed, const ActiveStanding& standing, const EvaluationInput& input) const;
    std::shared_ptr<const Caller> validateToken(Question question);
    std::shared_ptr<const Caller> validateKey(Question question);
    /// Signature, form, times and audience. @throws Problem 401
    std::shared_ptr<const AccessClaims> readClaims(const Question& question);
    /// By the rows of one snapshot.
    /// @throws Problem 401 `invalid_token` (session_ended, user_suspended, revoked), 403 `service_access_denied`
    RememberedCredential verifyToken(const Question& question, const AccessClaims& claims);
    /// Identity itself, and the consoles: on their origins the routes are called that manage the platform, for which what people may do in
    /// identity counts.
    bool managesPlatform(const CatalogService& service) const;
    /// The same of a client's own token. @throws as `ServicePrincipal::require`
    RememberedCredential verifyService(const Question& question, const AccessClaims& claims);
    /// Validates a client's secret as the bearer token of SCIM, for directories that cannot request tokens. Counts as a token of that
    /// client with the scope `scim` only.
    /// @throws like `verifyService`, and 429 for a network that guesses
    std::shared_ptr<const Caller> validateDirectorySecret(Question question);
    /// The same; a key without a grant in the service comes back with no scopes. Addresses are for the caller to compare, as they differ
    /// by request. @throws Problem 401 `invalid_token` (key_disabled, key_expired, key_revoked, workspace_suspended, user_suspended), 403
    /// `service_access_denied`
    RememberedCredential verifyKey(const Question& question);
    /// Verifies a fan-out token that was issued for a key. @throws as `verifyKey`
    RememberedCredential verifyWidgetKey(const Question& question, const AccessClaims& claims);
    /// The caller of a key that can be used. @throws as `verifyKey`
    RememberedCredential describeOwner(const Question& question, Session& snapshot, const Catalog& catalog,
                                       const Changes::HostNumbers& numbers, const ApiKey& key) const;
    [[noreturn]] void refuseUnknown(const Question& question, std::string_view reason);

    Core& _core;
    KeyUsage& _usage;
    Dpop _dpop;
    CallerCache _cache;
    RateLimit _keyFailures;
};

} // namespace portico::identity
