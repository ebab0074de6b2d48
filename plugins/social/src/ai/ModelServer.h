#pragma once

#include "portico/Config.h"
#include "portico/HttpClient.h"
#include "portico/Schema.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace portico::social
{

/// Provider of models for pictures and texts (`social.ai.provider`).
enum class AiProvider : std::uint8_t
{
    None,
    /// The model gateway of the platform, which knows the models of each organization.
    Gateway,
    /// A server with the APIs of OpenAI.
    OpenAi,
    /// Samples of this server, for trials.
    Local
};
constexpr auto schemaOf(const AiProvider*)
{
    using enum AiProvider;
    return portico::choices<AiProvider>({{"none", None}, {"gateway", Gateway}, {"openai", OpenAi}, {"local", Local}});
}

/// The model server of the configuration. Thread-safe.
class ModelServer
{
public:
    explicit ModelServer(const Config& config) : _config(config) {}

    AiProvider provider() const { return _config.choice<AiProvider>("social.ai.provider"); }
    /// Returns whether the provider is a server, and the configuration has its address.
    bool hasServer() const;
    /// Returns a GET for this path with the operator's key. A longer answer than `maxBytes` is a failure.
    HttpClient::Request request(std::string_view path, std::uint64_t maxBytes) const;

private:
    const Config& _config;
};

} // namespace portico::social
