#pragma once

#include "portico/Templates.h"

namespace acme_notes
{

/// Values of the reminder's mail.
struct Reminder
{
    std::string name;
    std::string title;
    std::string text;
    std::int64_t hours = 0;
};

constexpr auto schemaOf(const Reminder*)
{
    using namespace portico;
    return describe(members<&Reminder::name, &Reminder::title, &Reminder::text, &Reminder::hours>());
}

/// The texts of the mail in all languages. @throws std::runtime_error that lists what does not fit a Reminder.
struct ReminderTexts
{
    ReminderTexts(const std::filesystem::path& folder, portico::Logger& logger)
        : files(folder, logger), subject(files.bind<Reminder>("reminder-subject.txt")), body(files.bind<Reminder>("reminder.txt"))
    {
    }

    portico::Templates files;
    portico::Template<Reminder> subject;
    portico::Template<Reminder> body;
};

} // namespace acme_notes
