/**
 * Hands a file of the page's own making to the browser, which saves it as a download.
 *
 * @example
 * const offer = (): void => saveAs(new Blob(["name\n"], { type: "text/csv" }), "names.csv");
 * console.log(typeof offer);
 */
export function saveAs(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  // Not before the browser has begun with it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
