#include "networks/mastodon/MastodonNetwork.h"

#include "networks/PostSettings.h"
#include "networks/mastodon/MastodonServer.h"
#include "text/Graphemes.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::social
{

namespace
{
/// Mark of an upload that the server accepted and has not prepared yet.
constexpr std::string_view processing = "processing";
constexpr std::chrono::seconds shortestPoll{3}, longestPoll{60};
constexpr std::chrono::minutes longestProcessing{30};
constexpr std::string_view mastodonScopes = "read:accounts write:statuses write:media";
constexpr std::int64_t defaultText = 500, defaultLink = 23, defaultImages = 4;
constexpr std::int64_t defaultImageBytes = std::int64_t{16} << 20, defaultVideoBytes = std::int64_t{99} << 20;
/// Width times height of a picture: the limit of servers by default.
constexpr std::int64_t maxPixels = 33'177'600;
constexpr std::array<std::string_view, 4> visibilities = {"public", "unlisted", "private", "direct"};
constexpr int newestStatuses = 40;

/// State between the two halves of the code flow.
struct PendingFlow
{
    std::string serverUrl;
    std::string clientId;
    std::string clientSecret;
    std::string verifier;
};

constexpr auto schemaOf(const PendingFlow*)
{
    return describe(members<&PendingFlow::serverUrl, &PendingFlow::clientId, &PendingFlow::clientSecret, &PendingFlow::verifier>());
}

StepOutcome mastodonOutcome(const Exchanged& exchanged, Instant now)
{
    const auto error = readAnswer<mastodon::ApiError>(exchanged).value_or(mastodon::ApiError{});
    auto outcome = failedOutcome(exchanged, now, {}, error.error);
    if (exchanged.response && exchanged.response->status == 422 && error.error.find("haracter limit") != std::string::npos)
        outcome.code = FailureCode::TextTooLong;
    return outcome;
}

std::string mastodonText(const Publication& publication, std::size_t index)
{
    const auto& text = publication.parts[index].text;
    if (index > 0 || publication.linkUrl.empty() || text.find(publication.linkUrl) != std::string::npos) return text;
    return text + (text.empty() ? "" : "\n\n") + publication.linkUrl;
}

std::int64_t orDefault(std::int64_t value, std::int64_t fallback) noexcept { return value > 0 ? value : fallback; }

void readLimits(Credentials& credentials, const mastodon::Instance& instance)
{
    const auto sane = [](std::int64_t value) { return std::clamp<std::int64_t>(value, 0, std::int64_t{1} << 40); };
    credentials.maxText = sane(instance.configuration.statuses.maxCharacters);
    credentials.maxImages = sane(instance.configuration.statuses.maxMedia);
    credentials.urlLength = sane(instance.configuration.statuses.urlLength);
    credentials.maxImageBytes = sane(instance.configuration.media.imageBytes);
    credentials.maxVideoBytes = sane(instance.configuration.media.videoBytes);
}

std::string languageOf(const Publication& publication, const PostSettings& settings)
{
    const auto tag = settings.languages.empty() ? publication.language : settings.languages.front();
    // The server accepts ISO 639 codes without a region.
    return tag.substr(0, tag.find('-'));
}

std::vector<std::string> scopesOf(std::string text)
{
    if (text.empty()) text = mastodonScopes;
    std::ranges::replace(text, ' ', ',');
    return splitList(text);
}
} // namespace

NetworkLimits MastodonNetwork::limits(const Credentials* account) const
{
    const Credentials given = account == nullptr ? Credentials{} : *account;
    return {.textUnit = TextUnit::MastodonCharacters,
            .maxText = orDefault(given.maxText, defaultText),
            .urlLength = orDefault(given.urlLength, defaultLink),
            .maxImages = orDefault(given.maxImages, defaultImages),
            .maxVideos = 1,
            .maxImageBytes = orDefault(given.maxImageBytes, defaultImageBytes),
            .maxImagePixels = maxPixels,
            .maxVideoBytes = orDefault(given.maxVideoBytes, defaultVideoBytes),
            .mimeTypes = {"image/jpeg", "image/png", "image/gif", "image/webp", "video/mp4", "video/webm", "video/quicktime"},
            .mixing = MediaMixing::ImagesOrVideo};
}

std::vector<ReadinessReason> MastodonNetwork::trialReasons() const
{
    if (!_plainHttp) return {};
    return {{"local_callback", "Mastodon redirects browsers to plain http on this machine. Use this for trials only.", {}}};
}

ConnectStart MastodonNetwork::connect(const ConnectRequest& request)
{
    const auto url = requireReachable(_http, mastodon::serverUrlOf(request.instanceUrl), "instanceUrl");
    const mastodon::Server server(_http, url);
    auto application = _applications.find(url, request.redirectUri);
    if (!application)
    {
        application = requireAnswer<mastodon::Application>(
            server.postForm("/api/v1/apps",
                            {{"client_name", "Portico"}, {"redirect_uris", request.redirectUri}, {"scopes", std::string(mastodonScopes)}}),
            "The Mastodon server");
        if (application->clientId.empty() || application->clientSecret.empty())
            throw ConnectFault(ConnectFault::Kind::Unreachable, "", "unexpected_answer", "The Mastodon server registered no application.");
        _applications.store(url, request.redirectUri, *application);
    }
    const auto metadata =
        readAnswer<mastodon::ServerMetadata>(server.get("/.well-known/oauth-authorization-server")).value_or(mastodon::ServerMetadata{});
    PendingFlow flow{url, application->clientId, application->clientSecret, {}};
    QueryFields query{{"response_type", "code"},
                      {"client_id", flow.clientId},
                      {"redirect_uri", request.redirectUri},
                      {"scope", std::string(mastodonScopes)},
                      {"state", request.state}};
    if (std::ranges::find(metadata.codeChallengeMethods, "S256") != metadata.codeChallengeMethods.end())
    {
        flow.verifier = randomToken(32);
        query.emplace_back("code_challenge", toBase64Url(sha256(flow.verifier).bytes()));
        query.emplace_back("code_challenge_method", "S256");
    }
    return {std::nullopt, url + "/oauth/authorize?" + toQuery(query), toJson(flow)};
}

AccountProfile MastodonNetwork::finish(std::string_view keep, const ConnectReturn& back)
{
    const auto flow = fromStoredJson<PendingFlow>(keep);
    QueryFields form{{"grant_type", "authorization_code"},
                     {"code", std::string(back.code)},
                     {"client_id", flow.clientId},
                     {"client_secret", flow.clientSecret},
                     {"redirect_uri", std::string(back.redirectUri)},
                     {"scope", std::string(mastodonScopes)}};
    if (!flow.verifier.empty()) form.emplace_back("code_verifier", flow.verifier);
    const auto answer = mastodon::Server(_http, flow.serverUrl).postForm("/oauth/token", form);
    const auto said = readAnswer<mastodon::Token>(answer).value_or(mastodon::Token{});
    if (said.error == "invalid_client") _applications.forget(flow.serverUrl, back.redirectUri);
    if (!said.error.empty())
        throw ConnectFault(ConnectFault::Kind::Refused, "", "code_refused",
                           "The Mastodon server rejected the sign-in: " + cleanText(said.errorDescription, 200));
    const auto token = requireAnswer<mastodon::Token>(answer, "The Mastodon server");
    if (token.accessToken.empty())
        throw ConnectFault(ConnectFault::Kind::Unreachable, "", "unexpected_answer", "The Mastodon server returned no token.");
    Credentials credentials;
    credentials.accessToken = token.accessToken;
    credentials.clientId = flow.clientId;
    credentials.clientSecret = flow.clientSecret;
    credentials.issuedAt = _clock.now();
    auto profile = profileOf(flow.serverUrl, credentials);
    profile.scopes = scopesOf(cleanText(token.scope, 500));
    return profile;
}

AccountProfile MastodonNetwork::profileOf(const std::string& serverUrl, const Credentials& credentials)
{
    const mastodon::Server server(_http, serverUrl);
    const auto answer = server.get("/api/v1/accounts/verify_credentials", credentials.accessToken);
    if (answer.response && answer.response->status == 401)
        throw ConnectFault(ConnectFault::Kind::Refused, "", "token_refused", "The Mastodon server rejected the token: access was revoked.");
    const auto account = requireAnswer<mastodon::Account>(answer, "The Mastodon server");
    if (account.id.empty() || account.id.size() > 100)
        throw ConnectFault(ConnectFault::Kind::Unreachable, "", "unexpected_answer", "The Mastodon server returned no account.");
    const auto instance = readAnswer<mastodon::Instance>(server.get("/api/v2/instance")).value_or(mastodon::Instance{});
    AccountProfile profile;
    profile.externalId = account.id;
    profile.serverUrl = serverUrl;
    const auto domain = instance.domain.empty() ? serverUrl.substr(serverUrl.find("://") + 3) : cleanText(instance.domain, 253);
    profile.handle = cleanText(account.username, 100) + "@" + domain;
    profile.displayName = cleanText(account.displayName.empty() ? account.username : account.displayName, 100);
    if (isWebUrl(account.avatar)) profile.avatarUrl = account.avatar;
    profile.credentials = credentials;
    readLimits(profile.credentials, instance);
    profile.scopes = scopesOf({});
    return profile;
}

AccountProfile MastodonNetwork::check(const NetworkAccount& account)
{
    auto profile = profileOf(account.serverUrl, account.credentials);
    if (profile.externalId != account.externalId)
        throw ConnectFault(ConnectFault::Kind::Refused, "", "other_account", "The token belongs to another account.");
    return profile;
}

void MastodonNetwork::revoke(const NetworkAccount& account) noexcept
{
    try
    {
        mastodon::Server(_http, account.serverUrl)
            .postForm("/oauth/revoke", {{"client_id", account.credentials.clientId},
                                        {"client_secret", account.credentials.clientSecret},
                                        {"token", account.credentials.accessToken}});
    }
    catch (const std::exception&)
    {
        return; // the account is removed here in any case
    }
}

std::vector<PublicationFault> MastodonNetwork::faults(const Publication& publication, const Credentials* account) const
{
    auto faults = Network::faults(publication, account);
    const auto settings = readSettings(publication.settings);
    const auto allowed = limits(account);
    if (!settings.visibility.empty() && std::ranges::find(visibilities, settings.visibility) == visibilities.end())
        faults.push_back({0, "settings", "invalid_visibility", "Mastodon supports the visibilities public, unlisted, private and direct."});
    const auto warning = graphemeCount(settings.contentWarning);
    for (std::size_t i = 0; warning > 0 && i < publication.parts.size(); ++i)
    {
        const auto length = measure(allowed, mastodonText(publication, i));
        if (length.fits && length.length + warning > length.limit)
            faults.push_back({static_cast<int>(i), "text", "text_too_long", "The text and the content warning are too long together."});
    }
    return faults;
}

PublicationPreview MastodonNetwork::preview(const Publication& publication, const Credentials* account) const
{
    PublicationPreview shown;
    const auto allowed = limits(account);
    const auto warning = graphemeCount(readSettings(publication.settings).contentWarning);
    for (std::size_t i = 0; i < publication.parts.size(); ++i)
    {
        PreviewPart part;
        part.text = mastodonText(publication, i);
        for (auto& entity : findEntities(part.text, MentionForm::Fediverse))
            part.marks.push_back(
                {entity.kind, static_cast<std::int64_t>(entity.begin), static_cast<std::int64_t>(entity.end), std::move(entity.value)});
        part.length = measure(allowed, part.text).length + warning;
        part.limit = allowed.maxText;
        shown.parts.push_back(std::move(part));
    }
    if (!shown.parts.empty() && publication.parts.front().files.empty())
        for (const auto& mark : shown.parts.front().marks)
            if (mark.kind == EntityKind::Link && shown.cardUrl.empty()) shown.cardUrl = mark.value;
    return shown;
}

std::vector<FixedStep> MastodonNetwork::prepare(const Publication& publication, const NetworkAccount&, Instant)
{
    const auto settings = readSettings(publication.settings);
    const auto key = publication.contentId.text() + "-" + std::to_string(publication.revision);
    std::vector<FixedStep> steps;
    for (std::size_t i = 0; i < publication.parts.size(); ++i)
    {
        const auto part = static_cast<int>(i);
        for (const auto& file : publication.parts[i].files)
            // The record key has the file's type here: an upload has no key.
            steps.push_back({"upload", part, file.contentType, {}, file.altText, file.blobKey});
        mastodon::NewStatus status;
        status.status = mastodonText(publication, i);
        status.visibility = settings.visibility;
        status.spoilerText = settings.contentWarning;
        status.sensitive = settings.sensitive;
        status.language = languageOf(publication, settings);
        steps.push_back({"post", part, {}, i == 0 ? key : key + "-" + std::to_string(i), toJson(status), {}});
    }
    return steps;
}

StepOutcome MastodonNetwork::perform(const StepCall& call) { return call.step.kind == "upload" ? upload(call) : post(call); }

StepOutcome MastodonNetwork::upload(const StepCall& call)
{
    const auto file = _blobs.open(call.step.blobKey);
    if (!file) return StepOutcome::failed(FailureCode::MediaMissing, "The file was deleted.");
    const auto answer = mastodon::Server(_http, call.account.serverUrl)
                            .upload(*file, call.step.recordKey, call.step.request, call.account.credentials.accessToken, call.stop);
    if (!answer.isSuccess())
    {
        auto outcome = mastodonOutcome(answer, call.now);
        // A file that is uploaded twice is not published twice.
        if (outcome.kind == StepOutcome::Kind::PerhapsSent) outcome.kind = StepOutcome::Kind::Retry;
        return outcome;
    }
    const auto attachment = readAnswer<mastodon::Attachment>(answer).value_or(mastodon::Attachment{});
    if (attachment.id.empty()) return StepOutcome::retry(FailureCode::PlatformError, "The response to the upload contains no file ID.");
    StepOutcome outcome;
    outcome.result.id = attachment.id;
    // The server has the file and prepares it: a status has to wait for that.
    if (answer.response->status == 202) outcome.result.data = processing;
    outcome.httpStatus = answer.response->status;
    return outcome;
}

std::optional<StepOutcome> MastodonNetwork::notReady(const StepCall& call)
{
    for (std::size_t i = 0; i < call.earlierSteps.size(); ++i)
    {
        if (call.earlier[i].data != processing || call.earlierSteps[i].part != call.step.part) continue;
        const auto answer = mastodon::Server(_http, call.account.serverUrl)
                                .get("/api/v1/media/" + percentEncoded(call.earlier[i].id), call.account.credentials.accessToken);
        if (answer.response && answer.response->status == 200) continue;
        if (answer.response && answer.response->status == 206)
        {
            auto outcome = StepOutcome::retry(FailureCode::MediaRejected, "The Mastodon server is still preparing a file of the post.");
            const auto waited = std::chrono::duration_cast<std::chrono::seconds>(call.now - call.firstAttemptAt);
            if (waited < longestProcessing) outcome.notBefore = call.now + std::clamp(waited / 2, shortestPoll, longestPoll);
            return outcome;
        }
        auto outcome = mastodonOutcome(answer, call.now);
        // Nothing was sent but a question.
        if (outcome.kind == StepOutcome::Kind::PerhapsSent) outcome.kind = StepOutcome::Kind::Retry;
        if (outcome.kind == StepOutcome::Kind::Failed) outcome.code = FailureCode::MediaRejected;
        return outcome;
    }
    return std::nullopt;
}

StepOutcome MastodonNetwork::post(const StepCall& call)
{
    if (auto outcome = notReady(call)) return *std::move(outcome);
    auto status = fromStoredJson<mastodon::NewStatus>(call.step.request);
    for (std::size_t i = 0; i < call.earlierSteps.size(); ++i)
    {
        if (call.earlierSteps[i].kind == "post") status.inReplyToId = call.earlier[i].id;
        if (call.earlierSteps[i].kind == "upload" && call.earlierSteps[i].part == call.step.part)
            status.mediaIds.push_back(call.earlier[i].id);
    }
    const auto body = toJson(status);
    const auto answer = mastodon::Server(_http, call.account.serverUrl)
                            .postJson("/api/v1/statuses", body, call.account.credentials.accessToken, call.step.idempotencyKey);
    auto outcome = answer.isSuccess() ? StepOutcome{} : mastodonOutcome(answer, call.now);
    outcome.requestDigest = sha256(body).hex();
    if (!answer.isSuccess()) return outcome;
    outcome.httpStatus = answer.response->status;
    const auto made = readAnswer<mastodon::Status>(answer).value_or(mastodon::Status{});
    if (made.id.empty() || made.id.size() > 100 || made.account.id != call.account.externalId ||
        mastodon::comparableHtml(made.content) != mastodon::comparableText(status.status))
        return unnamed(std::move(outcome));
    outcome.result.id = made.id;
    if (isWebUrl(made.url)) outcome.result.url = made.url;
    return outcome;
}

LookUp MastodonNetwork::lookUp(const StepCall& call)
{
    // An upload without a status is invisible, so it is repeated.
    if (call.step.kind == "upload") return {LookUp::Kind::Absent, {}, {}, {}};
    const auto status = fromStoredJson<mastodon::NewStatus>(call.step.request);
    const auto sent = mastodon::comparableText(status.status);
    // The token has no scope for reading statuses, so that the public list is asked.
    const auto answer =
        mastodon::Server(_http, call.account.serverUrl)
            .get("/api/v1/accounts/" + percentEncoded(call.account.externalId) + "/statuses?limit=" + std::to_string(newestStatuses));
    if (!answer.isSuccess()) return {LookUp::Kind::Unknown, {}, failedOutcome(answer, call.now).message, {}};
    if (sent.empty()) return {LookUp::Kind::Unknown, {}, "A status without letters cannot be identified.", {}};
    bool isComplete = false;
    try
    {
        const auto list = fromStoredJson<mastodon::StatusList>(R"({"items":)" + answer.response->body + "}").items;
        isComplete = std::ssize(list) < newestStatuses;
        for (const auto& found : list)
        {
            const auto created = parseInstant(found.createdAt);
            if (created && *created + std::chrono::minutes(5) < call.firstAttemptAt)
            {
                isComplete = true;
                continue;
            }
            if (!found.id.empty() && mastodon::comparableHtml(found.content) == sent)
                return {LookUp::Kind::Found, {found.id, isWebUrl(found.url) ? found.url : std::string(), {}}, {}, {}};
        }
    }
    catch (const Problem&)
    {
        return {LookUp::Kind::Unknown, {}, "The list of statuses cannot be read.", {}};
    }
    if (status.visibility == "private" || status.visibility == "direct")
        return {LookUp::Kind::Unknown, {}, "Only public statuses can be looked up.", {}};
    if (!isComplete) return {LookUp::Kind::Unknown, {}, "The account has too many newer statuses.", {}};
    return {LookUp::Kind::Absent, {}, {}, {}};
}

StepOutcome MastodonNetwork::remove(const NetworkAccount& account, const StepResult& published)
{
    const auto answer = mastodon::Server(_http, account.serverUrl)
                            .remove("/api/v1/statuses/" + percentEncoded(published.id), account.credentials.accessToken);
    if (answer.isSuccess() || (answer.response && answer.response->status == 404)) return {};
    return mastodonOutcome(answer, _clock.now());
}

std::optional<PostNumbers> MastodonNetwork::numbers(const NetworkAccount& account, const StepResult& published)
{
    // The token has no scope to read statuses, so the public API is used.
    const auto answer = mastodon::Server(_http, account.serverUrl).get("/api/v1/statuses/" + percentEncoded(published.id));
    const auto status = answer.isSuccess() ? readAnswer<mastodon::CountedStatus>(answer) : std::nullopt;
    if (!status || status->id != published.id) return std::nullopt;
    return PostNumbers{status->favourites, status->reblogs, status->replies};
}

} // namespace portico::social
