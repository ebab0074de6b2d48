// A language is one file of these keys.
const texts = {
  "notes.title": "Notes",
  "notes.new": "New note",
  "notes.empty": "No notes yet",
  "notes.empty.text": "Everyone in the organization sees what you create here.",
  "notes.field.title": "Title",
  "notes.field.text": "Text",
  "notes.field.updatedAt": "Changed",
};
export default texts;
