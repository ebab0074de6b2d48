#pragma once

#include "networks/mastodon/MastodonAnswers.h"

#include "portico/Clock.h"
#include "portico/Crypto.h"
#include "portico/Database.h"

#include <optional>
#include <string_view>

namespace portico::social::mastodon
{

/// This server's registrations at Mastodon servers: one for each server and address that the browser comes back to. Secrets are sealed.
/// Thread-safe; the references outlive it.
class Applications
{
public:
    Applications(Database& database, const Clock& clock, std::optional<Sealer> sealer)
        : _database(database), _clock(clock), _sealer(std::move(sealer))
    {
    }

    /// Returns the stored registration; empty: there is none that can be opened.
    std::optional<Application> find(std::string_view serverUrl, std::string_view redirectUri) const;
    /// Stores a registration in place of an older one. Without a sealing key nothing is stored.
    void store(std::string_view serverUrl, std::string_view redirectUri, const Application& application) const;
    /// Deletes a registration that the server no longer knows.
    void forget(std::string_view serverUrl, std::string_view redirectUri) const;

private:
    Database& _database;
    const Clock& _clock;
    const std::optional<Sealer> _sealer;
};

} // namespace portico::social::mastodon
