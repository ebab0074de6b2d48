#pragma once

#include "NoteStore.h"

#include "portico/Plugin.h"

namespace acme_notes
{

/// Listens to the CRM: a new contact makes a note.
class ContactGreeter
{
public:
    ContactGreeter(portico::Context& context, const NoteStore& notes) : _context(context), _notes(notes) {}
    void start();

private:
    void greet(const portico::Event& event);
    void forgetOldEvents();

    portico::Context& _context;
    const NoteStore& _notes;
};

} // namespace acme_notes
