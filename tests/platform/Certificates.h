#pragma once

#include <filesystem>
#include <string>

namespace portico::tests
{

/// A key and a self-signed certificate for a DNS name, as PEM files made with OpenSSL.
struct Certificate
{
    std::filesystem::path keyFile;
    std::filesystem::path certificateFile;
};

Certificate makeCertificate(const std::filesystem::path& directory, const std::string& name);

} // namespace portico::tests
