#include "host/http/StaticFiles.h"
#include "http_server/ServerFixture.h"
#include "http_server/TemporaryDirectory.h"

#include <array>
#include <stdexcept>

#include <brotli/decode.h>
#include <fcntl.h>
#include <zlib.h>

namespace portico::test
{

namespace
{

std::string gunzip(const std::string& coded)
{
    z_stream stream{};
    equal(Z_OK, ::inflateInit2(&stream, 15 + 16));
    std::string out(10'000'000, '\0');
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(coded.data()));
    stream.avail_in = static_cast<unsigned>(coded.size());
    stream.next_out = reinterpret_cast<unsigned char*>(out.data());
    stream.avail_out = static_cast<unsigned>(out.size());
    equal(Z_STREAM_END, ::inflate(&stream, Z_FINISH));
    out.resize(stream.total_out);
    ::inflateEnd(&stream);
    return out;
}

std::string unbrotli(const std::string& coded)
{
    std::string out(10'000'000, '\0');
    auto size = out.size();
    equal(BROTLI_DECODER_RESULT_SUCCESS, ::BrotliDecoderDecompress(coded.size(), reinterpret_cast<const std::uint8_t*>(coded.data()), &size,
                                                                   reinterpret_cast<std::uint8_t*>(out.data())));
    out.resize(size);
    return out;
}

/// Pieces of text, then the end, or a throw, or fewer bytes than it said.
class TextSource final : public BodySource
{
public:
    enum class End
    {
        Proper,
        Throws,
        Short
    };
    TextSource(int pieces, End end, bool sized)
        : _pieces(pieces), _end(end), _sized(sized), _total(static_cast<std::uint64_t>(pieces) * piece.size())
    {
    }

    static const std::string piece;

    std::optional<std::uint64_t> size() const override { return _sized ? std::optional(_total) : std::nullopt; }
    bool read(std::string& out, std::size_t) override
    {
        if (_pieces == 1 && _end == End::Throws) throw std::runtime_error("the database went away");
        if (_pieces == 1 && _end == End::Short) return false;
        out += piece;
        return --_pieces > 0;
    }

private:
    int _pieces;
    End _end;
    bool _sized;
    std::uint64_t _total;
};

const std::string TextSource::piece = std::string(3000, 'a') + std::string(3000, 'b');

} // namespace

