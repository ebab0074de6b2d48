#pragma once

#include "networks/NetworkCalls.h"
#include "networks/Urls.h"
#include "networks/bluesky/BlueskyProofs.h"
#include "networks/bluesky/BlueskyRecords.h"

#include "portico/HttpClient.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace portico::social::bluesky
{

/// Servers for looking up identities if the caller names none.
struct Directories
{
    /// Resolves handles.
    std::string handleResolver;
    /// Answers with the documents of `did:plc`.
    std::string plc;
};

/// Authorizes a call for an account.
struct Access
{
    std::string_view token{};
    /// Private key as PEM of which the call has a proof; empty: none.
    std::string_view dpopKey{};
};

/// Calls a personal data server by XRPC. Thread-safe.
class Server
{
public:
    /// @param proofs for accounts with a key; may be null for calls without an account
    Server(HttpClient& http, std::string url, Proofs* proofs = nullptr) : _http(http), _url(std::move(url)), _proofs(proofs) {}

    const std::string& url() const noexcept { return _url; }
    Exchanged query(std::string_view method, const QueryFields& fields, const Access& access = {}) const;
    Exchanged procedure(std::string_view method, std::string body, const Access& access = {}) const;
    /// Uploads the bytes of a file.
    Exchanged upload(const FileBody& file, std::string_view contentType, const Access& access, std::stop_token stop) const;
    Exchanged upload(std::string bytes, std::string_view contentType, const Access& access) const;

private:
    HttpClient::Request request(std::string_view method) const;
    HttpClient::Request uploadRequest(std::string_view contentType) const;
    Exchanged send(HttpClient::Request request, const Access& access) const;

    HttpClient& _http;
    std::string _url;
    Proofs* _proofs;
};

/// An account's DID and its server.
struct FoundAccount
{
    std::string did;
    std::string serverUrl;
};

/// Finds the server of an account: handle to DID to document to server. @throws ConnectFault
FoundAccount findAccount(HttpClient& http, const Directories& directories, std::string_view identifier);
/// Returns the server that a DID document names; empty: none.
std::string serverOf(const DidDocument& document);
/// True for `name.example.org`.
bool isHandle(std::string_view text) noexcept;

} // namespace portico::social::bluesky
