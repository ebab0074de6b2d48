#pragma once

#include <string>

namespace portico::test
{

/// Writes a new key and a self-signed certificate for it, as PEM files.
/// @param keyType `EC` or `RSA`.
void writeCertificate(const std::string& certificateFile, const std::string& keyFile, const std::string& keyType = "EC");

} // namespace portico::test