/// Forms of a response on the wire: streams, files, ranges, conditions, compression.
class RepresentationsTest : public Suite<RepresentationsTest, ServerFixture>
{
public:
    TEST(streamsBodiesOfKnownAndUnknownLength)
    {
        stream("/sized", TextSource::End::Proper, true);
        stream("/chunked", TextSource::End::Proper, false);
        start();
        auto client = this->client();
        for (const std::string path : {"/sized", "/chunked"})
        {
            const auto answer = client.request(get(path));
            equal(path == "/sized", answer.has("content-length"));
            equal(path == "/chunked", answer.has("transfer-encoding"));
            CHECK(!answer.cut);
            equal(60'000, answer.body.size());
            equal(200, client.request("HEAD " + path + " HTTP/1.1\r\nHost: test\r\n\r\n", true).status);
        }
        // HTTP/1.0 has no chunks: the end of the connection is the end of the body.
        auto old = this->client();
        const auto answer = old.request("GET /chunked HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        equal("close", answer.header("connection"));
        equal(60'000, answer.body.size());
    }

    TEST(cutsStreamsThatFail)
    {
        stream("/throws", TextSource::End::Throws, false);
        stream("/throws-sized", TextSource::End::Throws, true);
        stream("/short", TextSource::End::Short, true);
        start();
        for (const std::string path : {"/throws", "/throws-sized", "/short"})
        {
            auto client = this->client();
            const auto answer = client.request(get(path));
            equal(200, answer.status, path);
            CPPUNIT_ASSERT_MESSAGE(path, answer.cut);
            CHECK(client.ended());
        }
        CHECK(application.awaitFinished(3));
        equal(0, application.delivered());
    }

    TEST(answersConditionalRequests)
    {
        serveFile("0123456789");
        application.route("/record",
                          [](Exchange& exchange)
                          {
                              exchange.response.json(200, "{}");
                              exchange.response.etag = "\"7\"";
                          });
        application.route("/created",
                          [](Exchange& exchange)
                          {
                              exchange.response.json(201, "{}");
                              exchange.response.etag = "\"7\"";
                          });
        start();
        auto client = this->client();
        const auto status = [&](const std::string& path, const std::string& header)
        { return client.request(get(path, header + "\r\n")).status; };
        equal(304, status("/record", "If-None-Match: \"7\""));
        equal(304, status("/record", "If-None-Match: \"a,b\", W/\"7\""));
        equal(304, status("/record", "If-None-Match: *"));
        // Tags as rewritten by a proxy that compresses.
        for (const auto* tag :
             {"\"7-gzip\"", "\"7;gzip\"", "W/\"7-gzip\"", "\"7--gzip\"", "\"7-br\"", "\"7:zstd\"", "\"7\"-gzip", "\"8\", \"7-GZIP\""})
            equal(304, status("/record", std::string("If-None-Match: ") + tag), tag);
        for (const auto* tag : {"\"8-gzip\"", "\"77-gzip\"", "\"7gzip\"", "\"7-gzip-x\"", "\"-gzip\"", "\"7-gzip"})
            equal(200, status("/record", std::string("If-None-Match: ") + tag), tag);
        equal(200, status("/record", "If-None-Match: \"8\""));
        equal(200, status("/record", "If-None-Match: \"7"));
        equal(200, status("/record", "If-None-Match: 7"));
        equal(201, status("/created", "If-None-Match: \"7\""));
        equal(200, client.request(post("/record", "", "If-None-Match: \"7\"\r\n")).status);
        equal(304, status("/file", "If-Modified-Since: Sat, 21 Nov 2026 09:00:00 GMT"));
        equal(200, status("/file", "If-Modified-Since: Sat, 21 Nov 2026 08:59:59 GMT"));
        equal(200, status("/file", "If-Modified-Since: yesterday"));
        equal(200, status("/file", "If-Modified-Since: Sat, 21 Nov 2026 09:00:00 GMT\r\nIf-None-Match: \"other\""));
        const auto notModified = client.request(get("/file", "If-None-Match: \"file\"\r\n"));
        equal(304, notModified.status);
        equal("\"file\"", notModified.header("etag"));
        CHECK(!notModified.has("content-length"));
    }

    TEST(answersRanges)
    {
        serveFile("0123456789");
        start();
        auto client = this->client();
        const auto part = [&](const std::string& range, int status, const std::string& body, const std::string& contentRange)
        {
            const auto answer = client.request(get("/file", "Range: " + range + "\r\n"));
            equal(status, answer.status, range);
            if (status != 416) equal(body, answer.body, range);
            equal(contentRange, answer.header("content-range"), range);
        };
        part("bytes=0-0", 206, "0", "bytes 0-0/10");
        part("bytes=2-4", 206, "234", "bytes 2-4/10");
        part("Bytes=8-", 206, "89", "bytes 8-9/10");
        part("bytes=8-99", 206, "89", "bytes 8-9/10");
        part("bytes=-3", 206, "789", "bytes 7-9/10");
        part("bytes=-99", 206, "0123456789", "bytes 0-9/10");
        part("bytes=10-", 416, "", "bytes */10");
        part("bytes=-0", 416, "", "bytes */10");
        for (const std::string ignored :
             {"bytes=0-1,3-4", "bytes=4-2", "bytes=x-2", "bytes=2-x", "bytes=", "bytes=-", "lines=1-2", "bytes=18446744073709551616-"})
            part(ignored, 200, "0123456789", "");

        const auto ifRange = [&](const std::string& condition)
        { return client.request(get("/file", "Range: bytes=0-0\r\nIf-Range: " + condition + "\r\n")).status; };
        equal(206, ifRange("\"file\""));
        equal(206, ifRange("Sat, 21 Nov 2026 09:00:00 GMT"));
        equal(200, ifRange("\"other\""));
        equal(200, ifRange("W/\"file\""));
        equal(200, ifRange("Sat, 21 Nov 2026 08:59:59 GMT"));
        const auto head = client.request("HEAD /file HTTP/1.1\r\nHost: test\r\nRange: bytes=0-0\r\n\r\n", true);
        equal("10", head.header("content-length"));
        equal("bytes", head.header("accept-ranges"));
    }

    TEST(sendsLargeFilesWhole)
    {
        std::string content(9'000'001, '\0');
        for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i % 251);
        serveFile(content);
        start();
        auto client = this->client();
        client.shrinkReceiveBuffer();
        for (int i = 0; i < 2; ++i) CHECK(client.request(get("/file")).body == content);
    }

    TEST(negotiatesCompression)
    {
        say("/text", text);
        start();
        auto client = this->client();
        const auto coding = [&](const std::string& accepted) -> std::string
        {
            const auto answer = client.request(get("/text", accepted.empty() ? "" : "Accept-Encoding: " + accepted + "\r\n"));
            equal("Accept-Encoding", answer.header("vary"));
            const auto used = answer.header("content-encoding");
            const auto plain = used == "br" ? unbrotli(answer.body) : used == "gzip" ? gunzip(answer.body) : answer.body;
            equal(text, plain, accepted);
            return used;
        };
        equal("", coding(""));
        equal("gzip", coding("gzip"));
        equal("br", coding("gzip, deflate, br"));
        equal("br", coding("*"));
        equal("gzip", coding("br;q=0.5, gzip;q=0.8"));
        equal("gzip", coding("*, br;q=0"));
        equal("gzip", coding("GZIP ; q=0.001"));
        equal("", coding("gzip;q=0"));
        equal("", coding("gzip;q=0.000, br;q=nonsense"));
        equal("", coding("identity, deflate"));
        const auto head = client.request("HEAD /text HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n", true);
        equal("gzip", head.header("content-encoding"));
        CHECK(!head.has("content-length") || std::stoul(head.header("content-length")) < text.size());
    }

    TEST(leavesAloneWhatShouldNotBeCompressed)
    {
        const auto add =
            [this](const std::string& path, const std::string& type, const std::string& body, const std::string& cacheControl, bool coded)
        {
            application.route(path,
                              [=](Exchange& exchange)
                              {
                                  exchange.response.contentType = type;
                                  exchange.response.body = body;
                                  exchange.response.cacheControl = cacheControl;
                                  if (coded) exchange.response.addHeader("Content-Encoding", "zstd");
                              });
        };
        add("/image", "image/png", text, "", false);
        add("/short", "text/plain", "short", "", false);
        add("/fixed", "text/plain", text, "no-store, no-transform", false);
        add("/coded", "text/plain", text, "", true);
        add("/problem", "application/problem+json; charset=utf-8", text, "", false);
        start();
        auto client = this->client();
        const auto coding = [&](const std::string& path)
        { return client.request(get(path, "Accept-Encoding: gzip\r\n")).header("content-encoding"); };
        equal("", coding("/image"));
        equal("", coding("/short"));
        equal("", coding("/fixed"));
        equal("zstd", coding("/coded"));
        equal("gzip", coding("/problem"));
    }

    TEST(compressesStreams)
    {
        stream("/sized", TextSource::End::Proper, true);
        stream("/throws", TextSource::End::Throws, false);
        start();
        std::string whole;
        for (int i = 0; i < 10; ++i) whole += TextSource::piece;
        auto client = this->client();
        const auto gzipped = client.request(get("/sized", "Accept-Encoding: gzip\r\n"));
        CHECK(!gzipped.has("content-length"));
        CHECK(gunzip(gzipped.body) == whole);
        CHECK(unbrotli(client.request(get("/sized", "Accept-Encoding: br\r\n")).body) == whole);
        CHECK(client.request(get("/throws", "Accept-Encoding: br\r\n")).cut);
    }

    TEST(takesBackTheTagOfACompressedAnswer)
    {
        application.route("/record",
                          [](Exchange& exchange)
                          {
                              exchange.response.json(200, text);
                              exchange.response.etag = "\"7\"";
                              exchange.response.addHeader("X-If-Match", exchange.request.header("If-Match"));
                          });
        start();
        auto client = this->client();
        const auto answer = client.request(get("/record", "Accept-Encoding: gzip\r\n"));
        equal("W/\"7\"", answer.header("etag"));
        equal(304, client.request(get("/record", "Accept-Encoding: gzip\r\nIf-None-Match: W/\"7\"\r\n")).status);
        equal("\"7\"", client.request(get("/record", "If-Match: W/\"7\"\r\n")).header("x-if-match"));
        equal("\"7\"", client.request(get("/record")).header("etag"));
    }

    TEST(servesStaticFiles)
    {
        directory.write("index.html", "<p>page</p>");
        directory.write("assets/app-1a2B3c4D.js", "plain");
        directory.write("assets/app-1a2B3c4D.js.br", "brotli");
        directory.write("assets/app-1a2B3c4D.js.gz", "gzip");
        directory.write("assets/only.css", "css");
        directory.write("assets/only.css.gz", "css gzip");
        serveDirectory();
        auto client = this->client();
        const auto page = client.request(get("/"));
        equal("<p>page</p>", page.body);
        equal("no-cache", page.header("cache-control"));
        equal("text/html; charset=utf-8", page.header("content-type"));
        equal(304, client.request(get("/", "If-None-Match: " + page.header("etag") + "\r\n")).status);
        equal(404, client.request(get("/other")).status);
        equal(404, client.request(post("/", "")).status);

        const std::string script = "/assets/app-1a2B3c4D.js";
        const auto plain = client.request(get(script));
        equal("plain", plain.body);
        CHECK(plain.header("cache-control").ends_with("immutable"));
        const auto brotli = client.request(get(script, "Accept-Encoding: gzip, br\r\n"));
        equal("brotli", brotli.body);
        equal("br", brotli.header("content-encoding"));
        equal(plain.header("content-type"), brotli.header("content-type"));
        CHECK(plain.header("etag") != brotli.header("etag"));
        equal("gzip", client.request(get(script, "Accept-Encoding: gzip\r\n")).body);
        equal("css gzip", client.request(get("/assets/only.css", "Accept-Encoding: gzip, br\r\n")).body);
        equal("no-cache", client.request(get("/assets/only.css")).header("cache-control"));
    }

    TEST(hashesInNamesAreFound)
    {
        for (const auto* path :
             {"index-BxK3v9aQ.js", "app.3f9c2b71.css", "assets/Brand-Uk--iYRk.js", "assets/login.module-CNMxvlqd.js", "a/b-1a2b3c4d5e.js"})
            CPPUNIT_ASSERT_MESSAGE(path, host::http::StaticFiles::hasContentHash(path));
        for (const auto* path : {"index.html", "build.json", "third-party.txt", "my-document.js", "assets/app.js", "assets/a-b.js", "",
                                 "-12345678.js", "a-1234567.js"})
            CPPUNIT_ASSERT_MESSAGE(path, !host::http::StaticFiles::hasContentHash(path));
    }

    TEST(staysInTheDirectoryOfStaticFiles)
    {
        directory.write("secret", "secret");
        directory.write("public/index.html", "page");
        directory.write("public/sub/x", "x");
        directory.link("secret", "public/link");
        directory.link(".", "public/up");
        const host::http::StaticFiles published(directory.path() + "/public");
        Request request;
        const auto served = [&](std::string_view path)
        {
            Response response;
            return published.serve(request, path, response);
        };
        CHECK(served("/sub/x"));
        CHECK(served("/s%75b/x"));
        for (const auto* path :
             {"/../secret", "/sub/../../secret", "/%2e%2e/secret", "/sub/%2e%2e/x", "/..%2fsecret", "/sub%2fx", "/link", "/up/secret",
              "//sub/x", "/sub//x", "/sub", "/sub/", "/./sub/x", "/sub/x%00", "sub/x", "", "/%2", "/..", "/sub/."})
            CPPUNIT_ASSERT_MESSAGE(path, !served(path));
        CPPUNIT_ASSERT_THROW(host::http::StaticFiles(directory.path() + "/missing"), std::system_error);
    }

private:
    static const std::string text;

    void stream(const std::string& path, TextSource::End end, bool sized)
    {
        TestRoute route;
        route.handle = [=](Exchange& exchange)
        {
            exchange.response.contentType = "text/csv";
            exchange.response.source = std::make_unique<TextSource>(10, end, sized);
        };
        application.route(path, std::move(route));
    }

    void serveFile(const std::string& content)
    {
        directory.write("file", content);
        TestRoute route;
        route.handle = [this, size = content.size()](Exchange& exchange)
        {
            exchange.response.contentType = "application/octet-stream";
            exchange.response.etag = "\"file\"";
            exchange.response.file.emplace(::open((directory.path() + "/file").c_str(), O_RDONLY | O_CLOEXEC), size,
                                           *parseInstant("2026-11-21T09:00:00.500Z"));
        };
        application.route("/file", std::move(route));
    }

    void serveDirectory()
    {
        files = std::make_unique<host::http::StaticFiles>(directory.path());
        TestRoute route;
        route.handle = [this](Exchange& exchange)
        {
            if (!files->serve(exchange.request, exchange.request.path, exchange.response)) exchange.response.status = 404;
        };
        application.routeOthers(std::move(route));
        start();
    }

    TemporaryDirectory directory;
    std::unique_ptr<host::http::StaticFiles> files;
};

const std::string RepresentationsTest::text = []
{
    std::string lines;
    for (int i = 0; i < 500; ++i) lines += "line " + std::to_string(i) + " of a text\n";
    return lines;
}();

} // namespace portico::test
