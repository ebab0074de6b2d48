#include "support/Suite.h"

#include "host/base/Digests.h"
#include "host/platform/s3/S3Signer.h"

#include <chrono>
#include <string>

namespace portico::tests
{

using host::platform::S3Bucket;
using host::platform::S3Signer;
using namespace std::chrono_literals;

/// Signatures of two other signers: the examples in the documentation of Amazon S3 ("Signature Calculations for the Authorization Header",
/// "Authenticating Requests: Using Query Parameters"), and `aws4` 1.13 of npm.
class S3SignerTest : public Suite<S3SignerTest>
{
    TEST(headersAreThoseOfTheDocumentation)
    {
        const auto empty = host::sha256Hex("");
        const auto ofLifecycle = documented().headers("GET", "", {{"lifecycle", ""}}, empty, documentedTime);
        equal("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
              "SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
              "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
              ofLifecycle.at(2).second);
        const auto ofList = documented().headers("GET", "", {{"max-keys", "2"}, {"prefix", "J"}}, empty, documentedTime);
        CHECK(ofList.at(2).second.ends_with("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
    }

    TEST(presignedUrlIsThatOfTheDocumentation)
    {
        equal("https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
              "AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&"
              "X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
              documented().presignedUrl("GET", "test.txt", 24h, documentedTime));
    }

    TEST(presignedUrlsAreThoseOfAnotherSigner)
    {
        const auto time = fromMillis(1'795'892'400'000); // 2026-11-28T19:00:00Z
        const auto signatureOf =
            [&](const char* endpoint, bool pathStyle, const char* method, const char* object, std::chrono::seconds life)
        {
            const S3Signer signer({endpoint, "eu-test-1", "files", pathStyle, "AKIDPORTICOTEST", secret});
            const auto url = signer.presignedUrl(method, object, life, time);
            return url.substr(url.rfind('=') + 1);
        };
        equal("9842b8f165e4cd82f6003cf765f711bd6bf8db36ce66499a070efa538a93dd98",
              signatureOf("http://127.0.0.1:9000", true, "GET", "test/crm/data/0123456789abcdef/00/a b~(1).bin", 60s));
        equal("f9f98754bab50787371ba032dfaeff3fa3edcc8c7d9371118491a2dc9a44998e",
              signatureOf("https://s3.eu-test-1.example.org", false, "PUT", "test/crm/data/x-1", 604'800s));
        equal("ea8b57d0e2f039eb87d5f8cf4b766ee1274613c5f80a31eb57b9202695e0ff48",
              signatureOf("https://s3.example.org:443/", true, "PUT", "test/x", 1s));
        const S3Signer ofPath({"https://s3.example.org", "eu-test-1", "files", true, "AKIDPORTICOTEST", secret});
        const auto download =
            ofPath.presignedUrl("GET", "test/crm/data/0123456789abcdef/00/x-1", 60s, time,
                                {{"response-content-disposition", "attachment; filename=\"a b.pdf\"; filename*=UTF-8''%C3%A9.pdf"},
                                 {"response-content-type", "application/pdf; charset=x"}});
        CHECK(download.ends_with("&response-content-disposition=attachment%3B%20filename%3D%22a%20b.pdf%22%3B%20filename%2A%3DUTF-8%27%27"
                                 "%25C3%25A9.pdf&response-content-type=application%2Fpdf%3B%20charset%3Dx&X-Amz-Signature="
                                 "d89351f531ca928163700bc90136955a66fe15de43681c41c8734c254c7d105c"));
        const S3Signer ofHost({"https://s3.example.org", "eu-test-1", "files", false, "AKIDPORTICOTEST", secret});
        const auto upload = ofHost.presignedUrl("PUT", "test/social/data/x-2", 900s, time, {},
                                                {{"content-length", "48211"}, {"content-type", "image/png"}});
        CHECK(upload.starts_with("https://files.s3.example.org/test/social/data/x-2?"));
        CHECK(upload.ends_with("&X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost&X-Amz-Signature="
                               "4992e1aef7a49473c294989bbb661a9d53fdb67564feadf9202e12bba8694005"));
    }

    static constexpr auto secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

    static S3Signer documented()
    {
        return S3Signer({"https://s3.amazonaws.com", "us-east-1", "examplebucket", false, "AKIAIOSFODNN7EXAMPLE",
                         "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"});
    }

    static constexpr Instant documentedTime{std::chrono::milliseconds(1'369'353'600'000)}; // 2013-05-24T00:00:00Z
};

} // namespace portico::tests
