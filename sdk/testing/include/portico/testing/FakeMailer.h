#pragma once

#include "portico/Clock.h"
#include "portico/Database.h"
#include "portico/Mailer.h"

#include <memory>
#include <string_view>
#include <vector>

namespace portico::testing
{

/// Keeps the mails of committed transactions; refuses the same as the host. The database is a TestDatabase's.
class PORTICO_API FakeMailer final : public Mailer
{
public:
    FakeMailer(Database& database, const Clock& clock);
    ~FakeMailer() override;
    std::string send(Session& session, const Mail& mail) override;

    /// Sets the operator's `mail.senders`: addresses, and domains such as `@example.org`. None by default.
    void allowSenders(std::vector<std::string> senders);

    /// The oldest first.
    std::vector<Mail> sent() const;
    std::vector<Mail> sentTo(std::string_view address) const;

private:
    struct State;
    const std::unique_ptr<State> _state;
};

} // namespace portico::testing
