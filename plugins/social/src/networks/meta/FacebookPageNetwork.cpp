#include "networks/meta/FacebookPageNetwork.h"

#include "text/Comparison.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::social
{

namespace
{
constexpr CodeFlowServer facebookServer{
    .name = "Facebook",
    .authorizeUrl = "https://www.facebook.com/v21.0/dialog/oauth",
    .tokenUrl = "https://graph.facebook.com/v21.0/oauth/access_token",
    .scopes = "pages_show_list,pages_read_engagement,pages_manage_posts",
};
constexpr std::string_view facebookGraph = "https://graph.facebook.com/v21.0";

struct FacebookPage
{
    std::string id;
    std::string name;
    std::string accessToken;
};
constexpr auto schemaOf(const FacebookPage*)
{
    return describe(members<&FacebookPage::id, &FacebookPage::name>(), field<&FacebookPage::accessToken>("access_token"));
}

struct FacebookPages
{
    std::vector<FacebookPage> data;
};
constexpr auto schemaOf(const FacebookPages*) { return describe(members<&FacebookPages::data>()); }

struct FacebookTotal
{
    std::int64_t count = 0;
};
constexpr auto schemaOf(const FacebookTotal*) { return describe(field<&FacebookTotal::count>("total_count")); }

struct FacebookSummary
{
    FacebookTotal summary;
};
constexpr auto schemaOf(const FacebookSummary*) { return describe(members<&FacebookSummary::summary>()); }

struct FacebookShares
{
    std::int64_t count = 0;
};
constexpr auto schemaOf(const FacebookShares*) { return describe(members<&FacebookShares::count>()); }

struct FacebookPost
{
    std::string id;
    std::string message;
    std::string createdTime;
    std::string permalinkUrl;
    std::optional<FacebookSummary> reactions;
    std::optional<FacebookSummary> comments;
    std::optional<FacebookShares> shares;
};
constexpr auto schemaOf(const FacebookPost*)
{
    using P = FacebookPost;
    return describe(members<&P::id, &P::message>(), field<&P::createdTime>("created_time"), field<&P::permalinkUrl>("permalink_url"),
                    members<&P::reactions, &P::comments, &P::shares>());
}

struct FacebookPaging
{
    /// Empty on the last page.
    std::string next;
};
constexpr auto schemaOf(const FacebookPaging*) { return describe(members<&FacebookPaging::next>()); }

struct FacebookPosts
{
    std::vector<FacebookPost> data;
    FacebookPaging paging;
};
constexpr auto schemaOf(const FacebookPosts*) { return describe(members<&FacebookPosts::data, &FacebookPosts::paging>()); }

struct NewFacebookPost
{
    std::string message;
    std::string link;
};
constexpr auto schemaOf(const NewFacebookPost*) { return describe(members<&NewFacebookPost::message, &NewFacebookPost::link>()); }

std::string facebookUrl(const std::string& id) { return "https://www.facebook.com/" + id; }

/// Reads a time whose offset has no colon: `2026-11-23T08:00:01+0000`.
std::optional<Instant> facebookTime(std::string text)
{
    if (text.ends_with("+0000")) text.insert(text.size() - 2, ":");
    return parseInstant(text);
}
} // namespace

FacebookPageNetwork::FacebookPageNetwork(const ApprovedParts& parts)
    : ApprovedNetwork(Platform::FacebookPage, parts, facebookServer),
      _graph(parts.http, facebookGraph),
      _videos(parts.http, "https://graph-video.facebook.com/v21.0")
{
}

AccountProfile FacebookPageNetwork::finish(std::string_view keep, const ConnectReturn& back)
{
    const auto grant = flow().finish(keep, back);
    // A page's token lasts where the user's token is a long one.
    const auto user = meta::requireCredentials(_graph.post("/oauth/access_token",
                                                           {{"grant_type", "fb_exchange_token"},
                                                            {"client_id", clientId()},
                                                            {"client_secret", clientSecret()},
                                                            {"fb_exchange_token", grant.credentials.accessToken}},
                                                           {}),
                                               facebookServer.name, _parts.clock.now());
    const auto pages =
        requireAnswer<FacebookPages>(_graph.get("/me/accounts", {{"fields", "id,name,access_token"}, {"limit", "100"}}, user.accessToken),
                                     facebookServer.name)
            .data;
    const auto wanted = std::string(trim(grant.choice));
    const auto chosen = std::ranges::find_if(pages, [&](const FacebookPage& page) { return page.id == wanted || page.name == wanted; });
    if (wanted.empty() && pages.size() > 1)
        throw ConnectFault(ConnectFault::Kind::Refused, "identifier", "several_pages",
                           "You manage several pages. Allow only one, or enter its name.");
    const auto page = wanted.empty() ? pages.begin() : chosen;
    if (page == pages.end() || !meta::isGraphId(page->id) || page->accessToken.empty())
        throw ConnectFault(ConnectFault::Kind::Refused, "identifier", "no_page", "You manage no such page on Facebook.");
    AccountProfile profile;
    profile.externalId = page->id;
    profile.accountType = "page";
    profile.displayName = cleanText(page->name, 100);
    profile.handle = profile.displayName;
    profile.serverUrl = facebookGraph;
    profile.scopes = grant.scopes;
    profile.credentials.accessToken = page->accessToken;
    profile.credentials.issuedAt = _parts.clock.now();
    return profile;
}

AccountProfile FacebookPageNetwork::check(const NetworkAccount& account)
{
    const auto answer = _graph.get("/" + account.externalId, {{"fields", "id,name"}}, account.credentials.accessToken);
    meta::requireToken(answer, facebookServer.name);
    const auto page = requireAnswer<FacebookPage>(answer, facebookServer.name);
    AccountProfile profile;
    profile.externalId = page.id;
    profile.accountType = "page";
    profile.displayName = cleanText(page.name, 100);
    profile.handle = profile.displayName;
    profile.serverUrl = account.serverUrl;
    profile.credentials = account.credentials;
    requireSame(account, profile);
    return profile;
}

std::vector<PublicationFault> FacebookPageNetwork::faults(const Publication& publication, const Credentials* account) const
{
    auto faults = Network::faults(publication, account);
    refuseThread(publication, faults);
    return faults;
}

std::vector<FixedStep> FacebookPageNetwork::prepare(const Publication& publication, const NetworkAccount&, Instant)
{
    std::vector<FixedStep> steps;
    const auto& part = publication.parts.front();
    const auto request = toJson(
        NewFacebookPost{part.files.empty() ? part.text : textWithLink(publication, 0), part.files.empty() ? publication.linkUrl : ""});
    // Uploading a video creates the post.
    if (!part.files.empty() && part.files.front().kind == "video")
    {
        steps.push_back({"post", 0, part.files.front().contentType, {}, request, part.files.front().blobKey});
        return steps;
    }
    // The record key has the file's type here: an upload has no key.
    for (const auto& file : part.files) steps.push_back({"upload", 0, file.contentType, {}, file.altText, file.blobKey});
    steps.push_back({"post", 0, {}, {}, request, {}});
    return steps;
}

StepOutcome FacebookPageNetwork::perform(const StepCall& call) { return call.step.kind == "upload" ? upload(call) : publish(call); }

StepOutcome FacebookPageNetwork::upload(const StepCall& call) const
{
    const auto file = _parts.blobs.open(call.step.blobKey);
    if (!file) return StepOutcome::failed(FailureCode::MediaMissing, "The file was deleted.");
    const auto answer = _graph.upload("/" + call.account.externalId + "/photos",
                                      {{.name = "published", .text = "false"},
                                       {.name = "alt_text_custom", .text = call.step.request},
                                       {.name = "source", .file = &*file, .fileName = "file", .contentType = call.step.recordKey}},
                                      call.account.credentials.accessToken, call.stop);
    if (!answer.isSuccess()) return repeatable(meta::graphOutcome(answer, call.now));
    const auto made = readAnswer<meta::Object>(answer).value_or(meta::Object{});
    if (!meta::isGraphId(made.id))
        return StepOutcome::retry(FailureCode::PlatformError, "The response to the upload contains no picture ID.");
    return StepOutcome::done({made.id, {}, {}});
}

StepOutcome FacebookPageNetwork::publish(const StepCall& call) const
{
    const auto& token = call.account.credentials.accessToken;
    const auto wanted = fromStoredJson<NewFacebookPost>(call.step.request);
    Exchanged answer;
    std::string sent;
    if (!call.step.blobKey.empty())
    {
        const auto file = _parts.blobs.open(call.step.blobKey);
        if (!file) return StepOutcome::failed(FailureCode::MediaMissing, "The file was deleted.");
        sent = wanted.message;
        answer = _videos.upload("/" + call.account.externalId + "/videos",
                                {{.name = "description", .text = wanted.message},
                                 {.name = "source", .file = &*file, .fileName = "file", .contentType = call.step.recordKey}},
                                token, call.stop);
    }
    else
    {
        QueryFields fields{{"message", wanted.message}};
        if (!wanted.link.empty()) fields.emplace_back("link", wanted.link);
        for (std::size_t i = 0; i < call.earlier.size(); ++i)
            fields.emplace_back("attached_media[" + std::to_string(i) + "]", R"({"media_fbid":")" + call.earlier[i].id + "\"}");
        sent = toQuery(fields);
        answer = _graph.post("/" + call.account.externalId + "/feed", sent, token);
    }
    auto outcome = answer.isSuccess() ? StepOutcome{} : meta::graphOutcome(answer, call.now);
    outcome.requestDigest = sha256(sent).hex();
    if (!answer.isSuccess()) return outcome;
    outcome.httpStatus = answer.response->status;
    const auto made = readAnswer<meta::Object>(answer).value_or(meta::Object{});
    if (!meta::isGraphId(made.id)) return unnamed(std::move(outcome));
    outcome.result = {made.id, facebookUrl(made.id), {}};
    return outcome;
}

