#pragma once

#include "networks/NetworkCalls.h"
#include "networks/Urls.h"
#include "networks/mastodon/MastodonAnswers.h"

#include "portico/Response.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace portico::social::mastodon
{

/// Calls a Mastodon server. Thread-safe.
class Server
{
public:
    Server(HttpClient& http, std::string url) : _http(http), _url(std::move(url)) {}

    Exchanged get(std::string_view path, std::string_view token = {}) const;
    /// Posts a form, as OAuth does.
    Exchanged postForm(std::string_view path, const QueryFields& form) const;
    /// Posts JSON under an idempotency key.
    Exchanged postJson(std::string_view path, std::string body, std::string_view token, std::string_view idempotencyKey) const;
    Exchanged remove(std::string_view path, std::string_view token) const;
    /// Uploads a file with its description.
    Exchanged upload(const FileBody& file, std::string_view contentType, std::string_view description, std::string_view token,
                     std::stop_token stop) const;

private:
    HttpClient::Request request(std::string_view method, std::string_view path, std::string_view token) const;

    HttpClient& _http;
    std::string _url;
};

/// Returns the origin of a server that a user names (`mastodon.social`, `https://mastodon.social/@anna`); empty for text that names none.
std::string serverUrlOf(std::string_view named);

/// Returns the letters, digits and pictures of a status' HTML as a reader sees them, for comparing it with a text.
std::string comparableHtml(std::string_view html);
/// The same of a text that was sent.
std::string comparableText(std::string_view text);

} // namespace portico::social::mastodon
