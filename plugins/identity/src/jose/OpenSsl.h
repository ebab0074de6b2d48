#pragma once

#include <openssl/err.h>

namespace portico::identity
{

/// Frees an object of OpenSSL: `std::unique_ptr<BIGNUM, Freed<BN_free>>`.
template <auto Free>
struct Freed
{
    template <class T>
    void operator()(T* object) const
    {
        Free(object);
    }
};

/// Clears OpenSSL's error queue of the thread at the end. The next TLS call of the worker would take an error in it for its own failure,
/// and close the connection of another request.
struct NoErrorsLeft
{
    ~NoErrorsLeft() { ERR_clear_error(); }
};

} // namespace portico::identity
