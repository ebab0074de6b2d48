// Foreign libraries against a running /scim/v2: scimmy reads what it answers, scim2-parse-filter and scimmy say which people a filter means,
// scim-patch and scimmy what a patch makes of one. Prints a line for each step that went well.
import assert from "node:assert/strict";
import dns from "node:dns";
import scimPatchModule from "scim-patch";
import * as filters from "scim2-parse-filter";
import SCIMMY from "scimmy";

// Names below localhost are this machine (RFC 6761, 6.3), also where the resolver does not know.
const lookup = dns.lookup;
dns.lookup = (host, options, callback) => lookup(host.endsWith(".localhost") ? "127.0.0.1" : host, options, callback);

const { base, token } = JSON.parse(process.argv[2]);
const { scimPatch } = scimPatchModule;
const parseFilter = filters.parse ?? filters.default.parse;
const matches = filters.filter ?? filters.default.filter;
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const done = (step) => console.log(step);

async function call(method, path, body, headers = {}) {
  const answer = await fetch(base + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body ? { "Content-Type": "application/scim+json" } : {}), ...headers },
    body: body ? JSON.stringify(body) : undefined,
  });
  const text = await answer.text();
  if (text) assert.match(answer.headers.get("Content-Type"), /^application\/scim\+json/);
  return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : undefined };
}

const provider = await call("GET", "/ServiceProviderConfig");
assert.equal(200, provider.status);
new SCIMMY.Schemas.ServiceProviderConfig(provider.body);
for (const kind of (await call("GET", "/ResourceTypes")).body.Resources) new SCIMMY.Schemas.ResourceType(kind);
const described = (await call("GET", "/Schemas")).body.Resources;
for (const [schema, ours] of [
  [SCIMMY.Schemas.User, 0],
  [SCIMMY.Schemas.EnterpriseUser, 1],
  [SCIMMY.Schemas.Group, 2],
])
  assert.equal(schema.definition.id, described[ours].id);
done("scimmy: what the provider says of itself");

SCIMMY.Schemas.User.extend(SCIMMY.Schemas.EnterpriseUser);
const people = [];
for (let i = 0; i < 12; i++) {
  const made = await call("POST", "/Users", {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User", enterprise],
    userName: `Person${i}@acme.example`,
    externalId: `X-${i}`,
    active: i % 4 !== 0,
    name: { givenName: `Given${i}`, familyName: i % 2 ? "Odd" : "Even" },
    ...(i % 3 ? { title: `Title ${i}` } : {}),
    emails: [
      { value: `person${i}@acme.example`, type: "work", primary: true },
      { value: `p${i}@home.example`, type: "home" },
    ],
    [enterprise]: { department: i < 6 ? "Hives" : "Honey", employeeNumber: String(i) },
  });
  assert.equal(201, made.status, JSON.stringify(made.body));
  assert.equal(made.headers.get("Location"), made.body.meta.location);
  assert.equal(made.headers.get("ETag"), made.body.meta.version);
  const read = JSON.parse(JSON.stringify(new SCIMMY.Schemas.User(made.body, "out")));
  for (const name of ["id", "userName", "externalId", "active", "name", "emails", "title", enterprise])
    assert.deepEqual(read[name], made.body[name], name);
  people.push(made.body);
}
done("scimmy: people");

const all = (await call("GET", "/Users?count=200")).body;
new SCIMMY.Messages.ListResponse(all);
const wanted = [
  'userName eq "person3@ACME.example"',
  'userName sw "person1"',
  'userName co "SON1"',
  "title pr",
  "not (title pr)",
  "active eq true",
  "active eq false and title pr",
  'name.familyName eq "odd" or title eq "Title 4"',
  'name.familyName eq "Odd" and (active eq true or title pr)',
  'emails[type eq "home" and value sw "p1"]',
  'emails.value ew "home.example"',
  'emails[type eq "work" and value co "7"]',
  `${enterprise}:department eq "Honey"`,
  'userName ne "person3@acme.example"',
  'name.familyName eq "Odd" and not (title eq "Title 1")',
  'title gt "Title 5"',
  'title le "Title 5"',
  'meta.resourceType eq "User"',
  'externalId eq "X-7"',
  'externalId eq "x-7"',
];
const idsOf = (resources) => resources.map((one) => one.id).sort();
for (const text of wanted) {
  const found = (await call("GET", `/Users?count=200&filter=${encodeURIComponent(text)}`)).body;
  const ours = idsOf(found.Resources);
  assert.equal(found.totalResults, ours.length);
  const searched = (await call("POST", "/Users/.search", { filter: text, count: 200 })).body;
  assert.deepEqual(idsOf(searched.Resources), ours);
  // One folds no case at all and the other all, so each judges what it can: texts as they are written.
  const exact = !/ACME|SON1|"odd"|"x-7"/.test(text);
  const extended = text.includes(enterprise);
  if (exact && !extended)
    assert.deepEqual(
      idsOf(all.Resources.filter(matches(parseFilter(text.replaceAll('"person', '"Person').replaceAll('"PersonX', '"person'))))),
      ours,
      text,
    );
}
done("scim2-parse-filter: filters");

