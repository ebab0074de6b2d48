#pragma once

#include "portico/Plugin.h"

namespace acme_notes
{

/// The job `remind`: writes to who has been given a note.
class Reminders
{
public:
    explicit Reminders(portico::Context& context) : _context(context) {}
    void start();

private:
    void remind(const portico::Job& job);

    portico::Context& _context;
};

} // namespace acme_notes
