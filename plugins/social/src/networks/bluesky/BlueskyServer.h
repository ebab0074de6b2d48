#pragma once

#include "networks/NetworkCalls.h"
#include "networks/Urls.h"
#include "networks/bluesky/BlueskyRecords.h"

#include "portico/HttpClient.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace portico::social::bluesky
{

/// Where identities are looked up when the caller names no server.
struct Directories
{
    /// Resolves handles.
    std::string handleResolver;
    /// Answers with the documents of `did:plc`.
    std::string plc;
};

/// Calls a personal data server by XRPC. Thread-safe.
class Server
{
public:
    Server(HttpClient& http, std::string url) : _http(http), _url(std::move(url)) {}

    const std::string& url() const noexcept { return _url; }
    Exchanged query(std::string_view method, const QueryFields& fields, std::string_view token = {}) const;
    Exchanged procedure(std::string_view method, std::string body, std::string_view token = {}) const;
    /// Uploads the bytes of a file.
    Exchanged upload(const FileBody& file, std::string_view contentType, std::string_view token, std::stop_token stop) const;
    Exchanged upload(std::string bytes, std::string_view contentType, std::string_view token) const;

private:
    HttpClient::Request request(std::string_view method, std::string_view token) const;
    HttpClient::Request uploadRequest(std::string_view contentType, std::string_view token) const;

    HttpClient& _http;
    std::string _url;
};

/// Returns the server of an account: handle to DID to document to server. @throws ConnectFault
std::string findServer(HttpClient& http, const Directories& directories, std::string_view identifier);
/// Returns the server that a DID document names; empty: none.
std::string serverOf(const DidDocument& document);
/// True for `name.example.org`.
bool isHandle(std::string_view text) noexcept;

} // namespace portico::social::bluesky
