#pragma once

#include "portico/Plugin.h"

namespace acme_notes
{

/// Listens to the CRM: a new contact makes a note.
class ContactGreeter
{
public:
    explicit ContactGreeter(portico::PluginContext& context) : _context(context) {}
    void start();

private:
    void greet(const portico::Event& event);
    void forgetOldEvents();

    portico::PluginContext& _context;
};

} // namespace acme_notes
