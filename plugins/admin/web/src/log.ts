/** Where the console shows what the log says of a request. */
export const logOf = (requestId: string): string => `/platform/log?request=${encodeURIComponent(requestId)}`;