const patches = [
  [{ op: "replace", path: "title", value: "Chief" }],
  [
    { op: "add", path: "nickName", value: "Pip" },
    { op: "replace", path: "name.givenName", value: "Pia" },
  ],
  [{ op: "remove", path: "title" }],
  [{ op: "add", path: "emails", value: [{ value: "third@acme.example", type: "other" }] }],
  [{ op: "replace", path: 'emails[type eq "home"].value', value: "new@home.example" }],
  [{ op: "remove", path: 'emails[type eq "home"]' }],
  [{ op: "add", path: 'emails[type eq "work"].display', value: "At work" }],
  [{ op: "Replace", path: "name", value: { familyName: "Queen" } }],
  [{ op: "add", value: { displayName: "P. Queen", userType: "Employee" } }],
  [{ op: "replace", value: { preferredLanguage: "de", timezone: "Europe/Berlin" } }],
  [
    {
      op: "replace",
      path: "phoneNumbers",
      value: [
        { value: "+49 1", type: "work" },
        { value: "+49 2", type: "home" },
      ],
    },
  ],
  [
    { op: "remove", path: 'phoneNumbers[type eq "work"]' },
    { op: "add", path: "phoneNumbers", value: [{ value: "+49 3", type: "mobile" }] },
  ],
];
const without = ({ meta, groups, roles, schemas, ...rest }) => rest;
let before = people[1];
for (const operations of patches) {
  const expected = scimPatch(structuredClone(before), structuredClone(operations));
  const after = await call(
    "PATCH",
    `/Users/${before.id}`,
    { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations: operations },
    { "If-Match": before.meta.version },
  );
  assert.equal(200, after.status, JSON.stringify(after.body));
  assert.deepEqual(without(after.body), without(JSON.parse(JSON.stringify(expected))), JSON.stringify(operations));
  new SCIMMY.Schemas.User(after.body, "out");
  before = after.body;
}
done("scim-patch: patches");

const group = await call("POST", "/Groups", {
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
  displayName: "admin",
  members: people.slice(0, 3).map(({ id }) => ({ value: id })),
});
assert.equal(201, group.status);
assert.equal(3, new SCIMMY.Schemas.Group(group.body, "out").members.length);
assert.equal("admin", (await call("GET", `/Users/${people[2].id}`)).body.roles[0].value);
const fewer = await call("PATCH", `/Groups/${group.body.id}`, {
  Operations: [{ op: "remove", path: `members[value eq "${people[2].id}"]` }],
});
assert.deepEqual(
  without(
    JSON.parse(JSON.stringify(scimPatch(structuredClone(group.body), [{ op: "remove", path: `members[value eq "${people[2].id}"]` }]))),
  ),
  without(fewer.body),
);
assert.equal("member", (await call("GET", `/Users/${people[2].id}`)).body.roles[0].value);
done("scimmy: groups");

const bulk = await call(
  "POST",
  "/Bulk",
  new SCIMMY.Messages.BulkRequest({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
    Operations: [
      { method: "POST", path: "/Groups", bulkId: "g", data: { displayName: "Keepers", members: [{ value: "bulkId:u" }] } },
      { method: "POST", path: "/Users", bulkId: "u", data: { userName: "bulk@acme.example" } },
    ],
  }),
);
assert.deepEqual(
  new SCIMMY.Messages.BulkResponse(bulk.body).Operations.map(({ status }) => status),
  ["201", "201"],
);
done("scimmy: bulk");

for (const [answer, status, scimType] of [
  [await call("GET", "/Users/nobody"), 404],
  [await call("GET", "/Users?filter=userName"), 400, "invalidFilter"],
  [await call("POST", "/Users", { userName: "PERSON1@acme.example" }), 409, "uniqueness"],
  [await call("PATCH", `/Users/${people[1].id}`, { Operations: [{ op: "replace", path: "id", value: "x" }] }), 400, "mutability"],
  [await call("PATCH", `/Users/${people[1].id}`, { Operations: [{ op: "remove" }] }), 400, "noTarget"],
  [
    await call("PATCH", `/Users/${people[1].id}`, { Operations: [{ op: "add", path: "active", value: false }] }, { "If-Match": 'W/"old"' }),
    412,
  ],
  [await call("PUT", "/Users", { userName: "x" }), 405],
  [await call("GET", "/Users", undefined, { Authorization: "Bearer x" }), 401],
  [await call("POST", "/Users", { userName: "x".repeat(1100000) }), 413],
]) {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  // What is an error in the form of RFC 7644, 3.12 is thrown as one.
  assert.throws(
    () => new SCIMMY.Messages.ErrorResponse(answer.body),
    (error) => String(error.status) === String(status) && error.scimType === scimType,
  );
}
done("scimmy: errors");

for (const { id } of people) assert.equal(204, (await call("DELETE", `/Users/${id}`)).status);
assert.equal(404, (await call("GET", `/Users/${people[0].id}`)).status);
done("removal");
