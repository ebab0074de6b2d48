import type { Schema } from "@portico/ui";

const text = (maxLength: number): Schema => ({ type: "string", maxLength });

/** What the service refuses, said before it is asked. */
export const contactSchema: Schema = {
  required: ["lifecycle"],
  properties: {
    firstName: text(100),
    middleName: text(100),
    lastName: text(100),
    prefix: text(30),
    suffix: text(30),
    nickname: text(100),
    displayName: text(300),
    companyName: text(200),
    jobTitle: text(150),
    department: text(150),
    birthday: { type: "string", pattern: "^(\\d{4}|-)-\\d\\d-\\d\\d$" },
    tags: { type: "array", maxItems: 50, items: text(50) },
  },
};
