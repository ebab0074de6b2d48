// A language is one file of these keys.
const texts = {
  "notes.title": "Notes",
  "notes.new": "New note",
  "notes.empty": "No notes yet",
  "notes.empty.text": "What you write here is read by everyone in the organization.",
  "notes.field.title": "Title",
  "notes.field.text": "Text",
  "notes.field.updatedAt": "Changed",
};
export default texts;
