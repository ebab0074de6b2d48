#include "networks/linkedin/LinkedInNetwork.h"

#include "links/LinkPage.h"
#include "networks/linkedin/LinkedInRecords.h"
#include "text/Comparison.h"
#include "text/Counting.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::social
{

namespace
{
constexpr CodeFlowServer linkedInServer{
    .name = "LinkedIn",
    .authorizeUrl = "https://www.linkedin.com/oauth/v2/authorization",
    .tokenUrl = "https://www.linkedin.com/oauth/v2/accessToken",
    .scopes = "openid profile w_member_social",
    // LinkedIn refuses scopes of products that the application does not have.
    .scopesOfChoice = "w_organization_social r_organization_social rw_organization_admin",
};
constexpr std::string_view linkedInApi = "https://api.linkedin.com";
constexpr std::size_t longestArticleTitle = 200;
constexpr std::string_view personPrefix = "urn:li:person:", organizationPrefix = "urn:li:organization:";
constexpr std::string_view processingVideo = "processing";
constexpr std::chrono::seconds videoPoll{15};
constexpr std::chrono::minutes longestVideoWait{30};
constexpr std::uint64_t largestPart = std::uint64_t{8} << 20;
constexpr int newestPosts = 20;

bool isUrn(std::string_view text, std::string_view prefix)
{
    return text.starts_with(prefix) && text.size() > prefix.size() && text.size() <= 200 &&
           std::ranges::all_of(
               text, [](char c)
               { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ':' || c == '-' || c == '_'; });
}

StepOutcome linkedInOutcome(const Exchanged& exchanged, Instant now)
{
    const auto error = readAnswer<linkedin::ApiError>(exchanged).value_or(linkedin::ApiError{});
    return failedOutcome(exchanged, now, error.code, error.message);
}

/// Returns true for hosts of LinkedIn: an answer names where a file is sent with the token.
bool isAtLinkedIn(std::string_view url)
{
    const auto origin = originOf(url);
    return origin.starts_with("https://") && (origin.ends_with(".linkedin.com") || origin.ends_with(".licdn.com"));
}

std::string organizationUrn(std::string_view named)
{
    const auto number = trim(named);
    if (number.starts_with(organizationPrefix)) return std::string(number);
    return std::string(organizationPrefix) + std::string(number);
}
} // namespace

LinkedInNetwork::LinkedInNetwork(const ApprovedParts& parts) : ApprovedNetwork(Platform::LinkedIn, parts, linkedInServer) {}

HttpClient::Request LinkedInNetwork::request(std::string_view method, std::string_view path, std::string_view token) const
{
    auto made = apiRequest(method, std::string(linkedInApi) + std::string(path), token);
    made.headers.emplace_back("LinkedIn-Version", _parts.config.text("social.linkedin.version"));
    made.headers.emplace_back("X-Restli-Protocol-Version", "2.0.0");
    return made;
}

Exchanged LinkedInNetwork::post(std::string_view path, std::string body, std::string_view token) const
{
    auto made = request("POST", path, token);
    made.headers.emplace_back("Content-Type", "application/json");
    made.body = std::move(body);
    return exchange(_parts.http, std::move(made));
}

AccountProfile LinkedInNetwork::finish(std::string_view keep, const ConnectReturn& back)
{
    const auto grant = flow().finish(keep, back);
    auto profile = profileOf(trim(grant.choice).empty() ? std::string() : organizationUrn(grant.choice), grant.credentials);
    profile.scopes = grant.scopes;
    return profile;
}

AccountProfile LinkedInNetwork::profileOf(const std::string& author, const Credentials& credentials) const
{
    const auto require = [](const Exchanged& answer)
    {
        if (answer.response && answer.response->status == 401)
            throw ConnectFault(ConnectFault::Kind::Refused, "", "token_refused",
                               "LinkedIn rejected the token: access was revoked or has expired.");
        if (answer.response && (answer.response->status == 403 || answer.response->status == 404))
            throw ConnectFault(ConnectFault::Kind::Refused, "identifier", "not_an_administrator",
                               "LinkedIn does not allow you to post as this organization.");
    };
    AccountProfile profile;
    profile.credentials = credentials;
    profile.serverUrl = linkedInApi;
    if (isUrn(author, organizationPrefix))
    {
        const auto number = author.substr(organizationPrefix.size());
        const auto answer = get("/rest/organizations/" + percentEncoded(number), credentials.accessToken);
        require(answer);
        const auto organization = requireAnswer<linkedin::Organization>(answer, "LinkedIn");
        profile.externalId = author;
        profile.accountType = "organization";
        profile.displayName = cleanText(organization.localizedName, 100);
        profile.handle = cleanText(organization.vanityName.empty() ? number : organization.vanityName, 100);
        return profile;
    }
    if (!author.empty() && !author.starts_with(personPrefix))
        throw ConnectFault(ConnectFault::Kind::BadInput, "identifier", "invalid_organization",
                           "Expected the numeric ID of an organization.");
    const auto answer = get("/v2/userinfo", credentials.accessToken);
    require(answer);
    const auto person = requireAnswer<linkedin::UserInfo>(answer, "LinkedIn");
    profile.externalId = std::string(personPrefix) + person.sub;
    if (!isUrn(profile.externalId, personPrefix))
        throw ConnectFault(ConnectFault::Kind::Unreachable, "", "unexpected_answer", "LinkedIn returned no account.");
    profile.displayName = cleanText(person.name, 100);
    profile.handle = profile.displayName;
    if (isWebUrl(person.picture)) profile.avatarUrl = person.picture;
    return profile;
}

AccountProfile LinkedInNetwork::check(const NetworkAccount& account)
{
    auto profile = profileOf(account.externalId, account.credentials);
    requireSame(account, profile);
    return profile;
}

std::vector<PublicationFault> LinkedInNetwork::faults(const Publication& publication, const Credentials* account) const
{
    auto faults = Network::faults(publication, account);
    refuseThread(publication, faults);
    return faults;
}

/// LinkedIn reads no title itself.
std::string LinkedInNetwork::titleOf(const std::string& url) const
{
    try
    {
        const auto page = fetchLinkPage(_parts.http, url);
        return page.title.empty() ? url : std::string(firstCharacters(page.title, longestArticleTitle));
    }
    catch (const Problem&)
    {
        return url; // the card shows the address
    }
}

std::vector<FixedStep> LinkedInNetwork::prepare(const Publication& publication, const NetworkAccount& account, Instant)
{
    std::vector<FixedStep> steps;
    const auto& part = publication.parts.front();
    // The record key has the file's type here: an upload has no key.
    for (const auto& file : part.files) steps.push_back({"upload", 0, file.contentType, {}, file.altText, file.blobKey});
    linkedin::NewPost post;
    post.author = account.externalId;
    post.commentary = escapedLittleText(part.text);
    if (part.files.empty() && !publication.linkUrl.empty())
        post.content = linkedin::Content{
            .media = {}, .multiImage = {}, .article = linkedin::Article{publication.linkUrl, titleOf(publication.linkUrl)}};
    else if (!publication.linkUrl.empty() && part.text.find(publication.linkUrl) == std::string::npos)
        post.commentary = escapedLittleText(textWithLink(publication, 0));
    steps.push_back({"post", 0, {}, {}, toJson(post), {}});
    return steps;
}

StepOutcome LinkedInNetwork::perform(const StepCall& call) { return call.step.kind == "upload" ? upload(call) : publish(call); }

StepOutcome LinkedInNetwork::upload(const StepCall& call) const
{
    const auto file = _parts.blobs.open(call.step.blobKey);
    if (!file) return StepOutcome::failed(FailureCode::MediaMissing, "The file was deleted.");
    return repeatable(call.step.recordKey.starts_with("video/") ? uploadVideo(call, *file) : uploadImage(call, *file));
}

StepOutcome LinkedInNetwork::uploadImage(const StepCall& call, const FileBody& file) const
{
    const auto& token = call.account.credentials.accessToken;
    const auto begun =
        post("/rest/images?action=initializeUpload", toJson(linkedin::InitializeUpload{{call.account.externalId, std::nullopt}}), token);
    if (!begun.isSuccess()) return linkedInOutcome(begun, call.now);
    const auto place = readAnswer<linkedin::UploadAnswer>(begun).value_or(linkedin::UploadAnswer{}).value;
    if (!isAtLinkedIn(place.uploadUrl) || !isUrn(place.image, "urn:li:image:"))
        return StepOutcome::retry(FailureCode::PlatformError, "The response to the upload contains no image ID.");
    auto sent = apiRequest("PUT", place.uploadUrl, token);
    sent.headers.emplace_back("Content-Type", call.step.recordKey);
    sent.bodyFile = &file;
    sent.timeout = longestUpload;
    sent.stop = call.stop;
    const auto answer = exchange(_parts.http, std::move(sent));
    if (!answer.isSuccess()) return linkedInOutcome(answer, call.now);
    return StepOutcome::done({place.image, {}, {}});
}

StepOutcome LinkedInNetwork::uploadVideo(const StepCall& call, const FileBody& file) const
{
    const auto& token = call.account.credentials.accessToken;
    const auto begun = post("/rest/videos?action=initializeUpload",
                            toJson(linkedin::InitializeUpload{{call.account.externalId, static_cast<std::int64_t>(file.size)}}), token);
    if (!begun.isSuccess()) return linkedInOutcome(begun, call.now);
    const auto place = readAnswer<linkedin::UploadAnswer>(begun).value_or(linkedin::UploadAnswer{}).value;
    if (!isUrn(place.video, "urn:li:video:") || place.uploadInstructions.empty())
        return StepOutcome::retry(FailureCode::PlatformError, "The response to the upload contains no video ID.");
    linkedin::FinalizeUpload end{{place.video, place.uploadToken, {}}};
    std::uint64_t next = 0;
    for (const auto& part : place.uploadInstructions)
    {
        const auto first = static_cast<std::uint64_t>(part.firstByte), last = static_cast<std::uint64_t>(part.lastByte);
        if (first != next || last < first || last >= file.size || last - first >= largestPart || !isAtLinkedIn(part.uploadUrl))
            return StepOutcome::retry(FailureCode::PlatformError, "LinkedIn requested parts beyond the end of the file.");
        next = last + 1;
        // The address of a part is signed.
        auto sent = apiRequest("PUT", part.uploadUrl, {});
        sent.headers.emplace_back("Content-Type", "application/octet-stream");
        sent.body = readPiece(file, first, last - first + 1);
        sent.timeout = longestUpload;
        sent.stop = call.stop;
        const auto answer = exchange(_parts.http, std::move(sent));
        if (!answer.isSuccess()) return linkedInOutcome(answer, call.now);
        const auto* tag = answer.response->header("ETag");
        if (tag == nullptr) return StepOutcome::retry(FailureCode::PlatformError, "The response to a part of the video has no ETag.");
        end.finalizeUploadRequest.uploadedPartIds.push_back(*tag);
    }
    if (next != file.size) return StepOutcome::retry(FailureCode::PlatformError, "LinkedIn requested parts beyond the end of the file.");
    const auto ended = post("/rest/videos?action=finalizeUpload", toJson(end), token);
    if (!ended.isSuccess()) return linkedInOutcome(ended, call.now);
    return StepOutcome::done({place.video, {}, std::string(processingVideo)});
}

std::optional<StepOutcome> LinkedInNetwork::notReady(const StepCall& call) const
{
    for (const auto& earlier : call.earlier)
    {
        if (earlier.data != processingVideo) continue;
        const auto answer = get("/rest/videos/" + percentEncoded(earlier.id), call.account.credentials.accessToken);
        if (!answer.isSuccess()) return repeatable(linkedInOutcome(answer, call.now));
        const auto status = readAnswer<linkedin::VideoState>(answer).value_or(linkedin::VideoState{}).status;
        if (status == "AVAILABLE") continue;
        if (status == "PROCESSING_FAILED") return StepOutcome::failed(FailureCode::MediaRejected, "LinkedIn could not process the video.");
        return stillPreparing(call, videoPoll, longestVideoWait);
    }
    return std::nullopt;
}

StepOutcome LinkedInNetwork::publish(const StepCall& call) const
{
    if (auto outcome = notReady(call)) return *std::move(outcome);
    auto made = fromStoredJson<linkedin::NewPost>(call.step.request);
    std::vector<linkedin::Media> files;
    for (std::size_t i = 0; i < call.earlier.size(); ++i) files.push_back({call.earlier[i].id, call.earlierSteps[i].request});
    if (files.size() == 1)
        made.content = linkedin::Content{.media = files.front(), .multiImage = {}, .article = {}};
    else if (!files.empty())
        made.content = linkedin::Content{.media = {}, .multiImage = linkedin::MultiImage{std::move(files)}, .article = {}};
    const auto body = toJson(made);
    const auto answer = post("/rest/posts", body, call.account.credentials.accessToken);
    auto outcome = answer.isSuccess() ? StepOutcome{} : linkedInOutcome(answer, call.now);
    outcome.requestDigest = sha256(body).hex();
    if (!answer.isSuccess()) return outcome;
    outcome.httpStatus = answer.response->status;
    const auto* id = answer.response->header("x-restli-id");
    if (id == nullptr || !(isUrn(*id, "urn:li:share:") || isUrn(*id, "urn:li:ugcPost:"))) return unnamed(std::move(outcome));
    outcome.result = {*id, "https://www.linkedin.com/feed/update/" + *id + "/", {}};
    return outcome;
}

LookUp LinkedInNetwork::lookUp(const StepCall& call)
{
    // An upload without a post is invisible, so it is repeated.
    if (call.step.kind == "upload") return {LookUp::Kind::Absent, {}, {}, {}};
    const auto sent = lettersOf(fromStoredJson<linkedin::NewPost>(call.step.request).commentary);
    auto asked = request("GET",
                         "/rest/posts?q=author&author=" + percentEncoded(call.account.externalId) +
                             "&count=" + std::to_string(newestPosts) + "&sortBy=CREATED",
                         call.account.credentials.accessToken);
    asked.headers.emplace_back("X-RestLi-Method", "FINDER");
    const auto answer = exchange(_parts.http, std::move(asked));
    const auto list = answer.isSuccess() ? readAnswer<linkedin::PostList>(answer) : std::nullopt;
    // LinkedIn lets few applications read the posts of members.
    if (!list) return {LookUp::Kind::Unknown, {}, failedOutcome(answer, call.now).message, {}};
    if (sent.empty()) return {LookUp::Kind::Unknown, {}, "A post without letters cannot be identified.", {}};
    // A full page or a link to the next one means that there may be older posts.
    bool reachesBack = std::ssize(list->elements) < newestPosts &&
                       std::ranges::none_of(list->paging.links, [](const linkedin::PageLink& link) { return link.rel == "next"; });
    for (const auto& found : list->elements)
    {
        if (found.createdAt > 0 && fromMillis(found.createdAt) + std::chrono::minutes(5) < call.firstAttemptAt)
        {
            reachesBack = true;
            continue;
        }
        if (lettersOf(found.commentary) == sent && isUrn(found.id, "urn:li:"))
            return {LookUp::Kind::Found, {found.id, "https://www.linkedin.com/feed/update/" + found.id + "/", {}}, {}, {}};
    }
    return notListed(reachesBack);
}

StepOutcome LinkedInNetwork::remove(const NetworkAccount& account, const StepResult& published)
{
    auto asked = request("DELETE", "/rest/posts/" + percentEncoded(published.id), account.credentials.accessToken);
    asked.headers.emplace_back("X-RestLi-Method", "DELETE");
    const auto answer = exchange(_parts.http, std::move(asked));
    if (answer.isSuccess() || (answer.response && answer.response->status == 404)) return {};
    return linkedInOutcome(answer, _parts.clock.now());
}

std::optional<PostNumbers> LinkedInNetwork::numbers(const NetworkAccount& account, const StepResult& published)
{
    const auto answer = get("/rest/socialActions/" + percentEncoded(published.id), account.credentials.accessToken);
    const auto actions = answer.isSuccess() ? readAnswer<linkedin::SocialActions>(answer) : std::nullopt;
    if (!actions) return std::nullopt;
    PostNumbers numbers;
    if (actions->likesSummary) numbers.likes = actions->likesSummary->totalLikes;
    if (actions->commentsSummary) numbers.replies = actions->commentsSummary->aggregatedTotalComments;
    return numbers;
}

} // namespace portico::social
