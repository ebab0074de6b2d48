/** The patterns of the pages: lists, records, forms, boards. */
export {};
