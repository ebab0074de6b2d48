#include "mobile/FakeServer.h"

#include <boost/json.hpp>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <memory>

namespace portico::tests
{

namespace
{

std::string decoded(std::string text)
{
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    const auto padding = (4 - text.size() % 4) % 4;
    text.append(padding, '=');
    std::string bytes(text.size() / 4 * 3 + 3, '\0');
    const auto size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), reinterpret_cast<const unsigned char*>(text.data()),
                                      static_cast<int>(text.size()));
    bytes.resize(size < 0 ? 0 : static_cast<std::size_t>(size) - padding);
    return bytes;
}

std::string digest(const std::string& bytes)
{
    std::string hash(32, '\0');
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), reinterpret_cast<unsigned char*>(hash.data()));
    return hash;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
bool verifies(const std::string& x, const std::string& y, const std::string& text, const std::string& signature)
{
    if (x.size() != 32 || y.size() != 32 || signature.size() != 64) return false;
    const auto number = [](const std::string& bytes, std::size_t at)
    { return BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()) + at, 32, nullptr); };
    const std::unique_ptr<EC_KEY, decltype(&EC_KEY_free)> key(EC_KEY_new_by_curve_name(NID_X9_62_prime256v1), EC_KEY_free);
    const std::unique_ptr<BIGNUM, decltype(&BN_free)> px(number(x, 0), BN_free), py(number(y, 0), BN_free);
    if (EC_KEY_set_public_key_affine_coordinates(key.get(), px.get(), py.get()) != 1) return false;
    const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair(ECDSA_SIG_new(), ECDSA_SIG_free);
    ECDSA_SIG_set0(pair.get(), number(signature, 0), number(signature, 32));
    const auto hash = digest(text);
    return ECDSA_do_verify(reinterpret_cast<const unsigned char*>(hash.data()), 32, pair.get(), key.get()) == 1;
}
#pragma GCC diagnostic pop

bool matches(const std::string& hash, const std::string& text) { return decoded(hash) == digest(text); }

std::string headerOf(const MobileRequest& request, const std::string& name)
{
    const auto found = request.headers.find(name);
    return found == request.headers.end() ? std::string() : found->second;
}

} // namespace

std::string fieldOf(const std::string& form, const std::string& name)
{
    for (std::size_t at = form.find('?') == std::string::npos ? 0 : form.find('?') + 1; at < form.size();)
    {
        const auto end = std::min(form.find('&', at), form.size());
        const auto field = form.substr(at, end - at);
        if (field.starts_with(name + '=')) return field.substr(name.size() + 1);
        at = end + 1;
    }
    return {};
}

void FakeServer::checkProof(const MobileRequest& request, const std::string& token)
{
    const auto proof = headerOf(request, "DPoP");
    const auto first = proof.find('.');
    const auto second = proof.find('.', first + 1);
    if (second == std::string::npos) return faults.push_back("no proof: " + request.url);
    const auto header = boost::json::parse(decoded(proof.substr(0, first))).as_object();
    const auto claims = boost::json::parse(decoded(proof.substr(first + 1, second - first - 1))).as_object();
    const auto& key = header.at("jwk").as_object();
    const auto text = [](const boost::json::object& object, const char* name) { return std::string(object.at(name).as_string().c_str()); };
    if (text(header, "typ") != "dpop+jwt" || text(header, "alg") != "ES256") faults.emplace_back("header");
    if (!verifies(decoded(text(key, "x")), decoded(text(key, "y")), proof.substr(0, second), decoded(proof.substr(second + 1))))
        faults.emplace_back("signature");
    if (text(claims, "htm") != request.method || text(claims, "htu") != request.url.substr(0, request.url.find('?')))
        faults.emplace_back("target");
    if (!token.empty() && !matches(text(claims, "ath"), token)) faults.emplace_back("ath");
    if (!_proofs.emplace(text(claims, "jti"), true).second) faults.emplace_back("jti used twice");
    if (request.url.ends_with("/oauth/token") && headerOf(request, "with-nonce") == "1" && !claims.contains("nonce"))
        faults.emplace_back("nonce");
}

