#pragma once

#include "host/http/ServerSettings.h"

#include <memory>
#include <mutex>

#include <Poco/AutoPtr.h>
#include <Poco/Net/Context.h>
#include <openssl/ssl.h>

namespace portico::host::http
{

struct SslDeleter
{
    void operator()(SSL* ssl) const noexcept { ::SSL_free(ssl); }
};
using SslPointer = std::unique_ptr<SSL, SslDeleter>;

/// The certificate of a listener: TLS 1.2 or later, ALPN `http/1.1`. Thread-safe.
class TlsContext
{
public:
    /// @throws std::runtime_error that names the file, for a certificate or key that cannot be used.
    explicit TlsContext(TlsSettings settings);

    /// Reads the files again. Connections that are open keep the certificate they began with; if this throws, so do new ones.
    void reload();
    /// A new session for an accepted socket, which stays the caller's. Null when there is no memory.
    SslPointer accept(int descriptor) const noexcept;

private:
    const TlsSettings _settings;
    mutable std::mutex _mutex;
    Poco::AutoPtr<Poco::Net::Context> _context;
};

} // namespace portico::host::http
