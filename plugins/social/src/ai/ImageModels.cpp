#include "ai/ImageModels.h"

#include "ai/SamplePicture.h"
#include "networks/NetworkCalls.h"
#include "networks/Urls.h"

#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::social
{

namespace
{
constexpr std::chrono::seconds modelTimeout{60}, settingsTimeout{10};
constexpr std::chrono::seconds settingsLife{60};
constexpr std::uint64_t largestPictures = std::uint64_t{48} << 20;
constexpr std::int64_t defaultRetrySeconds = 60;
constexpr std::size_t longestModel = 200;
/// Models that always answer with Base64, and refuse `response_format`, `style` and `seed` (OpenAI, "Create image", November 2026).
constexpr std::string_view plainModels = "gpt-image";
/// The only model of the provider `local`.
constexpr std::string_view sampleModel = "sample";

/// The request of the images API.
struct PictureBody
{
    std::string model;
    std::string prompt;
    std::int64_t n = 1;
    std::string size;
    std::string responseFormat = "b64_json";
    std::string style;
    std::optional<std::int64_t> seed;
    std::string organizationId;
};
constexpr auto schemaOf(const PictureBody*)
{
    using B = PictureBody;
    return describe(field<&B::model>().omitEmpty(), members<&B::prompt, &B::n, &B::size>(),
                    field<&B::responseFormat>("response_format").omitEmpty(), field<&B::style>().omitEmpty(), field<&B::seed>().omitEmpty(),
                    field<&B::organizationId>().omitEmpty());
}

struct PictureData
{
    std::string base64;
};
constexpr auto schemaOf(const PictureData*) { return describe(field<&PictureData::base64>("b64_json")); }

struct PictureList
{
    std::vector<PictureData> data;
    std::string id;
};
constexpr auto schemaOf(const PictureList*) { return describe(members<&PictureList::data, &PictureList::id>()); }

Problem gatewayError(std::string_view detail) { return Problem(502, "gateway_error", detail); }

/// Decodes standard base64; empty for anything else.
std::string fromBase64(std::string_view text)
{
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    int count = 0;
    while (text.ends_with('=')) text.remove_suffix(1);
    for (const char c : text)
    {
        const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                          : c >= 'a' && c <= 'z' ? c - 'a' + 26
                          : c >= '0' && c <= '9' ? c - '0' + 52
                          : c == '+'             ? 62
                          : c == '/'             ? 63
                                                 : -1;
        if (value < 0) return {};
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        if ((count += 6) < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xff);
    }
    return bytes;
}

std::pair<std::int64_t, std::int64_t> sizeOf(std::string_view size)
{
    if (size == "1024x1536") return {1024, 1536};
    if (size == "1536x1024") return {1536, 1024};
    return {1024, 1024};
}

[[noreturn]] void throwRateLimited(const HttpClient::Response& response)
{
    const auto wait = response.retryAfter(std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()));
    const auto seconds = wait ? std::max<std::int64_t>(wait->count(), 1) : defaultRetrySeconds;
    throw Problem::rateLimited(seconds).withDetails(R"({"scope":"gateway","retryAfterSeconds":)" + std::to_string(seconds) + "}");
}
} // namespace

void ImageModels::requireConfigured() const
{
    if (_server.provider() != AiProvider::Local && !_server.hasServer())
        throw Problem(503, "gateway_unconfigured", "The operator has not set up an image model (social.ai.provider).");
}

ImageSettings ImageModels::settingsOf(Tenant organization) const
{
    const auto key = "social-image-settings:" + std::string(organization.text());
    std::string json;
    if (const auto kept = _state.get(key))
        json = kept->value;
    else
    {
        auto sent = _server.request("/api/image-settings?" + toQuery({{"organizationId", std::string(organization.text())}}), 1 << 20);
        sent.timeout = settingsTimeout;
        const auto answer = exchange(_http, std::move(sent));
        if (!answer.isSuccess()) throw gatewayError("The model gateway is not responding.");
        json = answer.response->body;
    }
    ImageSettings settings;
    try
    {
        settings = fromStoredJson<ImageSettings>(json);
    }
    catch (const Problem&)
    {
        throw gatewayError("The response of the model gateway cannot be read.");
    }
    _state.put(key, json, settingsLife);
    return settings;
}

