#pragma once

#include "social/PublishingFixture.h"
#include "support/Suite.h"

#include <stdexcept>
#include <string>

namespace portico::tests
{

/// Files of a brand: uploads them and looks at their thumbnails.
class PictureFixture : public PublishingFixture
{
protected:
    testing::TestAnswer brandCall(Method method, const std::string& target, const std::string& body = {}) const
    {
        return inBrand(brand, method, target, admin, body);
    }
    std::string upload(const std::string& bytes, const std::string& type = "image/png") const
    {
        const auto ticket = made(
            brandCall(Method::Post, "/api/media/upload", jsonWith(R"({"fileName":"a","contentType":"$","size":$})", type, bytes.size())));
        testing::TestRequest sent{Method::Put, pathOf(ticket.at("/uploadUrl")), bytes, {}, Caller::nobody()};
        sent.headers = {{"Content-Type", type}, {"Content-Length", std::to_string(bytes.size())}};
        made(host->call(sent));
        const auto media = made(brandCall(Method::Post, ticket.at("/completeUrl"), "{}"));
        equal("ready", media.at("/status"));
        return media.at("/mediaId");
    }
    static std::string pathOf(const std::string& url) { return url.substr(url.find('/', url.find("//") + 2)); }
    testing::TestAnswer media(const std::string& id) const { return made(brandCall(Method::Get, "/api/media/" + id)); }
    std::string fetched(const std::string& url) const
    {
        auto answer = host->call(Method::Get, pathOf(url));
        equal(200, answer.status);
        return testing::TestHost::bodyOf(answer);
    }
    std::string faultOf(const std::string& id) const
    {
        auto session = host->context().database().session();
        return session.value<std::string>("SELECT COALESCE(thumbnail_fault, 'none') FROM media WHERE id = $1", id).value();
    }
    /// Returns `width x height` of a JPEG.
    static std::string sizeOfJpeg(const std::string& bytes)
    {
        CHECK(bytes.starts_with("\xff\xd8\xff"));
        const auto number = [&](std::size_t at)
        { return static_cast<unsigned char>(bytes.at(at)) << 8 | static_cast<unsigned char>(bytes.at(at + 1)); };
        for (std::size_t at = 2; at + 9 < bytes.size(); at += 2 + static_cast<std::size_t>(number(at + 2)))
            if (bytes[at + 1] == '\xc0') return std::to_string(number(at + 7)) + "x" + std::to_string(number(at + 5));
        throw std::runtime_error("no size");
    }
};

} // namespace portico::tests
