#include "networks/x/XNetwork.h"

#include "networks/x/XRecords.h"
#include "text/Comparison.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::social
{

namespace
{
constexpr CodeFlowServer xServer{
    .name = "X",
    .authorizeUrl = "https://x.com/i/oauth2/authorize",
    .tokenUrl = "https://api.x.com/2/oauth2/token",
    .scopes = "tweet.read tweet.write users.read media.write offline.access",
    .hasPkce = true,
    .takesBasic = true,
};
constexpr std::string_view xApi = "https://api.x.com/2";
constexpr std::uint64_t pieceSize = std::uint64_t{4} << 20;
constexpr std::string_view processingMedia = "processing";
constexpr std::chrono::seconds shortestMediaPoll{5};
constexpr std::chrono::minutes longestMediaWait{30};

bool isPostNumber(std::string_view text)
{
    return !text.empty() && text.size() <= 30 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

StepOutcome xOutcome(const Exchanged& exchanged, Instant now)
{
    const auto error = readAnswer<x::ApiError>(exchanged).value_or(x::ApiError{});
    auto outcome = failedOutcome(exchanged, now, error.title, error.detail);
    if (exchanged.response && exchanged.response->status == 403 && error.detail.find("duplicate content") != std::string::npos)
        outcome.code = FailureCode::DuplicateContent;
    return outcome;
}

std::string xPostUrl(const NetworkAccount& account, const std::string& id) { return "https://x.com/" + account.handle + "/status/" + id; }
} // namespace

XNetwork::XNetwork(const ApprovedParts& parts) : ApprovedNetwork(Platform::X, parts, xServer) {}

Exchanged XNetwork::get(std::string_view path, std::string_view token) const
{
    return exchange(_parts.http, apiRequest("GET", std::string(xApi) + std::string(path), token));
}

Exchanged XNetwork::post(std::string_view path, std::string body, std::string_view token) const
{
    auto request = apiRequest("POST", std::string(xApi) + std::string(path), token);
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = std::move(body);
    return exchange(_parts.http, std::move(request));
}

AccountProfile XNetwork::finish(std::string_view keep, const ConnectReturn& back)
{
    const auto grant = flow().finish(keep, back);
    auto profile = profileOf(grant.credentials);
    profile.scopes = grant.scopes;
    return profile;
}

AccountProfile XNetwork::profileOf(const Credentials& credentials) const
{
    const auto answer = get("/users/me?user.fields=profile_image_url", credentials.accessToken);
    if (answer.response && answer.response->status == 401)
        throw ConnectFault(ConnectFault::Kind::Refused, "", "token_refused", "X rejected the token: access was revoked or has expired.");
    const auto user = requireAnswer<x::UserAnswer>(answer, "X").data;
    if (!isPostNumber(user.id)) throw ConnectFault(ConnectFault::Kind::Unreachable, "", "unexpected_answer", "X returned no account.");
    AccountProfile profile;
    profile.externalId = user.id;
    profile.displayName = cleanText(user.name, 100);
    profile.handle = cleanText(user.username, 50);
    profile.serverUrl = xApi;
    profile.credentials = credentials;
    if (isWebUrl(user.profileImageUrl)) profile.avatarUrl = user.profileImageUrl;
    return profile;
}

AccountProfile XNetwork::check(const NetworkAccount& account)
{
    auto profile = profileOf(account.credentials);
    requireSame(account, profile);
    return profile;
}

void XNetwork::revoke(const NetworkAccount& account) noexcept
{
    flow().revoke("https://api.x.com/2/oauth2/revoke", account.credentials.accessToken);
}

PublicationPreview XNetwork::preview(const Publication& publication, const Credentials* account) const
{
    auto sent = publication;
    for (std::size_t i = 0; i < sent.parts.size(); ++i) sent.parts[i].text = textWithLink(publication, i);
    return Network::preview(sent, account);
}

std::vector<FixedStep> XNetwork::prepare(const Publication& publication, const NetworkAccount&, Instant)
{
    std::vector<FixedStep> steps;
    for (std::size_t i = 0; i < publication.parts.size(); ++i)
    {
        const auto part = static_cast<int>(i);
        // The record key has the file's type here: an upload has no key.
        for (const auto& file : publication.parts[i].files)
            steps.push_back({"upload", part, file.contentType, {}, file.altText, file.blobKey});
        x::NewPost post;
        post.text = textWithLink(publication, i);
        steps.push_back({"post", part, {}, {}, toJson(post), {}});
    }
    return steps;
}

StepOutcome XNetwork::perform(const StepCall& call) { return call.step.kind == "upload" ? upload(call) : publish(call); }

Exchanged XNetwork::uploadWhole(const StepCall& call, const FileBody& file) const
{
    auto sent = apiRequest("POST", std::string(xApi) + "/media/upload", call.account.credentials.accessToken);
    sent.form = {{.name = "media_category", .text = "tweet_image"},
                 {.name = "media_type", .text = call.step.recordKey},
                 {.name = "media", .file = &file, .fileName = "file", .contentType = call.step.recordKey}};
    sent.timeout = longestUpload;
    sent.stop = call.stop;
    return exchange(_parts.http, std::move(sent));
}

Exchanged XNetwork::uploadPieces(const StepCall& call, const FileBody& file) const
{
    const auto& token = call.account.credentials.accessToken;
    const auto category = call.step.recordKey == "image/gif" ? "tweet_gif" : "tweet_video";
    auto begun =
        post("/media/upload/initialize", toJson(x::NewMedia{call.step.recordKey, category, static_cast<std::int64_t>(file.size)}), token);
    const auto id = readAnswer<x::MediaAnswer>(begun).value_or(x::MediaAnswer{}).data.id;
    if (!begun.isSuccess() || !isPostNumber(id)) return begun;
    std::int64_t index = 0;
    for (std::uint64_t at = 0; at < file.size; at += pieceSize)
    {
        auto sent = apiRequest("POST", std::string(xApi) + "/media/upload/" + id + "/append", token);
        sent.form = {{.name = "segment_index", .text = std::to_string(index++)},
                     {.name = "media",
                      .text = readPiece(file, at, std::min(pieceSize, file.size - at)),
                      .fileName = "piece",
                      .contentType = "application/octet-stream"}};
        sent.timeout = longestUpload;
        sent.stop = call.stop;
        if (auto answer = exchange(_parts.http, std::move(sent)); !answer.isSuccess()) return answer;
    }
    return post("/media/upload/" + id + "/finalize", {}, token);
}

StepOutcome XNetwork::upload(const StepCall& call) const
{
    const auto file = _parts.blobs.open(call.step.blobKey);
    if (!file) return StepOutcome::failed(FailureCode::MediaMissing, "The file was deleted.");
    const bool inPieces = call.step.recordKey.starts_with("video/") || call.step.recordKey == "image/gif";
    const auto answer = inPieces ? uploadPieces(call, *file) : uploadWhole(call, *file);
    if (!answer.isSuccess()) return repeatable(xOutcome(answer, call.now));
    const auto media = readAnswer<x::MediaAnswer>(answer).value_or(x::MediaAnswer{}).data;
    if (!isPostNumber(media.id)) return StepOutcome::retry(FailureCode::PlatformError, "The response to the upload contains no file ID.");
    if (!call.step.request.empty())
        if (const auto named =
                post("/media/metadata", toJson(x::NewMetadata{media.id, {{call.step.request}}}), call.account.credentials.accessToken);
            !named.isSuccess())
            return repeatable(xOutcome(named, call.now));
    return StepOutcome::done({media.id, {}, std::string(media.processingInfo ? processingMedia : "")});
}

std::optional<StepOutcome> XNetwork::notReady(const StepCall& call) const
{
    for (std::size_t i = 0; i < call.earlierSteps.size(); ++i)
    {
        if (call.earlier[i].data != processingMedia || call.earlierSteps[i].part != call.step.part) continue;
        const auto answer =
            get("/media/upload?command=STATUS&media_id=" + percentEncoded(call.earlier[i].id), call.account.credentials.accessToken);
        if (!answer.isSuccess()) return repeatable(xOutcome(answer, call.now));
        const auto info = readAnswer<x::MediaAnswer>(answer).value_or(x::MediaAnswer{}).data.processingInfo;
        if (!info || info->state == "succeeded") continue;
        if (info->state == "failed") return StepOutcome::failed(FailureCode::MediaRejected, "X could not process a file of the post.");
        return stillPreparing(call, std::clamp(std::chrono::seconds(info->checkAfterSecs), shortestMediaPoll, std::chrono::seconds(60)),
                              longestMediaWait);
    }
    return std::nullopt;
}

StepOutcome XNetwork::publish(const StepCall& call) const
{
    if (auto outcome = notReady(call)) return *std::move(outcome);
    auto made = fromStoredJson<x::NewPost>(call.step.request);
    x::Attached attached;
    for (std::size_t i = 0; i < call.earlierSteps.size(); ++i)
    {
        if (call.earlierSteps[i].kind == "post") made.reply = x::Reply{call.earlier[i].id};
        if (call.earlierSteps[i].kind == "upload" && call.earlierSteps[i].part == call.step.part)
            attached.mediaIds.push_back(call.earlier[i].id);
    }
    if (!attached.mediaIds.empty()) made.media = std::move(attached);
    const auto body = toJson(made);
    const auto answer = post("/tweets", body, call.account.credentials.accessToken);
    auto outcome = answer.isSuccess() ? StepOutcome{} : xOutcome(answer, call.now);
    outcome.requestDigest = sha256(body).hex();
    if (!answer.isSuccess()) return outcome;
    outcome.httpStatus = answer.response->status;
    const auto said = readAnswer<x::PostAnswer>(answer).value_or(x::PostAnswer{}).data;
    if (!isPostNumber(said.id)) return unnamed(std::move(outcome));
    outcome.result = {said.id, xPostUrl(call.account, said.id), {}};
    return outcome;
}

LookUp XNetwork::lookUp(const StepCall& call)
{
    // An upload without a post is invisible, so it is repeated.
    if (call.step.kind == "upload") return {LookUp::Kind::Absent, {}, {}, {}};
    // X replaces links in the text.
    const auto sent = lettersWithoutLinks(fromStoredJson<x::NewPost>(call.step.request).text);
    const auto answer = get("/users/" + percentEncoded(call.account.externalId) + "/tweets?max_results=20&tweet.fields=created_at",
                            call.account.credentials.accessToken);
    const auto list = answer.isSuccess() ? readAnswer<x::PostList>(answer) : std::nullopt;
    if (!list) return {LookUp::Kind::Unknown, {}, failedOutcome(answer, call.now).message, {}};
    if (sent.empty()) return {LookUp::Kind::Unknown, {}, "A post without letters cannot be identified.", {}};
    bool reachesBack = list->meta.nextToken.empty();
    for (const auto& found : list->data)
    {
        const auto created = parseInstant(found.createdAt);
        if (created && *created + std::chrono::minutes(5) < call.firstAttemptAt)
        {
            reachesBack = true;
            continue;
        }
        auto text = found.text;
        for (const auto& [escaped, plain] : {std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&amp;", "&")})
            for (auto at = text.find(escaped); at != std::string::npos; at = text.find(escaped, at + 1))
                text.replace(at, std::string_view(escaped).size(), plain);
        if (isPostNumber(found.id) && lettersWithoutLinks(text) == sent)
            return {LookUp::Kind::Found, {found.id, xPostUrl(call.account, found.id), {}}, {}, {}};
    }
    return notListed(reachesBack);
}

StepOutcome XNetwork::remove(const NetworkAccount& account, const StepResult& published)
{
    const auto answer = exchange(
        _parts.http, apiRequest("DELETE", std::string(xApi) + "/tweets/" + percentEncoded(published.id), account.credentials.accessToken));
    if (answer.isSuccess() || (answer.response && answer.response->status == 404)) return {};
    return xOutcome(answer, _parts.clock.now());
}

std::optional<PostNumbers> XNetwork::numbers(const NetworkAccount& account, const StepResult& published)
{
    const auto answer = get("/tweets/" + percentEncoded(published.id) + "?tweet.fields=public_metrics", account.credentials.accessToken);
    const auto post = answer.isSuccess() ? readAnswer<x::PostAnswer>(answer) : std::nullopt;
    if (!post || post->data.id != published.id || !post->data.counters) return std::nullopt;
    return PostNumbers{post->data.counters->likes, post->data.counters->reposts, post->data.counters->replies};
}

} // namespace portico::social
