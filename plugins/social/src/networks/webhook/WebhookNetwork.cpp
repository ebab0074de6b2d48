#include "networks/webhook/WebhookNetwork.h"

#include "networks/NetworkCalls.h"
#include "networks/Urls.h"

#include "portico/Crypto.h"
#include "portico/Id.h"
#include "portico/Text.h"
#include "portico/WebhookSignature.h"

#include <algorithm>

namespace portico::social
{

namespace
{
constexpr std::int64_t longestWebhookText = 100'000;
constexpr std::int64_t largestWebhookFile = std::int64_t{512} << 20;
constexpr std::size_t shortestSecret = 16, longestSecret = 200;

/// Description of a file; the receiver fetches the bytes.
struct WebhookFile
{
    std::string mediaId;
    std::string kind;
    std::string contentType;
    std::int64_t size = 0;
    std::string altText;
    std::string url;
};

constexpr auto schemaOf(const WebhookFile*)
{
    return describe(members<&WebhookFile::mediaId, &WebhookFile::kind, &WebhookFile::contentType, &WebhookFile::size, &WebhookFile::altText,
                            &WebhookFile::url>());
}

struct WebhookPart
{
    std::string text;
    std::vector<WebhookFile> media;
};

constexpr auto schemaOf(const WebhookPart*) { return describe(members<&WebhookPart::text, &WebhookPart::media>()); }

struct WebhookPost
{
    std::string contentId;
    std::int64_t revision = 0;
    std::string text;
    std::vector<WebhookFile> media;
    std::vector<WebhookPart> thread;
    std::string linkUrl;
    std::string language;
    Instant scheduledFor{};
    Json settings;
};

constexpr auto schemaOf(const WebhookPost*)
{
    return describe(members<&WebhookPost::contentId, &WebhookPost::revision, &WebhookPost::text, &WebhookPost::media, &WebhookPost::thread,
                            &WebhookPost::linkUrl, &WebhookPost::language, &WebhookPost::scheduledFor, &WebhookPost::settings>());
}

template <class T>
struct WebhookMessage
{
    std::string type;
    Instant timestamp{};
    T data;

