#include "networks/Network.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::social
{

StepOutcome StepOutcome::done(StepResult result)
{
    StepOutcome outcome;
    outcome.result = std::move(result);
    return outcome;
}

StepOutcome StepOutcome::failed(FailureCode code, std::string_view message)
{
    return {.kind = Kind::Failed, .code = code, .message = std::string(message)};
}

StepOutcome StepOutcome::retry(FailureCode code, std::string_view message)
{
    return {.kind = Kind::Retry, .code = code, .message = std::string(message)};
}

Network::~Network() = default;

ConnectStart Network::connect(const ConnectRequest&)
{
    throw ConnectFault(ConnectFault::Kind::Refused, "", "provider_not_connectable", "This network cannot be connected yet.");
}

AccountProfile Network::finish(std::string_view, const ConnectReturn&)
{
    throw ConnectFault(ConnectFault::Kind::Refused, "", "provider_not_connectable", "This network has no authorization code flow.");
}

Refreshed Network::refresh(const NetworkAccount&) { return {}; }

void Network::revoke(const NetworkAccount&) noexcept {}

LookUp Network::lookUp(const StepCall&)
{
    return {.kind = LookUp::Kind::Unknown, .message = "The network does not support looking up posts."};
}

StepOutcome Network::remove(const NetworkAccount&, const StepResult&)
{
    return StepOutcome::failed(FailureCode::PlatformError, "The network does not allow applications to delete posts.");
}

std::optional<PostNumbers> Network::numbers(const NetworkAccount&, const StepResult&) { return PostNumbers{}; }

std::vector<PublicationFault> Network::faults(const Publication& publication, const Credentials* account) const
{
    const auto allowed = limits(account);
    const auto shown = preview(publication, account);
    std::vector<PublicationFault> faults;
    for (std::size_t i = 0; i < publication.parts.size(); ++i)
    {
        const auto part = static_cast<int>(i);
        const auto& files = publication.parts[i].files;
        if (const auto length = measure(allowed, shown.parts[i].text); !length.fits)
            faults.push_back({part, "text", "text_too_long",
                              length.length > length.limit ? "The text has " + std::to_string(length.length) +
                                                                 " characters; the network allows " + std::to_string(length.limit) + "."
                                                           : "The text has more bytes than the network allows."});
        if (publication.parts[i].text.empty() && files.empty())
            faults.push_back({part, "text", "required", "A post needs a text or a file."});
        const auto count = [&](auto... kinds)
        { return std::ranges::count_if(files, [&](const PublishedFile& file) { return ((file.kind == kinds) || ...); }); };
        const auto images = count("image", "gif"), videos = count("video");
        if (images > allowed.maxImages || videos > allowed.maxVideos)
            faults.push_back({part, "mediaIds", "too_many_media",
                              "The network allows " + std::to_string(allowed.maxImages) + " images or " +
                                  std::to_string(allowed.maxVideos) + " videos in a post."});
        else if (allowed.mixing == MediaMixing::ImagesOrVideo && images > 0 && videos > 0)
            faults.push_back({part, "mediaIds", "mixed_media", "The network allows images or a video in a post, but not both."});
        for (const auto& file : files)
        {
            if (std::ranges::find(allowed.mimeTypes, file.contentType) == allowed.mimeTypes.end())
                faults.push_back({part, "mediaIds", "media_rejected",
                                  "The network does not support files of type " + cleanText(file.contentType, 80) + "."});
            else if (file.size > (file.kind == "video" ? allowed.maxVideoBytes : allowed.maxImageBytes))
                faults.push_back({part, "mediaIds", "media_too_large", "The file is too large for the network."});
            else if (file.kind == "image" && allowed.maxImagePixels && file.width * file.height > *allowed.maxImagePixels)
                faults.push_back({part, "mediaIds", "media_too_large", "The picture has too many pixels for the network."});
        }
    }
    return faults;
}

PublicationPreview Network::preview(const Publication& publication, const Credentials* account) const
{
    const auto allowed = limits(account);
    PublicationPreview shown;
    for (const auto& part : publication.parts)
    {
        PreviewPart one;
        one.text = part.text;
        for (auto& entity : findEntities(part.text, MentionForm::None))
            if (entity.kind == EntityKind::Link)
                one.marks.push_back(
                    {entity.kind, static_cast<std::int64_t>(entity.begin), static_cast<std::int64_t>(entity.end), std::move(entity.value)});
        const auto length = measure(allowed, one.text);
        one.length = length.length;
        one.limit = length.limit;
        shown.parts.push_back(std::move(one));
    }
    return shown;
}

} // namespace portico::social
