#include "networks/bluesky/BlueskyNetwork.h"

#include "networks/PostSettings.h"
#include "networks/bluesky/Tid.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::social
{

namespace
{
constexpr std::int64_t maxGraphemes = 300;
constexpr std::int64_t maxBytes = 3'000;
constexpr std::uint64_t largestThumb = 1'000'000;
constexpr std::size_t longestCardText = 300;
/// Kind of the step that uploads the picture of a link card; its request is the address of the picture.
constexpr std::string_view thumbKind = "thumb";
constexpr std::size_t maxLanguages = 3;
constexpr std::array<std::string_view, 4> selfLabels = {"sexual", "nudity", "porn", "graphic-media"};

/// A call's error as the server words it; empty: none.
bluesky::XrpcError errorOf(const Exchanged& exchanged) { return readAnswer<bluesky::XrpcError>(exchanged).value_or(bluesky::XrpcError{}); }

bool isTokenError(std::string_view error) noexcept { return error == "ExpiredToken" || error == "InvalidToken"; }

StepOutcome outcomeOf(const Exchanged& exchanged, Instant now)
{
    const auto error = errorOf(exchanged);
    auto outcome = failedOutcome(exchanged, now, error.error, error.message);
    // An access token that has expired is answered with 400.
    if (isTokenError(error.error) || error.error == "AuthMissing") outcome.kind = StepOutcome::Kind::AuthRefused;
    if (error.error == "BlobTooLarge") outcome.code = FailureCode::MediaTooLarge;
    if (error.error == "AccountTakedown" || error.error == "AccountDeactivated") outcome.code = FailureCode::PermissionDenied;
    return outcome;
}

/// Reads when a token was issued and when it expires. It is the network's own token: its signature is not checked.
void readTimes(Credentials& credentials)
{
    const std::string_view token = credentials.accessToken;
    const auto first = token.find('.'), second = first == std::string_view::npos ? first : token.find('.', first + 1);
    credentials.issuedAt.reset();
    credentials.expiresAt.reset();
    if (second == std::string_view::npos) return;
    const auto payload = fromBase64Url(token.substr(first + 1, second - first - 1));
    if (!payload) return;
    try
    {
        const auto times = fromStoredJson<bluesky::TokenTimes>(*payload);
        if (times.iat > 0 && times.exp > times.iat && times.exp < 100'000'000'000)
        {
            credentials.issuedAt = Instant(std::chrono::seconds(times.iat));
            credentials.expiresAt = Instant(std::chrono::seconds(times.exp));
        }
    }
    catch (const Problem&)
    {
        return;
    }
}

bluesky::Access accessOf(const NetworkAccount& account) { return {account.credentials.accessToken, account.credentials.dpopKey}; }

Credentials credentialsOf(const bluesky::Session& session)
{
    Credentials credentials;
    credentials.accessToken = session.accessJwt;
    credentials.refreshToken = session.refreshJwt;
    readTimes(credentials);
    return credentials;
}

/// Returns the sent text of a part. It contains the post's link if no card can show it.
std::string sentText(const Publication& publication, std::size_t index)
{
    const auto& part = publication.parts[index];
    if (index > 0 || publication.linkUrl.empty() || part.files.empty() || part.text.find(publication.linkUrl) != std::string::npos)
        return part.text;
    return part.text + (part.text.empty() ? "" : "\n\n") + publication.linkUrl;
}

bool hasCard(const Publication& publication, std::size_t index)
{
    return index == 0 && !publication.linkUrl.empty() && publication.parts[index].files.empty();
}

std::vector<std::string> languagesOf(const Publication& publication, const PostSettings& settings)
{
    auto languages = settings.languages;
    if (languages.empty() && !publication.language.empty()) languages.push_back(publication.language);
    if (languages.size() > maxLanguages) languages.resize(maxLanguages);
    return languages;
}

std::optional<bluesky::AspectRatio> ratioOf(const PublishedFile& file)
{
    if (file.width <= 0 || file.height <= 0) return std::nullopt;
    return bluesky::AspectRatio{file.width, file.height};
}

/// Fills the blobs of the part's uploads into its embed, in their order.
void fillBlobs(bluesky::Post& record, const StepCall& call)
{
    if (!record.embed) return;
    std::size_t next = 0;
    for (std::size_t i = 0; i < call.earlierSteps.size(); ++i)
    {
        if (call.earlierSteps[i].kind == thumbKind && record.embed->external && !call.earlier[i].data.empty())
            record.embed->external->thumb = Json{call.earlier[i].data};
        if (call.earlierSteps[i].kind != "upload" || call.earlierSteps[i].part != call.step.part) continue;
        const Json blob{call.earlier[i].data};
        if (record.embed->video)
            record.embed->video = blob;
        else if (next < record.embed->images.size())
            record.embed->images[next++].image = blob;
    }
}

/// Sets the reply reference of the part.
void fillReply(bluesky::Post& record, const StepCall& call)
{
    std::optional<bluesky::StrongRef> root, parent;
    for (std::size_t i = 0; i < call.earlierSteps.size(); ++i)
    {
        if (call.earlierSteps[i].kind != "post") continue;
        parent = bluesky::StrongRef{call.earlier[i].id, call.earlier[i].data};
        if (!root) root = parent;
    }
    if (root) record.reply = bluesky::Reply{*root, *parent};
}

std::string uriOf(const bluesky::PutRecord& place) { return "at://" + place.repo + "/" + place.collection + "/" + place.rkey; }

std::string postUrl(std::string_view did, std::string_view key)
{
    return "https://bsky.app/profile/" + std::string(did) + "/post/" + std::string(key);
}
} // namespace

NetworkLimits BlueskyNetwork::limits(const Credentials*) const
{
    return {.textUnit = TextUnit::Graphemes,
            .maxText = maxGraphemes,
            .maxTextBytes = maxBytes,
            .maxImages = 4,
            .maxVideos = 1,
            .maxImageBytes = 2'000'000,
            .maxVideoBytes = 300'000'000,
            .mimeTypes = {"image/jpeg", "image/png", "image/webp", "image/gif", "video/mp4"},
            .mixing = MediaMixing::ImagesOrVideo};
}

bluesky::Server BlueskyNetwork::serverOf(const NetworkAccount& account) { return {_http, account.serverUrl, &_proofs}; }

bluesky::SignIn BlueskyNetwork::signIn() { return {_http, _clock, _directories, _client, _proofs}; }

AccountProfile BlueskyNetwork::finish(std::string_view keep, const ConnectReturn& back)
{
    const auto profile = signIn().finish(fromStoredJson<bluesky::PendingSignIn>(keep), back);
    NetworkAccount account;
    account.externalId = profile.externalId;
    account.serverUrl = profile.serverUrl;
    account.credentials = profile.credentials;
    return check(account);
}

ConnectStart BlueskyNetwork::connect(const ConnectRequest& request)
{
    auto identifier = std::string(trim(request.identifier));
    if (identifier.starts_with('@')) identifier.erase(0, 1);
    const bool signsIn = request.appPassword.empty() && _client.isAvailable();
    if (!(signsIn && identifier.empty() && !request.instanceUrl.empty()) && !identifier.starts_with("did:") &&
        !bluesky::isHandle(identifier))
        throw ConnectFault(ConnectFault::Kind::BadInput, "identifier", "invalid_identifier",
                           "Expected a handle such as name.bsky.social, or a DID.");
    if (!signsIn && request.appPassword.empty())
        throw ConnectFault(ConnectFault::Kind::BadInput, "appPassword", "required", "Expected an app password.");
    auto url = request.instanceUrl;
    while (url.ends_with('/')) url.pop_back();
    if (signsIn) return signIn().begin(identifier, url, request);
    url = requireReachable(_http, url.empty() ? bluesky::findAccount(_http, _directories, identifier).serverUrl : url,
                           url.empty() ? "identifier" : "instanceUrl");
    const auto answer = bluesky::Server(_http, url)
                            .procedure("com.atproto.server.createSession", R"({"identifier":)" + jsonText(identifier) + R"(,"password":)" +
                                                                               jsonText(request.appPassword) + "}");
    if (answer.response && (answer.response->status == 401 || answer.response->status == 403))
        throw ConnectFault(ConnectFault::Kind::Refused, "appPassword", "invalid_credentials",
                           "Bluesky rejected the handle or the app password.");
    const auto session = requireAnswer<bluesky::Session>(answer, "The server");
    if (!session.did.starts_with("did:") || session.accessJwt.empty() || session.refreshJwt.empty())
        throw ConnectFault(ConnectFault::Kind::Unreachable, "", "unexpected_answer", "The server returned no session.");
    AccountProfile profile;
    profile.externalId = session.did;
    profile.handle = session.handle;
    profile.displayName = session.handle;
    profile.serverUrl = url;
    profile.credentials = credentialsOf(session);
    ConnectStart start;
    start.account = std::move(profile);
    return start;
}

AccountProfile BlueskyNetwork::check(const NetworkAccount& account)
{
    const auto answer = serverOf(account).query("com.atproto.server.getSession", {}, accessOf(account));
    if (answer.response && (answer.response->status == 401 || isTokenError(errorOf(answer).error)))
        throw ConnectFault(ConnectFault::Kind::Refused, "", "token_refused", "Bluesky rejected the session.");
    const auto session = requireAnswer<bluesky::Session>(answer, "The server");
    if (session.did != account.externalId)
        throw ConnectFault(ConnectFault::Kind::Refused, "", "other_account", "The session belongs to another account.");
    AccountProfile profile;
    profile.externalId = session.did;
    profile.handle = session.handle;
    profile.displayName = session.handle;
    profile.serverUrl = account.serverUrl;
    profile.credentials = account.credentials;
    return profile;
}

Refreshed BlueskyNetwork::refresh(const NetworkAccount& account)
{
    if (!account.credentials.dpopKey.empty()) return signIn().refresh(account);
    const auto answer =
        serverOf(account).procedure("com.atproto.server.refreshSession", {}, bluesky::Access{account.credentials.refreshToken, {}});
    if (answer.isSuccess())
    {
        const auto session = readAnswer<bluesky::Session>(answer);
        if (!session || session->accessJwt.empty() || (!session->did.empty() && session->did != account.externalId))
            return {Refreshed::Kind::Unreachable, {}, "The server's answer cannot be read."};
        auto credentials = account.credentials;
        credentials.accessToken = session->accessJwt;
        if (!session->refreshJwt.empty()) credentials.refreshToken = session->refreshJwt;
        readTimes(credentials);
        return {Refreshed::Kind::New, std::move(credentials), {}};
    }
    const auto error = errorOf(answer).error;
    if (answer.response && (isTokenError(error) || error == "AccountTakedown" || error == "AccountDeactivated"))
        return {Refreshed::Kind::Dead, {}, "The app password was revoked or its session has ended."};
    return {Refreshed::Kind::Unreachable, {}, failedOutcome(answer, _clock.now()).message};
}

void BlueskyNetwork::revoke(const NetworkAccount& account) noexcept
{
    try
    {
        if (!account.credentials.dpopKey.empty()) return signIn().revoke(account);
        serverOf(account).procedure("com.atproto.server.deleteSession", {}, bluesky::Access{account.credentials.refreshToken, {}});
    }
    catch (const std::exception&)
    {
        return; // The session expires without this call.
    }
}

std::vector<PublicationFault> BlueskyNetwork::faults(const Publication& publication, const Credentials* account) const
{
    auto faults = Network::faults(publication, account);
    for (const auto& label : readSettings(publication.settings).labels)
        if (std::ranges::find(selfLabels, label) == selfLabels.end())
            faults.push_back({0, "settings", "invalid_label", "Bluesky supports the labels sexual, nudity, porn and graphic-media."});
    return faults;
}

PublicationPreview BlueskyNetwork::preview(const Publication& publication, const Credentials* account) const
{
    PublicationPreview shown;
    const auto allowed = limits(account);
    for (std::size_t i = 0; i < publication.parts.size(); ++i)
    {
        auto rich = withShortLinks(sentText(publication, i), MentionForm::Domain);
        PreviewPart part;
        for (auto& entity : rich.entities)
            part.marks.push_back(
                {entity.kind, static_cast<std::int64_t>(entity.begin), static_cast<std::int64_t>(entity.end), std::move(entity.value)});
        part.text = std::move(rich.text);
        const auto length = measure(allowed, part.text);
        part.length = length.length;
        part.limit = length.limit;
        shown.parts.push_back(std::move(part));
        if (hasCard(publication, i)) shown.cardUrl = publication.linkUrl;
    }
    return shown;
}

std::vector<bluesky::Facet> BlueskyNetwork::facetsOf(const RichText& rich, const bluesky::Server& server) const
{
    std::vector<bluesky::Facet> facets;
    for (const auto& entity : rich.entities)
    {
        bluesky::Feature feature;
        if (entity.kind == EntityKind::Link)
        {
            feature.type = "app.bsky.richtext.facet#link";
            feature.uri = entity.value;
        }
        else if (entity.kind == EntityKind::Tag)
        {
            feature.type = "app.bsky.richtext.facet#tag";
            feature.tag = entity.value;
        }
        else
        {
            const auto answer = server.query("com.atproto.identity.resolveHandle", {{"handle", entity.value}});
            const auto resolved = answer.isSuccess() ? readAnswer<bluesky::ResolvedHandle>(answer) : std::nullopt;
            // An unknown handle stays plain text.
            if (!resolved || !resolved->did.starts_with("did:")) continue;
            feature.type = "app.bsky.richtext.facet#mention";
            feature.did = resolved->did;
        }
        facets.push_back({{static_cast<std::int64_t>(entity.begin), static_cast<std::int64_t>(entity.end)}, {std::move(feature)}});
    }
    return facets;
}

std::vector<FixedStep> BlueskyNetwork::prepare(const Publication& publication, const NetworkAccount& account, Instant now)
{
    const bluesky::Server server(_http, account.serverUrl);
    const auto settings = readSettings(publication.settings);
    std::vector<FixedStep> steps;
    for (std::size_t i = 0; i < publication.parts.size(); ++i)
    {
        const auto& files = publication.parts[i].files;
        const auto rich = withShortLinks(sentText(publication, i), MentionForm::Domain);
        bluesky::Post record;
        record.text = rich.text;
        // Each reply must be later than its parent.
        record.createdAt = now + std::chrono::milliseconds(i);
        record.langs = languagesOf(publication, settings);
        record.facets = facetsOf(rich, server);
        if (!settings.labels.empty())
        {
            record.labels.emplace();
            for (const auto& label : settings.labels) record.labels->values.push_back({label});
        }
        for (const auto& file : files)
        {
            FixedStep upload;
            upload.kind = "upload";
            upload.part = static_cast<int>(i);
            upload.request = file.contentType;
            upload.blobKey = file.blobKey;
            steps.push_back(std::move(upload));
            if (!record.embed) record.embed.emplace();
            if (file.kind == "video")
            {
                record.embed->type = "app.bsky.embed.video";
                record.embed->video = Json{};
                record.embed->alt = file.altText;
                record.embed->aspectRatio = ratioOf(file);
            }
            else
            {
                record.embed->type = "app.bsky.embed.images";
                record.embed->images.push_back({{}, file.altText, ratioOf(file)});
            }
        }
        if (hasCard(publication, i))
        {
            record.embed.emplace();
            record.embed->type = "app.bsky.embed.external";
            const auto page = pageOf(publication.linkUrl);
            record.embed->external = bluesky::External{publication.linkUrl,
                                                       page.title.empty() ? shortLink(publication.linkUrl) : page.title,
                                                       std::string(firstCharacters(page.description, longestCardText)),
                                                       {}};
            if (!page.imageUrl.empty()) steps.push_back({std::string(thumbKind), static_cast<int>(i), {}, {}, page.imageUrl, {}});
        }
        FixedStep post;
        post.kind = "post";
        post.part = static_cast<int>(i);
        post.recordKey = makeTid(now, static_cast<int>(i));
        post.request = toJson(record);
        steps.push_back(std::move(post));
    }
    return steps;
}

LinkPage BlueskyNetwork::pageOf(std::string_view url) const
{
    try
    {
        return fetchLinkPage(_http, url);
    }
    catch (const Problem&)
    {
        return {}; // the card shows the address
    }
}

StepOutcome BlueskyNetwork::perform(const StepCall& call)
{
    if (call.step.kind == thumbKind) return uploadThumb(call);
    return call.step.kind == "upload" ? upload(call) : put(call);
}

/// Uploads the picture of a link card. A card without a picture is better than no post: only errors of the network count.
StepOutcome BlueskyNetwork::uploadThumb(const StepCall& call)
{
    std::optional<LinkImage> image;
    try
    {
        image = fetchLinkImage(_http, call.step.request, largestThumb);
    }
    catch (const Problem&)
    {
        return {};
    }
    if (!image) return {};
    const auto answer = serverOf(call.account).upload(std::move(image->bytes), image->contentType, accessOf(call.account));
    if (!answer.isSuccess())
    {
        auto outcome = outcomeOf(answer, call.now);
        return outcome.kind == StepOutcome::Kind::Failed ? StepOutcome{} : outcome;
    }
    StepOutcome outcome;
    if (const auto uploaded = readAnswer<bluesky::UploadedBlob>(answer); uploaded && uploaded->blob.text != "null")
        outcome.result.data = uploaded->blob.text;
    outcome.httpStatus = answer.response->status;
    return outcome;
}

StepOutcome BlueskyNetwork::upload(const StepCall& call)
{
    const auto file = _blobs.open(call.step.blobKey);
    if (!file) return StepOutcome::failed(FailureCode::MediaMissing, "The file was deleted.");
    const auto answer = serverOf(call.account).upload(*file, call.step.request, accessOf(call.account), call.stop);
    if (!answer.isSuccess()) return outcomeOf(answer, call.now);
    const auto uploaded = readAnswer<bluesky::UploadedBlob>(answer);
    if (!uploaded || uploaded->blob.text == "null")
        return StepOutcome::retry(FailureCode::PlatformError, "The response to the upload contains no blob.");
    StepOutcome outcome;
    outcome.result.data = uploaded->blob.text;
    outcome.httpStatus = answer.response->status;
    return outcome;
}

StepOutcome BlueskyNetwork::put(const StepCall& call)
{
    bluesky::PutRecord put;
    put.repo = call.account.externalId;
    put.rkey = call.step.recordKey;
    put.record = fromStoredJson<bluesky::Post>(call.step.request);
    fillBlobs(put.record, call);
    fillReply(put.record, call);
    const auto body = toJson(put);
    const auto answer = serverOf(call.account).procedure("com.atproto.repo.putRecord", body, accessOf(call.account));
    auto outcome = answer.isSuccess() ? StepOutcome{} : outcomeOf(answer, call.now);
    outcome.requestDigest = sha256(body).hex();
    if (!answer.isSuccess()) return outcome;
    outcome.httpStatus = answer.response->status;
    const auto written = readAnswer<bluesky::StrongRef>(answer);
    if (!written || written->cid.empty() || written->uri != uriOf(put))
    {
        outcome.kind = StepOutcome::Kind::PerhapsSent;
        outcome.code = FailureCode::PlatformError;
        outcome.message = "The response does not contain the post that was sent.";
        return outcome;
    }
    outcome.result = {written->uri, postUrl(put.repo, put.rkey), written->cid};
    return outcome;
}

LookUp BlueskyNetwork::lookUp(const StepCall& call)
{
    // An upload without a post is invisible, so it is repeated.
    if (call.step.kind != "post") return {LookUp::Kind::Absent, {}, {}, {}};
    bluesky::PutRecord place;
    place.repo = call.account.externalId;
    place.rkey = call.step.recordKey;
    const auto answer =
        bluesky::Server(_http, call.account.serverUrl)
            .query("com.atproto.repo.getRecord", {{"repo", place.repo}, {"collection", place.collection}, {"rkey", place.rkey}});
    const auto found = answer.isSuccess() ? readAnswer<bluesky::StrongRef>(answer) : std::nullopt;
    if (found && !found->cid.empty() && found->uri == uriOf(place))
        return {LookUp::Kind::Found, {found->uri, postUrl(place.repo, place.rkey), found->cid}, {}, {}};
    if (errorOf(answer).error == "RecordNotFound") return {LookUp::Kind::Absent, {}, {}, {}};
    return {LookUp::Kind::Unknown, {}, failedOutcome(answer, call.now).message, {}};
}

StepOutcome BlueskyNetwork::remove(const NetworkAccount& account, const StepResult& published)
{
    const auto key = published.id.substr(published.id.rfind('/') + 1);
    const auto answer = serverOf(account).procedure("com.atproto.repo.deleteRecord",
                                                    R"({"repo":)" + jsonText(account.externalId) +
                                                        R"(,"collection":"app.bsky.feed.post","rkey":)" + jsonText(key) + "}",
                                                    accessOf(account));
    return answer.isSuccess() ? StepOutcome{} : outcomeOf(answer, _clock.now());
}

std::optional<PostNumbers> BlueskyNetwork::numbers(const NetworkAccount&, const StepResult& published)
{
    // A personal data server has no counts. The server that resolves handles has the counts of all posts.
    const auto answer = bluesky::Server(_http, _directories.handleResolver).query("app.bsky.feed.getPosts", {{"uris", published.id}});
    const auto found = answer.isSuccess() ? readAnswer<bluesky::CountedPosts>(answer) : std::nullopt;
    if (!found || found->posts.size() != 1 || found->posts.front().uri != published.id) return std::nullopt;
    const auto& post = found->posts.front();
    return PostNumbers{post.likeCount, post.repostCount, post.replyCount};
}

} // namespace portico::social
