#pragma once

#include "portico/Caller.h"
#include "portico/Crypto.h"
#include "portico/Request.h"

#include <string>
#include <string_view>

namespace portico::host::routing
{

/// The explicit credential of a request: what `Authorization` or `X-Api-Key` carries. A query string or a body is never looked at.
struct SentCredential
{
    CredentialKind kind = CredentialKind::None;
    std::string_view value;
    /// Null until the dispatcher has it.
    const Digest* digest = nullptr;

    /// @throws Problem 400 `multiple_credentials` for more than one, 401 `invalid_token` for one that is malformed.
    static SentCredential read(const Request& request);
};

/// The SHA-256 of the credential that was asked for last, so that one that is sent again is not hashed again: it costs more than all else
/// that is asked about a caller who is known. Where two texts begin to differ may show in the time of the comparison, 16 bytes or more at a
/// step: nobody guesses that much of a signature or a key. Used by one thread at a time.
class CredentialDigest
{
public:
    const Digest& of(std::string_view credential)
    {
        if (!_text.empty() && credential == _text) return _digest;
        _text.clear();
        _digest = sha256(credential);
        _text = credential;
        return _digest;
    }

private:
    std::string _text;
    Digest _digest;
};

} // namespace portico::host::routing
