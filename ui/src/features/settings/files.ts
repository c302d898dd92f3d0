/** A chosen file on its way to the program, which reads it and does not keep it. */

/** Bytes, as the program has it; a larger file is not even read. */
export const LARGEST_FILE = 20 * 1024 * 1024;

export async function base64Of(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let letters = "";
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x8000)
    letters += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(letters);
}