std::string ImageModels::modelFor(Tenant organization, const PictureRequest& wanted) const
{
    requireConfigured();
    const auto provider = _server.provider();
    if (provider == AiProvider::Local)
    {
        if (!wanted.model.empty() && wanted.model != sampleModel)
            throw Problem::invalid("model", "unknown_model", "The server only makes samples. Set no model.");
        return std::string(sampleModel);
    }
    if (provider == AiProvider::OpenAi)
    {
        const auto& own = _config.text("social.ai.imageModel");
        if (!wanted.model.empty() && wanted.model != own)
            throw Problem::invalid("model", "unknown_model", "The operator allows only one model.");
        return own;
    }
    const auto settings = settingsOf(organization);
    const auto model = wanted.model.empty() ? settings.defaultModel : wanted.model;
    const auto allowed = std::ranges::find(settings.allowedModels, model, &AllowedModel::id);
    if (allowed == settings.allowedModels.end())
    {
        if (wanted.model.empty()) throw gatewayError("The model gateway has no default model.");
        throw Problem::invalid("model", "unknown_model", "This model is not allowed for the organization.");
    }
    if (allowed->maxCount > 0 && wanted.count > allowed->maxCount)
        throw Problem::invalid("count", "too_many", "The model makes at most " + std::to_string(allowed->maxCount) + " pictures.");
    if (wanted.size != "auto" && !allowed->sizes.empty() && std::ranges::find(allowed->sizes, wanted.size) == allowed->sizes.end())
        throw Problem::invalid("size", "unsupported_size", "The model does not make pictures of this size.");
    return model;
}

PictureAnswer ImageModels::make(Tenant organization, std::string model, const PictureRequest& wanted) const
{
    const auto provider = _server.provider();
    if (provider == AiProvider::Gateway) return ask("/api/images/generations", std::move(model), organization, wanted, true);
    if (provider == AiProvider::OpenAi) return ask("/v1/images/generations", std::move(model), organization, wanted, false);
    PictureAnswer answer;
    answer.model = std::move(model);
    answer.isSample = true;
    const auto [width, height] = sizeOf(wanted.size);
    for (std::int64_t i = 0; i < wanted.count; ++i)
        answer.pictures.push_back(samplePicture(wanted.prompt, wanted.seed.value_or(0) + i, width, height));
    return answer;
}

PictureAnswer ImageModels::ask(std::string_view path, std::string model, Tenant organization, const PictureRequest& wanted,
                               bool sendsOrganization) const
{
    PictureBody body;
    body.model = model;
    body.prompt = wanted.prompt;
    body.n = wanted.count;
    body.size = wanted.size;
    body.style = wanted.style;
    body.seed = wanted.seed;
    if (sendsOrganization)
        body.organizationId = organization.text();
    else if (model.starts_with(plainModels))
    {
        body.responseFormat.clear();
        body.style.clear();
        body.seed.reset();
    }
    auto sent = _server.request(path, largestPictures);
    sent.method = "POST";
    sent.timeout = modelTimeout;
    sent.headers.emplace_back("Content-Type", "application/json");
    sent.body = toJson(body);
    const auto answer = exchange(_http, std::move(sent));
    if (!answer.response) throw gatewayError("The model is not responding: " + answer.message);
    if (answer.response->status == 429) throwRateLimited(*answer.response);
    if (!answer.isSuccess()) throw gatewayError("The model answered " + std::to_string(answer.response->status) + ".");
    const auto list = readAnswer<PictureList>(answer);
    PictureAnswer made;
    made.model = cleanText(model, longestModel);
    if (const auto* id = answer.response->header("X-Request-Id")) made.requestId = cleanText(*id, 100);
    if (list)
        for (const auto& each : list->data)
            if (static_cast<std::int64_t>(made.pictures.size()) < wanted.count) made.pictures.push_back(fromBase64(each.base64));
    if (made.pictures.empty() || std::ranges::any_of(made.pictures, &std::string::empty))
        throw gatewayError("The response of the model contains no pictures.");
    return made;
}

} // namespace portico::social
