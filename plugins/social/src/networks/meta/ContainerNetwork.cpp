#include "networks/meta/ContainerNetwork.h"

#include "text/Comparison.h"
#include "text/Entities.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::social
{

namespace
{
constexpr std::chrono::seconds containerPoll{60};
constexpr std::chrono::minutes longestContainerWait{5};
constexpr std::chrono::minutes quotaWait{30};
constexpr std::ptrdiff_t maxInstagramTags = 30;

struct ContainerProfile
{
    std::string id;
    /// Instagram: the number by which posts are made.
    std::string userId;
    std::string username;
    std::string name;
    std::string instagramPicture;
    std::string threadsPicture;
};
constexpr auto schemaOf(const ContainerProfile*)
{
    using P = ContainerProfile;
    return describe(field<&P::id>(), field<&P::userId>("user_id"), members<&P::username, &P::name>(),
                    field<&P::instagramPicture>("profile_picture_url"), field<&P::threadsPicture>("threads_profile_picture_url"));
}

struct ContainerState
{
    std::string status;
    std::string statusCode;
    std::string errorMessage;

    const std::string& state() const { return statusCode.empty() ? status : statusCode; }
};
constexpr auto schemaOf(const ContainerState*)
{
    using S = ContainerState;
    return describe(field<&S::status>(), field<&S::statusCode>("status_code"), field<&S::errorMessage>("error_message"));
}

struct ContainerPost
{
    std::string id;
    std::string permalink;
    std::string text;
    std::string caption;
    std::optional<std::int64_t> likes;
    std::optional<std::int64_t> comments;
};
constexpr auto schemaOf(const ContainerPost*)
{
    using P = ContainerPost;
    return describe(members<&P::id, &P::permalink, &P::text, &P::caption>(), field<&P::likes>("like_count"),
                    field<&P::comments>("comments_count"));
}

struct ContainerQuotaTotal
{
    std::int64_t total = 0;
};
constexpr auto schemaOf(const ContainerQuotaTotal*) { return describe(field<&ContainerQuotaTotal::total>("quota_total")); }

struct ContainerQuota
{
    std::int64_t usage = 0;
    ContainerQuotaTotal config;
};
constexpr auto schemaOf(const ContainerQuota*)
{
    return describe(field<&ContainerQuota::usage>("quota_usage"), field<&ContainerQuota::config>());
}

struct ContainerQuotas
{
    std::vector<ContainerQuota> data;
};
constexpr auto schemaOf(const ContainerQuotas*) { return describe(members<&ContainerQuotas::data>()); }

struct ContainerPosts
{
    std::vector<ContainerPost> data;
};
constexpr auto schemaOf(const ContainerPosts*) { return describe(members<&ContainerPosts::data>()); }
} // namespace

const ContainerApi instagramApi{
    .platform = Platform::Instagram,
    .server = {.name = "Instagram",
               .authorizeUrl = "https://www.instagram.com/oauth/authorize",
               .tokenUrl = "https://api.instagram.com/oauth/access_token",
               .scopes = "instagram_business_basic,instagram_business_content_publish"},
    .graphUrl = "https://graph.instagram.com/v21.0",
    .exchangeUrl = "https://graph.instagram.com",
    .exchangeGrant = "ig_exchange_token",
    .refreshUrl = "https://graph.instagram.com",
    .refreshGrant = "ig_refresh_token",
    .profileFields = "user_id,username,name,profile_picture_url",
    .posts = "/media",
    .publish = "/media_publish",
    .quota = "/content_publishing_limit",
    .textField = "caption",
    .statusField = "status_code",
    // The network's own limit changes, so the answers are asked (2.A.11).
    .budgets = [] { return std::vector<NetworkBudget>{}; },
};

const ContainerApi threadsApi{
    .platform = Platform::Threads,
    .server = {.name = "Threads",
               .authorizeUrl = "https://threads.net/oauth/authorize",
               .tokenUrl = "https://graph.threads.net/oauth/access_token",
               .scopes = "threads_basic,threads_content_publish"},
    .graphUrl = "https://graph.threads.net/v1.0",
    .exchangeUrl = "https://graph.threads.net",
    .exchangeGrant = "th_exchange_token",
    .refreshUrl = "https://graph.threads.net",
    .refreshGrant = "th_refresh_token",
    .profileFields = "id,username,name,threads_profile_picture_url",
    .posts = "/threads",
    .publish = "/threads_publish",
    .quota = "/threads_publishing_limit",
    .textField = "text",
    .statusField = "status,error_message",
    .hasTextPosts = true,
    .budgets =
        [] {
            return std::vector<NetworkBudget>{{"threads-day", 250, std::chrono::hours(24)}};
        },
};

AccountProfile ContainerNetwork::finish(std::string_view keep, const ConnectReturn& back)
{
    const auto grant = flow().finish(keep, back);
    const auto now = _parts.clock.now();
    // The first token ends after an hour.
    const meta::Graph tokens(_parts.http, _api.exchangeUrl);
    auto credentials = meta::requireCredentials(
        tokens.get("/access_token", {{"grant_type", std::string(_api.exchangeGrant)}, {"client_secret", clientSecret()}},
                   grant.credentials.accessToken),
        _api.server.name, now);
    auto profile = profileOf(credentials);
    profile.scopes = grant.scopes;
    return profile;
}

Refreshed ContainerNetwork::refresh(const NetworkAccount& account)
{
    const auto now = _parts.clock.now();
    const meta::Graph tokens(_parts.http, _api.refreshUrl);
    const auto answer =
        tokens.get("/refresh_access_token", {{"grant_type", std::string(_api.refreshGrant)}}, account.credentials.accessToken);
    if (meta::isDead(answer)) return {Refreshed::Kind::Dead, {}, std::string(_api.server.name) + " ended the grant."};
    if (!answer.isSuccess()) return {Refreshed::Kind::Unreachable, {}, meta::graphOutcome(answer, now).message};
    try
    {
        return {Refreshed::Kind::New, meta::requireCredentials(answer, _api.server.name, now), {}};
    }
    catch (const ConnectFault& fault)
    {
        return {Refreshed::Kind::Unreachable, {}, fault.what()};
    }
}

AccountProfile ContainerNetwork::profileOf(const Credentials& credentials) const
{
    const auto answer = _graph.get("/me", {{"fields", std::string(_api.profileFields)}}, credentials.accessToken);
    meta::requireToken(answer, _api.server.name);
    const auto said = requireAnswer<ContainerProfile>(answer, _api.server.name);
    AccountProfile profile;
    profile.externalId = said.userId.empty() ? said.id : said.userId;
    if (!meta::isGraphId(profile.externalId))
        throw ConnectFault(ConnectFault::Kind::Unreachable, "", "unexpected_answer", std::string(_api.server.name) + " names no account.");
    profile.handle = cleanText(said.username, 100);
    profile.displayName = cleanText(said.name.empty() ? said.username : said.name, 100);
    profile.serverUrl = _api.graphUrl;
    const auto& picture = said.instagramPicture.empty() ? said.threadsPicture : said.instagramPicture;
    if (isWebUrl(picture)) profile.avatarUrl = picture;
    profile.credentials = credentials;
    return profile;
}

AccountProfile ContainerNetwork::check(const NetworkAccount& account)
{
    auto profile = profileOf(account.credentials);
    requireSame(account, profile);
    return profile;
}

std::string ContainerNetwork::sentText(const Publication& publication, std::size_t part) const
{
    // Threads shows a link of the post as a card; Instagram has no links.
    return _api.hasTextPosts && publication.parts[part].files.empty() ? publication.parts[part].text : textWithLink(publication, part);
}

std::vector<PublicationFault> ContainerNetwork::faults(const Publication& publication, const Credentials* account) const
{
    auto faults = Network::faults(publication, account);
    for (std::size_t i = 0; i < publication.parts.size(); ++i)
    {
        const auto& files = publication.parts[i].files;
        if (std::ssize(files) > limits(account).maxImages)
            faults.push_back({static_cast<int>(i), "mediaIds", "too_many_media", "The carousel has too many files for the network."});
        if (files.empty() && !_api.hasTextPosts)
            faults.push_back({static_cast<int>(i), "mediaIds", "required", "A post on this network needs a picture or a video."});
        if (std::ranges::any_of(files, [](const PublishedFile& file) { return !file.url.empty() && !file.url.starts_with("https://"); }))
            faults.push_back({static_cast<int>(i), "mediaIds", "public_url_required",
                              "The network downloads files from this server, which therefore needs a public https address."});
    }
    if (_api.hasTextPosts) return faults;
    refuseThread(publication, faults);
    const auto entities = findEntities(publication.parts.front().text, MentionForm::None);
    if (std::ranges::count(entities, EntityKind::Tag, &Entity::kind) > maxInstagramTags)
        faults.push_back({0, "text", "too_many_tags", "A post on Instagram can have at most 30 hashtags."});
    return faults;
}

PublicationPreview ContainerNetwork::preview(const Publication& publication, const Credentials* account) const
{
    auto sent = publication;
    for (std::size_t i = 0; i < sent.parts.size(); ++i) sent.parts[i].text = sentText(publication, i);
    auto shown = Network::preview(sent, account);
    if (_api.hasTextPosts && !publication.parts.empty() && publication.parts.front().files.empty()) shown.cardUrl = publication.linkUrl;
    return shown;
}

QueryFields ContainerNetwork::fieldsOf(const PublishedFile& file) const
{
    const bool isVideo = file.kind == "video";
    QueryFields fields{{isVideo ? "video_url" : "image_url", file.url}};
    if (isVideo || _api.hasTextPosts) fields.emplace_back("media_type", isVideo ? "VIDEO" : "IMAGE");
    // Instagram accepts alternative texts for pictures only.
    if (!file.altText.empty() && (!isVideo || _api.hasTextPosts)) fields.emplace_back("alt_text", file.altText);
    return fields;
}

std::vector<FixedStep> ContainerNetwork::prepare(const Publication& publication, const NetworkAccount&, Instant)
{
    std::vector<FixedStep> steps;
    for (std::size_t i = 0; i < publication.parts.size(); ++i)
    {
        const auto part = static_cast<int>(i);
        const auto& files = publication.parts[i].files;
        QueryFields fields;
        if (files.empty())
            fields = {{"media_type", "TEXT"}};
        else if (files.size() == 1)
        {
            fields = fieldsOf(files.front());
            // A single video is a reel.
            if (!_api.hasTextPosts && files.front().kind == "video") fields.at(1).second = "REELS";
        }
        else
        {
            for (const auto& file : files)
            {
                auto item = fieldsOf(file);
                item.emplace_back("is_carousel_item", "true");
                steps.push_back({"upload", part, {}, {}, toQuery(item), {}});
            }
            fields = {{"media_type", "CAROUSEL"}};
        }
        if (const auto text = sentText(publication, i); !text.empty()) fields.emplace_back(_api.textField, text);
        if (_api.hasTextPosts && i == 0 && files.empty() && !publication.linkUrl.empty())
            fields.emplace_back("link_attachment", publication.linkUrl);
        steps.push_back({"container", part, {}, {}, toQuery(fields), {}});
        // The record key has the text here, by which a lost post is found.
        steps.push_back({"post", part, lettersOf(sentText(publication, i)), {}, {}, {}});
    }
    return steps;
}

StepOutcome ContainerNetwork::perform(const StepCall& call) { return call.step.kind == "post" ? publish(call) : makeContainer(call); }

StepOutcome ContainerNetwork::makeContainer(const StepCall& call) const
{
    auto form = call.step.request;
    std::string children, answered;
    for (std::size_t i = 0; call.step.kind == "container" && i < call.earlierSteps.size(); ++i)
    {
        if (call.earlierSteps[i].kind == "post") answered = call.earlier[i].id;
        if (call.earlierSteps[i].kind != "upload" || call.earlierSteps[i].part != call.step.part) continue;
        if (auto outcome = notReady(call, call.earlier[i].id)) return *std::move(outcome);
        children += (children.empty() ? "" : ",") + call.earlier[i].id;
    }
    if (!children.empty()) form += "&" + toQuery({{"children", children}});
    if (!answered.empty()) form += "&" + toQuery({{"reply_to_id", answered}});
    const auto answer = _graph.post("/" + call.account.externalId + std::string(_api.posts), form, call.account.credentials.accessToken);
    // Readers do not see a container.
    if (!answer.isSuccess()) return repeatable(meta::graphOutcome(answer, call.now));
    const auto made = readAnswer<meta::Object>(answer).value_or(meta::Object{});
    if (!meta::isGraphId(made.id)) return StepOutcome::retry(FailureCode::PlatformError, "The response contains no container ID.");
    return StepOutcome::done({made.id, {}, {}});
}

std::optional<StepOutcome> ContainerNetwork::notReady(const StepCall& call, const std::string& container) const
{
    const auto answer = _graph.get("/" + container, {{"fields", std::string(_api.statusField)}}, call.account.credentials.accessToken);
    if (!answer.isSuccess()) return repeatable(meta::graphOutcome(answer, call.now));
    const auto said = readAnswer<ContainerState>(answer).value_or(ContainerState{});
    if (said.state() == "PUBLISHED" && call.step.kind == "post")
    {
        StepOutcome outcome;
        outcome.kind = StepOutcome::Kind::PerhapsSent;
        outcome.code = FailureCode::PlatformError;
        outcome.message = "The network published the post in an earlier attempt.";
        return outcome;
    }
    if (said.state() == "FINISHED" || said.state() == "PUBLISHED") return std::nullopt;
    if (said.state() == "ERROR")
        return StepOutcome::failed(FailureCode::MediaRejected,
                                   "The network could not prepare the post. " + cleanText(said.errorMessage, 200));
    if (said.state() == "EXPIRED")
        return StepOutcome::failed(FailureCode::PlatformError, "The network timed out while preparing the post.");
    return stillPreparing(call, containerPoll, longestContainerWait);
}

std::string ContainerNetwork::linkTo(const NetworkAccount& account, const std::string& post) const
{
    const auto answer = _graph.get("/" + post, {{"fields", "permalink"}}, account.credentials.accessToken);
    const auto said = answer.isSuccess() ? readAnswer<ContainerPost>(answer).value_or(ContainerPost{}) : ContainerPost{};
    return isWebUrl(said.permalink) ? said.permalink : std::string();
}

std::optional<StepOutcome> ContainerNetwork::overQuota(const StepCall& call) const
{
    const auto answer = _graph.get("/" + call.account.externalId + std::string(_api.quota), {{"fields", "config,quota_usage"}},
                                   call.account.credentials.accessToken);
    const auto quotas = answer.isSuccess() ? readAnswer<ContainerQuotas>(answer).value_or(ContainerQuotas{}) : ContainerQuotas{};
    // The network enforces its quota itself, so a quota that cannot be read does not block the post.
    if (quotas.data.empty() || quotas.data.front().config.total <= 0 || quotas.data.front().usage < quotas.data.front().config.total)
        return std::nullopt;
    auto outcome = StepOutcome::retry(FailureCode::RateLimited, "The account has reached its limit of posts in 24 hours.");
    outcome.notBefore = call.now + quotaWait;
    return outcome;
}

StepOutcome ContainerNetwork::publish(const StepCall& call) const
{
    const auto& container = call.earlier.back().id;
    if (auto outcome = notReady(call, container)) return *std::move(outcome);
    if (auto outcome = overQuota(call)) return *std::move(outcome);
    const auto form = toQuery({{"creation_id", container}});
    const auto answer = _graph.post("/" + call.account.externalId + std::string(_api.publish), form, call.account.credentials.accessToken);
    auto outcome = answer.isSuccess() ? StepOutcome{} : meta::graphOutcome(answer, call.now);
    outcome.requestDigest = sha256(form).hex();
    if (!answer.isSuccess()) return outcome;
    outcome.httpStatus = answer.response->status;
    const auto made = readAnswer<meta::Object>(answer).value_or(meta::Object{});
    if (!meta::isGraphId(made.id)) return unnamed(std::move(outcome));
    outcome.result = {made.id, linkTo(call.account, made.id), {}};
    return outcome;
}

LookUp ContainerNetwork::lookUp(const StepCall& call)
{
    // An unpublished container is invisible, so it is created again.
    if (call.step.kind != "post") return {LookUp::Kind::Absent, {}, {}, {}};
    const auto& token = call.account.credentials.accessToken;
    const auto answer = _graph.get("/" + call.earlier.back().id, {{"fields", std::string(_api.statusField)}}, token);
    if (!answer.isSuccess()) return {LookUp::Kind::Unknown, {}, meta::graphOutcome(answer, call.now).message, {}};
    const auto state = readAnswer<ContainerState>(answer).value_or(ContainerState{}).state();
    if (state == "FINISHED" || state == "ERROR" || state == "EXPIRED") return {LookUp::Kind::Absent, {}, {}, {}};
    if (state != "PUBLISHED") return {LookUp::Kind::Unknown, {}, "The network is still preparing the post.", {}};
    // The container does not name its post.
    const auto listed = _graph.get("/" + call.account.externalId + std::string(_api.posts),
                                   {{"fields", "id,permalink," + std::string(_api.textField)}, {"limit", "10"}}, token);
    const auto posts = listed.isSuccess() ? readAnswer<ContainerPosts>(listed).value_or(ContainerPosts{}) : ContainerPosts{};
    for (const auto& post : posts.data)
        if (meta::isGraphId(post.id) && lettersOf(post.text.empty() ? post.caption : post.text) == call.step.recordKey)
            return {LookUp::Kind::Found, {post.id, isWebUrl(post.permalink) ? post.permalink : std::string(), {}}, {}, {}};
    return {LookUp::Kind::Unknown, {}, "The post is published, and the network does not list it yet.", {}};
}

std::optional<PostNumbers> ContainerNetwork::numbers(const NetworkAccount& account, const StepResult& published)
{
    // Threads requires another permission for numbers.
    if (_api.hasTextPosts) return PostNumbers{};
    const auto answer = _graph.get("/" + published.id, {{"fields", "like_count,comments_count"}}, account.credentials.accessToken);
    const auto said = answer.isSuccess() ? readAnswer<ContainerPost>(answer) : std::nullopt;
    if (!said) return std::nullopt;
    return PostNumbers{said->likes, std::nullopt, said->comments};
}

} // namespace portico::social
