#include "networks/mastodon/MastodonServer.h"

#include "text/Comparison.h"
#include "text/Entities.h"
#include "text/Html.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::social::mastodon
{

std::string serverUrlOf(std::string_view named)
{
    const auto text = trim(named);
    const auto url = text.find("://") == std::string_view::npos ? "https://" + std::string(text) : std::string(text);
    const auto origin = isWebUrl(url) ? originOf(url) : std::string();
    auto host = std::string_view(origin).substr(std::min(origin.find("://") + 3, origin.size()));
    if (const auto colon = host.rfind(':'); colon != std::string_view::npos)
    {
        const auto port = host.substr(colon + 1);
        if (port.empty() || port.find_first_not_of("0123456789") != std::string_view::npos) return {};
        host = host.substr(0, colon);
    }
    const bool isName = std::ranges::all_of(
        host, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || (c & 0x80) != 0; });
    return isName && !host.empty() ? origin : std::string();
}

std::string comparableHtml(std::string_view html) { return lettersOf(withoutMarkup(html)); }

std::string comparableText(std::string_view text)
{
    std::string shown;
    std::size_t position = 0;
    // The server shows a mention without its domain.
    for (const auto& entity : findEntities(text, MentionForm::Fediverse))
    {
        if (entity.kind != EntityKind::Mention) continue;
        shown += text.substr(position, entity.begin - position);
        shown += entity.value.substr(0, entity.value.find('@'));
        position = entity.end;
    }
    shown += text.substr(position);
    return lettersOf(shown);
}

HttpClient::Request Server::request(std::string_view method, std::string_view path, std::string_view token) const
{
    return apiRequest(method, _url + std::string(path), token);
}

Exchanged Server::get(std::string_view path, std::string_view token) const { return exchange(_http, request("GET", path, token)); }

Exchanged Server::postForm(std::string_view path, const QueryFields& form) const
{
    auto sent = request("POST", path, {});
    sent.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    sent.body = toQuery(form);
    return exchange(_http, std::move(sent));
}

Exchanged Server::postJson(std::string_view path, std::string body, std::string_view token, std::string_view idempotencyKey) const
{
    auto sent = request("POST", path, token);
    sent.headers.emplace_back("Content-Type", "application/json");
    sent.headers.emplace_back("Idempotency-Key", idempotencyKey);
    sent.body = std::move(body);
    return exchange(_http, std::move(sent));
}

Exchanged Server::remove(std::string_view path, std::string_view token) const { return exchange(_http, request("DELETE", path, token)); }

Exchanged Server::upload(const FileBody& file, std::string_view contentType, std::string_view description, std::string_view token,
                         std::stop_token stop) const
{
    auto sent = request("POST", "/api/v2/media", token);
    sent.timeout = Network::longestUpload;
    sent.stop = std::move(stop);
    sent.form = {{.name = "description", .text = std::string(description)},
                 {.name = "file", .file = &file, .fileName = "file", .contentType = std::string(contentType)}};
    return exchange(_http, std::move(sent));
}

} // namespace portico::social::mastodon
