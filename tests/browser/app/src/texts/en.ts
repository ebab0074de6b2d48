const texts = {
  "people.title": "People",
  "people.name": "Given name",
  "people.note": "Note",
  "people.create": "Create",
  "people.count": "{count, plural, one {# person} other {# people}}",
  "broken.title": "Broken",
  "broken.break": "Break it",
  "broken.prove": "Prove it",
  "broken.proven": "Proven",
  "broken.rest": "The rest",
};
export default texts;
