#pragma once

#include "ai/ModelServer.h"

#include "portico/StateStore.h"
#include "portico/Tenant.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::social
{

/// A model that an organization may use, as the gateway says it.
struct AllowedModel
{
    std::string id;
    std::vector<std::string> sizes;
    std::int64_t maxCount = 0;
};
constexpr auto schemaOf(const AllowedModel*)
{
    return describe(members<&AllowedModel::id, &AllowedModel::sizes, &AllowedModel::maxCount>());
}

/// Answer of the gateway's `GET /api/image-settings`.
struct ImageSettings
{
    std::string defaultModel;
    std::vector<AllowedModel> allowedModels;
};
constexpr auto schemaOf(const ImageSettings*) { return describe(members<&ImageSettings::defaultModel, &ImageSettings::allowedModels>()); }

struct PictureRequest
{
    std::string prompt;
    std::int64_t count = 1;
    /// `1024x1024`, `1024x1536`, `1536x1024` or `auto`.
    std::string size = "1024x1024";
    std::string style;
    std::optional<std::int64_t> seed;
    /// Model that the caller names; empty: the organization's.
    std::string model;
};

struct PictureAnswer
{
    /// Bytes of the files.
    std::vector<std::string> pictures;
    std::string model;
    std::string requestId;
    /// The pictures are samples.
    bool isSample = false;
};

/// Asks the provider of the configuration for pictures. One try, 60 seconds at most. Thread-safe.
/// @throws Problem 503 `gateway_unconfigured`; 400 `validation_failed` for a model that the organization may not use; 429 with the
/// provider's Retry-After; 502 `gateway_error`
class ImageModels
{
public:
    ImageModels(const Config& config, HttpClient& http, StateStore& state) : _config(config), _server(config), _http(http), _state(state) {}

    /// Returns the model that a request gets, before anything is made or paid.
    std::string modelFor(Tenant organization, const PictureRequest& request) const;
    /// @param model as `modelFor` returned it
    PictureAnswer make(Tenant organization, std::string model, const PictureRequest& request) const;

private:
    void requireConfigured() const;
    ImageSettings settingsOf(Tenant organization) const;
    PictureAnswer ask(std::string_view path, std::string model, Tenant organization, const PictureRequest& request,
                      bool sendsOrganization) const;

    const Config& _config;
    const ModelServer _server;
    HttpClient& _http;
    StateStore& _state;
};

} // namespace portico::social
