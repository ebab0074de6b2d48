#include "ai/ModelServer.h"

namespace portico::social
{

bool ModelServer::hasServer() const
{
    const auto kind = provider();
    return (kind == AiProvider::Gateway || kind == AiProvider::OpenAi) && !_config.url("social.ai.url").empty();
}

HttpClient::Request ModelServer::request(std::string_view path, std::uint64_t maxBytes) const
{
    HttpClient::Request request;
    auto url = _config.url("social.ai.url");
    while (url.ends_with('/')) url.pop_back();
    request.url = url + std::string(path);
    request.maxResponseBytes = maxBytes;
    request.headers = {{"Accept", "application/json"}};
    if (const auto& key = _config.secret("social.ai.keyFile"); !key.empty()) request.headers.emplace_back("Authorization", "Bearer " + key);
    return request;
}

} // namespace portico::social