LookUp FacebookPageNetwork::lookUp(const StepCall& call)
{
    // A picture that no post refers to is not shown anywhere: it is uploaded again.
    if (call.step.kind == "upload") return {LookUp::Kind::Absent, {}, {}, {}};
    const auto sent = lettersOf(fromStoredJson<NewFacebookPost>(call.step.request).message);
    const auto answer =
        _graph.get("/" + call.account.externalId + "/feed", {{"fields", "id,message,created_time,permalink_url"}, {"limit", "25"}},
                   call.account.credentials.accessToken);
    const auto list = answer.isSuccess() ? readAnswer<FacebookPosts>(answer) : std::nullopt;
    if (!list) return {LookUp::Kind::Unknown, {}, meta::graphOutcome(answer, call.now).message, {}};
    if (sent.empty()) return {LookUp::Kind::Unknown, {}, "A post without letters cannot be identified.", {}};
    bool reachesBack = list->paging.next.empty();
    for (const auto& found : list->data)
    {
        const auto created = facebookTime(found.createdTime);
        if (created && *created + std::chrono::minutes(5) < call.firstAttemptAt)
        {
            reachesBack = true;
            continue;
        }
        if (meta::isGraphId(found.id) && lettersOf(found.message) == sent)
            return {LookUp::Kind::Found, {found.id, isWebUrl(found.permalinkUrl) ? found.permalinkUrl : facebookUrl(found.id), {}}, {}, {}};
    }
    // A video appears when it is processed.
    if (!call.step.blobKey.empty()) return {LookUp::Kind::Unknown, {}, "The video may still be processed.", {}};
    return notListed(reachesBack);
}

StepOutcome FacebookPageNetwork::remove(const NetworkAccount& account, const StepResult& published)
{
    const auto answer = _graph.remove("/" + published.id, account.credentials.accessToken);
    if (answer.isSuccess() || (answer.response && answer.response->status == 404)) return {};
    return meta::graphOutcome(answer, _parts.clock.now());
}

std::optional<PostNumbers> FacebookPageNetwork::numbers(const NetworkAccount& account, const StepResult& published)
{
    const auto answer = _graph.get("/" + published.id, {{"fields", "reactions.summary(total_count),comments.summary(total_count),shares"}},
                                   account.credentials.accessToken);
    const auto said = answer.isSuccess() ? readAnswer<FacebookPost>(answer) : std::nullopt;
    if (!said) return std::nullopt;
    PostNumbers numbers;
    if (said->reactions) numbers.likes = said->reactions->summary.count;
    if (said->comments) numbers.replies = said->comments->summary.count;
    numbers.reposts = said->shares ? said->shares->count : 0;
    return numbers;
}

} // namespace portico::social