    friend constexpr auto schemaOf(const WebhookMessage*)
    {
        return describe(members<&WebhookMessage::type, &WebhookMessage::timestamp, &WebhookMessage::data>());
    }
};

/// Optional answer of a receiver.
struct WebhookAnswer
{
    Json id;
    Json url;
};

constexpr auto schemaOf(const WebhookAnswer*) { return describe(members<&WebhookAnswer::id, &WebhookAnswer::url>()); }

struct PlainText
{
    std::string value;
};

constexpr auto schemaOf(const PlainText*) { return describe(field<&PlainText::value>()); }

/// Returns the text of a JSON string or number; empty for anything else.
std::string plainValue(const Json& value)
{
    if (value.text.size() >= 2 && value.text.front() == '"')
    {
        try
        {
            return fromStoredJson<PlainText>(R"({"value":)" + value.text + "}").value;
        }
        catch (const Problem&)
        {
            return {};
        }
    }
    const bool number = !value.text.empty() && std::ranges::all_of(value.text, [](char c) { return c >= '0' && c <= '9'; });
    return number ? value.text : std::string();
}

std::vector<WebhookFile> filesOf(const PublicationPart& part)
{
    std::vector<WebhookFile> files;
    for (const auto& file : part.files)
        files.push_back({file.mediaId.text(), file.kind, file.contentType, file.size, file.altText, file.url});
    return files;
}

HttpClient::Request signedRequest(const NetworkAccount& account, Instant now, std::string_view id, std::string body)
{
    HttpClient::Request request;
    request.method = "POST";
    request.url = account.serverUrl;
    request.timeout = std::chrono::seconds(15);
    request.maxResponseBytes = 65'536;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    const std::string secrets[] = {account.credentials.signingSecret};
    request.headers = {{"Content-Type", "application/json"},
                       {"Accept", "application/json"},
                       {"webhook-id", std::string(id)},
                       {"webhook-timestamp", std::to_string(seconds)},
                       {"webhook-signature", webhookSignature(secrets, id, seconds, body)}};
    request.body = std::move(body);
    return request;
}

std::string newSecret()
{
    auto text = toBase64Url(randomBytes(32));
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    return "whsec_" + text;
}

bool isSecret(std::string_view secret) noexcept
{
    return secret.size() >= shortestSecret && secret.size() <= longestSecret &&
           std::ranges::all_of(secret, [](char c) { return c > ' ' && c < 0x7f; });
}
} // namespace

NetworkLimits WebhookNetwork::limits(const Credentials*) const
{
    return {.textUnit = TextUnit::CodePoints,
            .maxText = longestWebhookText,
            .maxImages = 20,
            .maxVideos = 20,
            .maxImageBytes = largestWebhookFile,
            .maxVideoBytes = largestWebhookFile,
            .mimeTypes = {"image/jpeg", "image/png", "image/webp", "image/gif", "image/avif", "video/mp4", "video/quicktime", "video/webm",
                          "application/pdf"},
            .mixing = MediaMixing::Any};
}

ConnectStart WebhookNetwork::connect(const ConnectRequest& request)
{
    const auto url = requireReachable(_http, request.url, "url");
    if (!request.secret.empty() && !isSecret(request.secret))
        throw ConnectFault(ConnectFault::Kind::BadInput, "secret", "invalid_secret", "Expected 16 to 200 visible ASCII characters.");
    AccountProfile profile;
    profile.externalId = url;
    profile.serverUrl = url;
    profile.handle = originOf(url);
    profile.displayName = originOf(url);
    profile.credentials.signingSecret = request.secret.empty() ? newSecret() : request.secret;
    ConnectStart start;
    start.account = std::move(profile);
    return start;
}

AccountProfile WebhookNetwork::check(const NetworkAccount& account)
{
    const auto now = _clock.now();
    const auto body = toJson(WebhookMessage<Json>{"social.ping", now, {"{}"}});
    const auto answer = exchange(_http, signedRequest(account, now, "ping-" + makeUlid(now), body));
    if (!answer.response) throw ConnectFault(ConnectFault::Kind::Unreachable, "", "network_unreachable", answer.message);
    if (!answer.isSuccess())
        throw ConnectFault(ConnectFault::Kind::Unreachable, "", "unexpected_answer",
                           "The receiver answered " + std::to_string(answer.response->status) + ".");
    AccountProfile profile;
    profile.externalId = account.externalId;
    profile.serverUrl = account.serverUrl;
    profile.handle = account.handle;
    profile.displayName = originOf(account.serverUrl);
    profile.credentials = account.credentials;
    return profile;
}

std::vector<FixedStep> WebhookNetwork::prepare(const Publication& publication, const NetworkAccount&, Instant now)
{
    WebhookPost post;
    post.contentId = publication.contentId.text();
    post.revision = publication.revision;
    if (!publication.parts.empty())
    {
        post.text = publication.parts.front().text;
        post.media = filesOf(publication.parts.front());
    }
    for (std::size_t i = 1; i < publication.parts.size(); ++i)
        post.thread.push_back({publication.parts[i].text, filesOf(publication.parts[i])});
    post.linkUrl = publication.linkUrl;
    post.language = publication.language;
    post.scheduledFor = publication.scheduledFor;
    post.settings.text = isJson(publication.settings) ? publication.settings : "{}";
    FixedStep step;
    step.kind = "post";
    step.idempotencyKey = publication.contentId.text() + "-" + std::to_string(publication.revision);
    step.request = toJson(WebhookMessage<WebhookPost>{"social.post.publish", now, std::move(post)});
    return {std::move(step)};
}

StepOutcome WebhookNetwork::perform(const StepCall& call)
{
    const auto answer = exchange(_http, signedRequest(call.account, call.now, call.step.idempotencyKey, call.step.request));
    StepOutcome outcome;
    if (answer.isSuccess())
    {
        const auto said = readAnswer<WebhookAnswer>(answer).value_or(WebhookAnswer{});
        outcome.result.id = cleanText(plainValue(said.id), 500);
        if (const auto url = plainValue(said.url); isWebUrl(url)) outcome.result.url = url;
        if (outcome.result.id.empty()) outcome.result.id = call.step.idempotencyKey;
        outcome.httpStatus = answer.response->status;
    }
    else
        outcome = failedOutcome(answer, call.now);
    outcome.requestDigest = sha256(call.step.request).hex();
    return outcome;
}

} // namespace portico::social
