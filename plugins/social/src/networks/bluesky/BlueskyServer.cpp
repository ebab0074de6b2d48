#include "networks/bluesky/BlueskyServer.h"

#include "text/Entities.h"

#include "portico/Text.h"

namespace portico::social::bluesky
{

namespace
{
constexpr std::chrono::seconds queryTimeout{15};

[[noreturn]] void unknownIdentifier()
{
    throw ConnectFault(ConnectFault::Kind::BadInput, "identifier", "unknown_identifier", "There is no account with this handle or DID.");
}

std::string didOf(HttpClient& http, const Directories& directories, std::string_view handle)
{
    const Server resolver(http, directories.handleResolver);
    const auto resolved = resolver.query("com.atproto.identity.resolveHandle", {{"handle", std::string(handle)}});
    if (const auto answer = readAnswer<ResolvedHandle>(resolved); resolved.isSuccess() && answer && answer->did.starts_with("did:"))
        return answer->did;
    // The account's own domain says it, too.
    HttpClient::Request request;
    request.url = "https://" + std::string(handle) + "/.well-known/atproto-did";
    request.timeout = queryTimeout;
    request.maxResponseBytes = 4'096;
    const auto direct = exchange(http, std::move(request));
    if (direct.isSuccess())
        if (const auto did = trim(direct.response->body); did.starts_with("did:") && did.size() < 200) return std::string(did);
    if (!resolved.response && !direct.response)
        throw ConnectFault(ConnectFault::Kind::Unreachable, "", "network_unreachable", resolved.message);
    unknownIdentifier();
}

DidDocument documentOf(HttpClient& http, const Directories& directories, std::string_view did)
{
    HttpClient::Request request;
    request.timeout = queryTimeout;
    if (did.starts_with("did:plc:"))
        request.url = directories.plc + "/" + percentEncoded(did);
    else if (did.starts_with("did:web:") && did.find('/') == std::string_view::npos)
        request.url = "https://" + std::string(did.substr(8)) + "/.well-known/did.json";
    else
        unknownIdentifier();
    const auto answer = exchange(http, std::move(request));
    if (answer.response && answer.response->status == 404) unknownIdentifier();
    return requireAnswer<DidDocument>(answer, "The directory of identities");
}
} // namespace

bool isHandle(std::string_view text) noexcept
{
    const auto sought = "@" + std::string(text);
    const auto found = findEntities(sought, MentionForm::Domain);
    return found.size() == 1 && found.front().kind == EntityKind::Mention && found.front().end == sought.size();
}

std::string serverOf(const DidDocument& document)
{
    for (const auto& service : document.service)
        if (service.id.ends_with("#atproto_pds") && service.serviceEndpoint.text.size() > 2 && service.serviceEndpoint.text.front() == '"')
        {
            auto url = service.serviceEndpoint.text.substr(1, service.serviceEndpoint.text.size() - 2);
            while (url.ends_with('/')) url.pop_back();
            return isWebUrl(url) ? url : std::string();
        }
    return {};
}

FoundAccount findAccount(HttpClient& http, const Directories& directories, std::string_view identifier)
{
    auto did = identifier.starts_with("did:") ? std::string(identifier) : didOf(http, directories, identifier);
    auto url = serverOf(documentOf(http, directories, did));
    if (url.empty()) unknownIdentifier();
    return {std::move(did), std::move(url)};
}

HttpClient::Request Server::request(std::string_view method) const
{
    HttpClient::Request request;
    request.url = _url + "/xrpc/" + std::string(method);
    request.timeout = queryTimeout;
    request.headers.emplace_back("Accept", "application/json");
    return request;
}

Exchanged Server::send(HttpClient::Request request, const Access& access) const
{
    if (!access.dpopKey.empty() && _proofs != nullptr)
        return _proofs->send(_http, std::move(request), JwtKey::parse(access.dpopKey), access.token);
    if (!access.token.empty()) request.headers.emplace_back("Authorization", "Bearer " + std::string(access.token));
    return exchange(_http, std::move(request));
}

Exchanged Server::query(std::string_view method, const QueryFields& fields, const Access& access) const
{
    auto sent = request(method);
    if (!fields.empty()) sent.url += "?" + toQuery(fields);
    return send(std::move(sent), access);
}

Exchanged Server::procedure(std::string_view method, std::string body, const Access& access) const
{
    auto sent = request(method);
    sent.method = "POST";
    if (!body.empty()) sent.headers.emplace_back("Content-Type", "application/json");
    sent.body = std::move(body);
    return send(std::move(sent), access);
}

HttpClient::Request Server::uploadRequest(std::string_view contentType) const
{
    auto sent = request("com.atproto.repo.uploadBlob");
    sent.method = "POST";
    sent.timeout = Network::longestCall;
    sent.headers.emplace_back("Content-Type", contentType);
    return sent;
}

Exchanged Server::upload(const FileBody& file, std::string_view contentType, const Access& access, std::stop_token stop) const
{
    auto sent = uploadRequest(contentType);
    sent.timeout = Network::longestUpload;
    sent.stop = std::move(stop);
    sent.bodyFile = &file;
    return send(std::move(sent), access);
}

Exchanged Server::upload(std::string bytes, std::string_view contentType, const Access& access) const
{
    auto sent = uploadRequest(contentType);
    sent.body = std::move(bytes);
    return send(std::move(sent), access);
}

} // namespace portico::social::bluesky
