#pragma once

#include "ai/ModelServer.h"
#include "common/Platform.h"

#include "portico/Tenant.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// The subject of a text.
struct TextTopic
{
    std::string title;
    std::string summary;
    /// Maximum length of a text, in characters.
    std::int64_t maxCharacters = 0;
    /// A text of this topic that was too long; empty: the first request.
    std::string tooLong;
};

/// The request for texts of one platform.
struct TextWish
{
    Platform platform = Platform::Bluesky;
    std::string language;
    std::string tone;
    std::string instructions;
    std::int64_t perTopic = 1;
    std::vector<TextTopic> topics;
};

/// Texts by topic, in the order of the request: at most `perTopic` each, perhaps none.
using WrittenTexts = std::vector<std::vector<std::string>>;

/// Requests texts from the configured provider. Treats the model's output as data: removes control characters and tags, and follows no
/// instructions in it. One attempt. Thread-safe.
class TextModel
{
public:
    TextModel(const Config& config, HttpClient& http) : _config(config), _server(config), _http(http) {}

    /// Returns whether the operator has set up a model for texts.
    bool isConfigured() const;
    /// Returns the texts; empty: no answer within `timeout`, or one that is not the JSON that was asked for.
    std::optional<WrittenTexts> write(Tenant organization, const TextWish& request, std::chrono::milliseconds timeout) const;

private:
    const Config& _config;
    const ModelServer _server;
    HttpClient& _http;
};

} // namespace portico::social
