#pragma once

#include "crm/CrmFixture.h"

namespace portico::tests
{

/// A contact to attach files to. Files are at most 1 MiB here.
class AttachmentFixture : public CrmFixture
{
public:
    void setUp() override
    {
        CrmFixture::setUp();
        makeContact();
    }

protected:
    void makeContact()
    {
        _contactId = newContact();
        _contact = "/api/contacts/" + _contactId;
        _path = _contact + "/attachments";
    }

    /// The service with other settings, on an empty database.
    void restartWith(const std::map<std::string, std::string>& changes)
    {
        for (const auto& [key, value] : changes) settings.config.insert_or_assign(key, value);
        start();
        makeContact();
    }

    static std::string form(const std::string& fileName, const std::string& content, const std::string& type = "application/octet-stream",
                            const std::string& description = {})
    {
        std::string escaped;
        for (const char c : fileName) escaped += c == '"' ? "%22" : std::string(1, c);
        return "--b\r\nContent-Disposition: form-data; name=\"description\"\r\n\r\n" + description +
               "\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + escaped + "\"\r\nContent-Type: " + type +
               "\r\n\r\n" + content + "\r\n--b--\r\n";
    }
    Answer upload(const std::string& form) const
    {
        return client->post(owner, _path, form, {{"Content-Type", "multipart/form-data; boundary=b"}});
    }
    Answer uploadRaw(const std::string& name, const std::string& content, const std::string& type) const
    {
        return client->post(owner, _path, content, {{"Content-Type", type}, {"X-File-Name", name}});
    }
    std::string download(const std::string& id) const
    {
        auto response = host->call(Method::Get, "/api/attachments/" + id, {}, owner);
        equal(200, response.status);
        return testing::TestHost::bodyOf(response);
    }

    static bool isFileId(const std::string& id) { return Id<"fil">::parse(id).has_value(); }
    std::int64_t attachmentCount() const { return std::stoll(client->get(owner, _contact).at("/counts/attachments")); }
    Names namesIn(const Answer& list) const
    {
        Names names;
        for (const auto& item : arrayAt(list, "/items")) names.emplace_back(item.at("fileName").as_string());
        return names;
    }

    /// Blobs of an organization that rows know of and that can be opened; a row without its file fails the test.
    std::size_t filesOf(const Caller& caller) const
    {
        std::vector<std::string> keys;
        auto session = database().session();
        for (Row row : session.query("SELECT blob_key FROM attachment WHERE organization_id = $1", caller.organizationId))
            keys.push_back(row.get<std::string>(0));
        std::uint64_t bytes = 0;
        for (const auto& key : keys)
        {
            const auto file = host->context().blobs().open(key);
            CPPUNIT_ASSERT_MESSAGE("the file of an attachment is missing", file.has_value());
            bytes += file->size;
        }
        // No byte but theirs, once the sweeper has been there.
        if (unownedBlobs() == 0) equal(bytes, host->context().blobs().usedBytes(caller.organizationId));
        return keys.size();
    }
    std::int64_t unownedBlobs() const
    {
        auto session = database().session();
        return *session.value<std::int64_t>("SELECT count(*) FROM unowned_blob");
    }

    std::string _contactId;
    std::string _contact;
    std::string _path;
};

} // namespace portico::tests
