/** One page of an answer, as every list of every service gives it. */
export interface ListPage<Row> {
  readonly items: readonly Row[];
  readonly nextCursor: string | null;
  /** Only where it was asked for. */
  readonly total?: number;
}

/** Reads a page; `withTotal` asks for the number of all that match. */
export type ReadPage<Row> = (cursor: string | null, withTotal: boolean, signal: AbortSignal) => Promise<ListPage<Row>>;

interface Chunk<Row> {
  cursor: string | null;
  count: number;
  /** Undefined: was dropped to keep memory small, and is read again on the way back. */
  rows: readonly Row[] | undefined;
  /** The cursor has changed since the rows were read. They are shown until they have been read again. */
  moved?: boolean;
  flight?: Promise<void> | undefined;
}

/** The rows of a list when one of them was opened, and the one that was looked at last, until the list is back. */
export interface Order {
  readonly ids: readonly string[];
  readonly shown: string | null;
}

/** What a list shows beside its rows. */
export interface PagesState {
  /** Rows up to where one has read, kept or dropped. */
  readonly count: number;
  readonly total: number | undefined;
  readonly more: boolean;
  /** True until the first answer. */
  readonly first: boolean;
  readonly error: unknown;
  /** Five short pages followed each other: `further` goes on. */
  readonly paused: boolean;
}

/** Before the first answer. */
export const UNREAD: PagesState = { count: 0, total: undefined, more: true, first: true, error: undefined, paused: false };

const SHORT_PAGES = 5;

/**
 * The rows of a cursor list around what is seen: pages are read ahead, at most `keep` rows stay in memory, dropped ones are read again by their cursor. A
 * page that is short but not the last is continued, at most five times. Not a thing of React; `subscribe` and `state` are what a view needs.
 */
export class Pages<Row> {
  private chunks: Chunk<Row>[] = [];
  private next: string | null = null;
  private seen: readonly [from: number, to: number] = [0, 0];
  private tail: Promise<void> | undefined;
  private readonly told = new Set<() => void>();
  /** Aborts the requests made since the last "Try again". */
  private begun = new AbortController();
  state = UNREAD;

  constructor(
    private readonly read: ReadPage<Row>,
    private readonly limit = 100,
    private readonly keep = 2000,
  ) {}

  readonly subscribe = (each: () => void): (() => void) => (this.told.add(each), () => this.told.delete(each));

  readonly current = (): PagesState => this.state;

  /** Where somebody is: the row that has the focus, and how far they have scrolled, in px. */
  at = { row: 0, top: 0 };

  /** Goes on where another one was left. Its rows are shown until they have been read again, unless they are known to have changed. */
  resume(left: Pages<Row>, changed: boolean): Promise<void> {
    this.chunks = left.chunks.map(({ cursor, count, rows }) => ({ cursor, count, rows: changed ? undefined : rows }));
    [this.next, this.seen, this.at] = [left.next, left.seen, left.at];
    this.set({ ...left.state, error: undefined, paused: false });
    return this.reload();
  }

  /** Ends what is under way; answers that come later change nothing. */
  stop(): void {
    this.begun.abort();
    this.told.clear();
  }

  row(index: number): Row | undefined {
    for (const [chunk, start] of this.placed()) if (index < start + chunk.count) return chunk.rows?.[index - start];
    return undefined;
  }

  /** The rows that are in memory, with their index. */
  *kept(): Generator<readonly [index: number, row: Row]> {
    for (const [chunk, start] of this.placed()) for (const [at, row] of (chunk.rows ?? []).entries()) yield [start + at, row];
  }

  /** Rows `from` to `to` are seen: reads what is missing and a page ahead, drops what is far. */
  want(from: number, to: number): void {
    this.seen = [from, to];
    for (const [chunk, start] of this.placed()) {
      const near = start < to + this.limit && start + chunk.count > from - this.limit;
      if (chunk.moved && !near) chunk.rows = undefined;
      if ((!chunk.rows || chunk.moved) && !chunk.flight && near) void this.again(chunk, false);
    }
    if (to + this.limit >= this.state.count && this.state.more && !this.state.error && !this.state.paused) void this.ahead();
    this.drop();
  }

  /** Continues after five short pages, an error or a long wait. Restarts pending requests, because they may still fail. */
  further(): void {
    this.begun.abort();
    this.begun = new AbortController();
    const unread = this.state.error !== undefined || this.chunks.some(({ flight }) => flight);
    this.tail = undefined;
    for (const chunk of this.chunks) chunk.flight = undefined;
    this.set({ paused: false, error: undefined });
    if (this.state.more) void this.ahead();
    if (unread && !this.state.first) void this.reload();
  }

