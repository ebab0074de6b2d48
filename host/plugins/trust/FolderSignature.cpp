#include "host/plugins/trust/FolderSignature.h"

#include "host/base/DurableFiles.h"
#include "host/base/ReadFiles.h"
#include "host/plugins/package/FileList.h"

#include <stdexcept>

namespace portico::host::plugins
{

namespace fs = std::filesystem;

namespace
{
/// Room for the longest paths of the largest folder.
constexpr std::uintmax_t largestList = 16'777'216;

std::string readWhole(const fs::path& file)
{
    if (auto text = contentOf(file)) return *std::move(text);
    throw std::runtime_error("cannot be read");
}

/// The file is readable by the daemon's user, whichever user signs.
void writeSigned(const fs::path& file, const std::string& content)
try
{
    replaceFile(file, content, 0644);
}
catch (const std::system_error& error)
{
    throw std::runtime_error(file.string() + ": cannot be written (" + error.code().message() +
                             "): check the rights and the free space of the folder");
}

/// Reads one folder; what the texts call it is where it is installed.
class SignatureReader
{
public:
    SignatureReader(const fs::path& folder, const fs::path& installed, const TrustedKeys& keys, const FileList* files)
        : _folder(folder), _installed(installed), _keys(keys), _files(files)
    {
    }

    FolderSignature read()
    {
        _found.listed = fs::exists(_folder / sumsName);
        _found.signedByKey = fs::exists(_folder / signatureName);
        if (_found.listed)
            readList();
        else if (_found.signedByKey)
            fault(sumsName,
                  "expected the list of files that " + std::string(signatureName) + " signs, found none: have the plugin signed again");
        if (!_keys.revoked.empty()) readRevoked();
        return std::move(_found);
    }

private:
    /// Checks the list, which identifies a version as a whole, and each file, even without a list.
    void readRevoked()
    try
    {
        if (_found.listed) refuse(sumsName, sha256OfFile(_folder / sumsName));
        const auto list = _files ? *_files : FileList::of(_folder);
        for (const auto& [path, hash] : list.files) refuse(path, hash);
    }
    catch (const std::exception& error)
    {
        _found.faults.emplace_back(error.what());
    }

    void refuse(std::string_view path, std::string_view sha256)
    {
        if (auto reason = _keys.whyRevoked(_installed / path, sha256); !reason.empty()) _found.faults.push_back(std::move(reason));
    }

    void readList()
    {
        std::string text;
        try
        {
            if (const auto size = fs::file_size(_folder / sumsName); size > largestList)
                throw std::runtime_error("expected at most 16 MiB, found " + std::to_string(size) + " bytes");
            text = readWhole(_folder / sumsName);
            const auto listed = FileList::parse(text);
            for (auto& difference : listed.differences(_files ? *_files : FileList::of(_folder), _installed))
                _found.faults.push_back(std::move(difference));
        }
        catch (const std::exception& error)
        {
            fault(sumsName, error.what());
        }
        if (!_found.signedByKey) return;
        try
        {
            readSignature(text);
        }
        catch (const std::exception& error)
        {
            fault(signatureName, error.what());
        }
    }

    void readSignature(const std::string& text)
    {
        std::error_code error;
        const auto size = fs::file_size(_folder / signatureName, error);
        if (error || size != signatureBytes)
            return fault(signatureName, "expected the " + std::to_string(signatureBytes) + " bytes of an Ed25519 signature, found " +
                                            (error ? error.message() : std::to_string(size)) + ": have the plugin signed again");
        if (const auto* signer = _keys.signer(text, readWhole(_folder / signatureName)))
            _found.key = signer->name;
        else if (!_keys.anySigner)
            fault(
                signatureName,
                "expected a signature of " + std::string(sumsName) + " by one of the keys in " + _keys.text() +
                    ", found one by none of them: put the public key of who signed it there as NAME.pub, or have the plugin signed again");
    }

    void fault(std::string_view file, const std::string& what) { _found.faults.push_back((_installed / file).string() + ": " + what); }

    const fs::path& _folder;
    const fs::path& _installed;
    const TrustedKeys& _keys;
    const FileList* const _files;
    FolderSignature _found;
};
} // namespace

FolderSignature readFolderSignature(const fs::path& folder, const fs::path& installed, const TrustedKeys& keys, const FileList* files)
{
    return SignatureReader(folder, installed, keys, files).read();
}

FileList signFolder(const fs::path& folder, const PrivateKey& key)
{
    // Leftovers of an interrupted signing would be listed, but are gone once the list is written.
    for (const auto name : {sumsName, signatureName})
    {
        std::error_code ignored;
        fs::remove(fs::path(folder / name).concat(".new"), ignored);
    }
    auto list = FileList::of(folder);
    const auto text = list.text();
    writeSigned(folder / sumsName, text);
    writeSigned(folder / signatureName, key.sign(text));
    return list;
}

} // namespace portico::host::plugins
