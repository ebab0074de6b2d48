/** The patterns of the pages: lists, records, forms, boards, and what happens when nothing is there or something goes wrong. */
export type { Address } from "./address.ts";
export { IconMenu, Menu, MenuItem, MenuLine, MenuTitle } from "./Menu.tsx";
export { Modal, type ModalProps } from "./Modal.tsx";
export { Confirm, ConflictDialog, Dialog, SidePanel, type Conflict } from "./dialogs.tsx";
export type { TextValues, UiTexts } from "./i18n.ts";
export { useKeys, type Keys } from "./keys.ts";
export { followLink } from "./followLink.ts";
export { ChunkError, later, prepare, useLater } from "./later.tsx";
export { ListView } from "./list/ListView.tsx";
export {
  countSelected,
  isSelected,
  NONE,
  useList,
  type Column,
  type Filter,
  type List,
  type ListOptions,
  type Option,
  type Selection,
} from "./list/useList.ts";
export type { SavedView, View } from "./list/view.ts";
export { problemOf, type Problem } from "@portico/api";
export { Bones, Empty, Failed, MayNotSee, NoMatch, Waiting } from "./states.tsx";
export { Text } from "./Text.tsx";
export { permissionOf, UiProvider, useAddress, usePageName, useUi, type Notices, type Request, type Send, type UiServices } from "./ui.tsx";
export { createUndo, type Done, type Undo } from "./undo.ts";
export { useOrder } from "./order.tsx";
export { Steps } from "./Steps.tsx";
export { Board, type BoardColumn } from "./board/Board.tsx";
export type { Cards, Place } from "./board/model.ts";
export { Form, type FormProps } from "./form/Form.tsx";
export { type Field } from "./form/FieldInput.tsx";
export { makeRequestKey, useRequestKey, type RequestKey } from "./form/requestKey.ts";
export { instantOf, localOf } from "./form/instants.ts";
export { clearDrafts, readDraft, writeDraft } from "./form/drafts.ts";
export { type FieldKind, type Schema } from "./form/schema.ts";
export { Markdown, safeHref } from "./Markdown.tsx";
export { Fields, Mark, Neighbours, type RecordField } from "./record/Record.tsx";
export { useRecord, type PendingState, type RecordState, type Versioned } from "./record/useRecord.ts";
export { Act } from "./Act.tsx";
export { Copied, copyText } from "./Copied.tsx";
export { Card, Chip, Facts, Loaded, Note, Page } from "./Page.tsx";
export { Unsaved } from "./Unsaved.tsx";
export { useDeed } from "./useDeed.ts";
export { FileDrop } from "./FileDrop.tsx";
export { JobView, useJob, type Job } from "./Job.tsx";
export { useSchema } from "./useSchema.ts";
export { resource, type Register, type ResourceOptions } from "./resource.tsx";
export { type ResourceAction, type ResourceField } from "./resourceTypes.ts";
export { type Pick } from "./form/RecordName.tsx";
export { Instant } from "./Instant.tsx";
export { saveAs } from "./saveAs.ts";
export { useWaited } from "./waited.ts";