MobileAnswer FakeServer::tokens()
{
    return {200, R"({"access_token":"access-secret-)" + std::to_string(++_accesses) +
                     R"(","token_type":"DPoP","expires_in":600,"refresh_token":"refresh-secret-)" + std::to_string(generation) +
                     R"(","returnTo":"/deals/7"})"};
}

MobileAnswer FakeServer::token(const MobileRequest& request, std::int64_t now)
{
    checkProof(request, {});
    const auto proof = headerOf(request, "DPoP");
    const auto claims = decoded(proof.substr(proof.find('.') + 1, proof.rfind('.') - proof.find('.') - 1));
    if (claims.find("\"nonce\":\"n-1\"") == std::string::npos) return {400, R"({"error":"use_dpop_nonce"})", {{"DPoP-Nonce", "n-1"}}};
    if (fieldOf(request.body, "grant_type") == "authorization_code")
    {
        if (fieldOf(request.body, "code") != "good-code" || !matches(challenge, fieldOf(request.body, "code_verifier")))
            return {400, R"({"error":"invalid_grant"})"};
        revoked = false;
        return tokens();
    }
    const auto sent = fieldOf(request.body, "refresh_token");
    if (!revoked && sent == "refresh-secret-" + std::to_string(generation))
    {
        ++generation;
        ++rotations;
        rotatedAt = now;
        return tokens();
    }
    if (!revoked && sent == "refresh-secret-" + std::to_string(generation - 1) && now - rotatedAt <= 30) return tokens();
    revoked = true;
    return {400, R"({"error":"invalid_grant"})"};
}

MobileAnswer FakeServer::launch(const MobileRequest& request)
{
    const auto input = boost::json::parse(request.body).as_object();
    const auto& device = input.at("device").as_object();
    const std::string store = !hasStore                                    ? ""
                              : device.at("platform").as_string() == "ios" ? "https://apps.example/ios"
                                                                           : "https://play.example/android";
    const std::string link = "https://launchpad.example/launch/crm?code=launch-secret";
    const std::string web = "https://crm.example/auth/callback?sso_code=launch-secret";
    const auto url = !hasBuild ? web : device.at("installed").as_bool() ? link : store.empty() ? web : store;
    return {201, R"({"mode":"handoff","url":")" + url + R"(","universalLink":")" + link + R"(","fallback":{"appStoreUrl":")" + store +
                     R"(","webUrl":"https://crm.example"}})"};
}

MobileAnswer FakeServer::answer(const MobileRequest& request, std::int64_t now)
{
    const std::lock_guard lock(_mutex);
    seen.push_back(request);
    if (fault) return {fault, "{}"};
    const auto path = request.url.substr(request.url.find('/', 8), request.url.find('?') - request.url.find('/', 8));
    if (const auto found = instead.find(path); found != instead.end()) return found->second;
    if (path == "/oauth/token") return token(request, now);
    if (path == "/oauth/revoke")
    {
        revoked = true;
        return {};
    }
    if (path == "/api/auth/sso/exchange")
    {
        checkProof(request, {});
        return tokens();
    }
    const auto authorization = headerOf(request, "Authorization");
    if (revoked || !authorization.starts_with("DPoP access-secret-")) return {401, R"({"code":"session_ended"})"};
    checkProof(request, authorization.substr(5));
    if (path == "/api/launch") return launch(request);
    if (path == "/api/catalog" && headerOf(request, "If-None-Match") == "\"c1\"") return {304, ""};
    if (path == "/api/catalog" && fieldOf(request.url, "cursor").empty())
        return {
            200,
            R"({"items":[{"service_id":"crm","launch":{"ios":{"bundleId":"org.example.crm"},"android":{"packageName":"org.example.crm.droid"}}}],"nextCursor":null})",
            {{"ETag", "\"c1\""}}};
    if (path == "/api/preferences") return {200, R"({"theme":"dark"})"};
    if (path == "/api/actions") return {200, R"({"items":[],"counts":{"open":3,"overdue":0,"critical":1}})"};
    return {404, R"({"code":"not_found"})"};
}

} // namespace portico::tests
