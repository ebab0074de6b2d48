#include "fuzz/Require.h"

#include "passkeys/CborReader.h"
#include "passkeys/Webauthn.h"

#include <string>

/// Input of authenticators is read or rejected, and no unknown signature is valid. Items of the reader are within the input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace portico::identity;
    const auto text = portico::fuzz::textOf(data, size);
    CborReader reader(text);
    if (const auto item = reader.item()) portico::fuzz::require(item->size() + reader.rest().size() == text.size());
    CborReader(text).map();
    webauthn::parseClientData(text);
    if (const auto read = webauthn::parseAuthenticatorData(text)) portico::fuzz::require(read->credentialId.size() <= 1023);
    static const std::string clientData = R"({"type":"webauthn.create","challenge":"AAAA","origin":"https://id.example"})";
    webauthn::verifyAttestation("id.example", clientData, text);
    const auto half = text.size() / 2;
    const webauthn::Assertion assertion{clientData, std::string(text.substr(0, half)), std::string(text.substr(half))};
    static const std::string point(64, '\x01');
    for (const std::int64_t algorithm : {-7, -8, -257})
        portico::fuzz::require(!webauthn::verifyAssertion("id.example", {algorithm, point}, assertion));
    return 0;
}
