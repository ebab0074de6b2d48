#include "host/http/TlsContext.h"

#include <stdexcept>
#include <utility>

#include <Poco/Exception.h>
#include <Poco/Net/NetException.h>
#include <openssl/err.h>

namespace portico::host::http
{

namespace
{

constexpr unsigned char protocols[] = "\x08http/1.1";

int selectProtocol(SSL*, const unsigned char** out, unsigned char* outLength, const unsigned char* offered, unsigned offeredLength, void*)
{
    unsigned char* selected = nullptr;
    const int result = ::SSL_select_next_proto(&selected, outLength, protocols, sizeof protocols - 1, offered, offeredLength);
    *out = selected;
    // A client that cannot speak HTTP/1.1 is told so now; one that offers nothing never gets here.
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Encrypted keys: without this OpenSSL would ask on the terminal.
int noPassphrase(char*, int, int, void*) { return 0; }

void check(int result, const char* what, const std::string& file)
{
    if (result == 1) return;
    ::ERR_clear_error();
    throw std::runtime_error(std::string("TLS: ") + what + " " + file +
                             ": not usable; expected a readable PEM file, unencrypted, of a certificate chain and its own private key");
}

Poco::AutoPtr<Poco::Net::Context> makeContext(const TlsSettings& settings)
{
    using Poco::Net::Context;
    Context::Params parameters;
    parameters.verificationMode = Context::VERIFY_NONE;
    // TLS 1.2 with forward secrecy and authenticated encryption only; TLS 1.3 has nothing else.
    parameters.cipherList = "ECDHE+AESGCM:ECDHE+CHACHA20";
    Poco::AutoPtr<Context> context(new Context(Context::TLS_SERVER_USE, parameters));
    context->requireMinimumProtocol(Context::PROTO_TLSV1_2);
    SSL_CTX* ssl = context->sslContext();
    ::SSL_CTX_set_default_passwd_cb(ssl, noPassphrase);
    check(::SSL_CTX_use_certificate_chain_file(ssl, settings.certificateChainFile.c_str()), "certificate", settings.certificateChainFile);
    check(::SSL_CTX_use_PrivateKey_file(ssl, settings.privateKeyFile.c_str(), SSL_FILETYPE_PEM), "private key", settings.privateKeyFile);
    check(::SSL_CTX_check_private_key(ssl), "private key", settings.privateKeyFile);
    ::SSL_CTX_set_alpn_select_cb(ssl, selectProtocol, nullptr);
    // Non-blocking writes may be repeated from another buffer; idle sessions give their buffers back.
    ::SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    ::SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    return context;
}

} // namespace

TlsContext::TlsContext(TlsSettings settings) : _settings(std::move(settings)) { reload(); }

void TlsContext::reload()
try
{
    auto fresh = makeContext(_settings);
    const std::lock_guard lock(_mutex);
    _context = fresh;
}
catch (const Poco::Exception& error)
{
    throw std::runtime_error("TLS: " + error.displayText());
}

SslPointer TlsContext::accept(int descriptor) const noexcept
{
    const std::lock_guard lock(_mutex);
    SslPointer ssl(::SSL_new(_context->sslContext()));
    if (!ssl || ::SSL_set_fd(ssl.get(), descriptor) != 1) return nullptr;
    ::SSL_set_accept_state(ssl.get());
    return ssl;
}

} // namespace portico::host::http