  /** Reads what is seen again, and the rest when it is seen. */
  async reload(): Promise<void> {
    if (this.state.first) return this.ahead();
    const [from, to] = this.seen;
    const near: Chunk<Row>[] = [];
    for (const [chunk, start] of this.placed()) {
      if (start < to && start + chunk.count > from) near.push(chunk);
      else chunk.rows = undefined;
    }
    if (near.length === 0 && this.chunks[0]) near.push(this.chunks[0]);
    if (this.state.error) this.set({ error: undefined });
    await Promise.all(near.map((chunk, at) => this.again(chunk, at === 0)));
    // What was the last row may have got followers.
    if (this.chunks.length <= 1 && this.next === null) this.set({ more: false });
    this.want(...this.seen);
  }

  private *placed(): Generator<readonly [Chunk<Row>, number]> {
    let start = 0;
    for (const chunk of this.chunks) {
      yield [chunk, start];
      start += chunk.count;
    }
  }

  private ahead(signal = this.begun.signal): Promise<void> {
    return (this.tail ??= this.readTail(signal).finally(() => signal.aborted || (this.tail = undefined)));
  }

  private async readTail(signal: AbortSignal): Promise<void> {
    try {
      for (let short = 0, found = 0; found < this.limit; short += 1) {
        if (short === SHORT_PAGES) return this.set({ paused: true });
        const [first, cursor] = [this.state.first, this.next];
        const page = await this.read(cursor, first, signal);
        if (signal.aborted || (this.next === null && cursor !== null)) return;
        // The page before this one has been read again and ends elsewhere.
        if (this.next !== cursor) continue;
        this.chunks.push({ cursor, count: page.items.length, rows: page.items });
        this.next = page.nextCursor;
        found += page.items.length;
        this.drop();
        this.set({ first: false, more: page.nextCursor !== null, ...(page.total === undefined ? {} : { total: page.total }) });
        if (page.nextCursor === null) return;
      }
    } catch (error) {
      if (!signal.aborted) this.set({ error });
    }
  }

  private again(chunk: Chunk<Row>, withTotal: boolean, signal = this.begun.signal): Promise<void> {
    return (chunk.flight ??= this.readChunk(chunk, withTotal, signal).finally(() => {
      if (signal.aborted) return;
      chunk.flight = undefined;
      // The page after it may have moved.
      if (!this.state.error) this.want(...this.seen);
    }));
  }

  private async readChunk(chunk: Chunk<Row>, withTotal: boolean, signal: AbortSignal): Promise<void> {
    try {
      const { cursor } = chunk;
      const page = await this.read(cursor, withTotal, signal);
      if (signal.aborted || !this.chunks.includes(chunk)) return;
      if (chunk.cursor !== cursor) return await this.readChunk(chunk, withTotal, signal);
      chunk.rows = page.items;
      chunk.count = page.items.length;
      chunk.moved = false;
      const after = this.chunks[this.chunks.indexOf(chunk) + 1];
      // The same end has the same cursor: another one means that rows came or went.
      if (after && page.nextCursor !== null && page.nextCursor !== after.cursor) [after.cursor, after.moved] = [page.nextCursor, true];
      else if (!after) this.next = page.nextCursor;
      if (after && page.nextCursor === null) {
        // Rows went away: nothing follows any more.
        this.chunks.length = this.chunks.indexOf(chunk) + 1;
        this.next = null;
      }
      this.drop();
      this.set({ more: this.next !== null, ...(page.total === undefined ? {} : { total: page.total }) });
    } catch (error) {
      if (!signal.aborted) this.set({ error });
    }
  }

  private drop(): void {
    let kept = this.chunks.reduce((sum, chunk) => sum + (chunk.rows?.length ?? 0), 0);
    const [from, to] = this.seen;
    const far = [...this.placed()]
      .filter(([chunk]) => chunk.rows)
      .map(([chunk, start]) => ({ chunk, away: Math.max(from - start - chunk.count, start - to) }));
    for (const { chunk, away } of far.sort((a, b) => b.away - a.away)) {
      if (kept <= this.keep || away <= this.limit) return;
      kept -= chunk.rows?.length ?? 0;
      chunk.rows = undefined;
    }
  }

  private set(change: Partial<PagesState>): void {
    const count = this.chunks.reduce((sum, chunk) => sum + chunk.count, 0);
    this.state = { ...this.state, ...change, count };
    for (const each of [...this.told]) each();
  }
}
