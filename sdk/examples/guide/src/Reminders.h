#pragma once

#include "Assignment.h"
#include "Reminder.h"

#include "portico/Plugin.h"

namespace acme_notes
{

/// The job `remind`: writes to the new assignee of a note.
class Reminders
{
public:
    explicit Reminders(portico::PluginContext& context);
    void start();
    /// The texts of the plugin, which its pages use too.
    const portico::Templates& texts() const noexcept { return _texts.files; }

private:
    void remind(const AssignedNote& told);

    portico::PluginContext& _context;
    ReminderTexts _texts;
};

} // namespace acme_notes
