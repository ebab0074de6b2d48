export const pause = (milliseconds: number): Promise<void> => new Promise((done) => void setTimeout(done, milliseconds));
